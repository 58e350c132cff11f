// SPDX-License-Identifier: BSD-3-Clause
// Transforms of one line that is divided among ranks.
#include <gtest/gtest.h>

#include "spectral/spectral_sample.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using spectral::Direction;
using test::Complex;
using test::WholeArray;
using test::Wide;

template <class T>
Pipeline line_pipeline(int points, Direction direction) {
  Pipeline pipeline;
  const Box box{{0, points}};
  const auto in = pipeline.input<Complex<T>, 1>("input", box);
  pipeline.output(spectral::dft_of_long_line<T>(pipeline, "line", in, points, direction), box);
  return pipeline;
}

template <class T>
void expect_line(int points, Direction direction) {
  test::Random random(static_cast<std::uint64_t>(points));
  WholeArray<Complex<T>> line(Box{{0, points}});
  test::fill_randomly(random, line);
  const bool is_forward = direction == Direction::forward;
  WholeArray<Wide> expected = test::plain_dft(test::wide(line), 1, is_forward ? -1 : 1);
  if (!is_forward)
    for (Wide& value : expected.values) value /= points;
  const Pipeline pipeline = line_pipeline<T>(points, direction);
  const WholeArray<Complex<T>> found = test::rehearsed<Complex<T>>(pipeline, line, "line");
  EXPECT_LE(test::error_of<T>(found, expected, points), 6) << points;
  for (const int ranks : {2, 3, 4}) {
    Target target;
    target.threads = ranks - 1;
    target.device = !runs_on_host || ranks == 3;
    const auto divided = test::rehearsed<Complex<T>>(pipeline, line, "line", ranks, {}, target);
    EXPECT_TRUE(divided.same_bits(found)) << points << " on " << ranks;
  }
}

TEST(LongLine, AnyNumberOfPoints) {
  for (const int points : {1, 2, 4, 7, 12, 35, 64, 97, 143, 210, 1000, 1024}) {
    for (const auto direction : {Direction::forward, Direction::inverse}) {
      expect_line<float>(points, direction);
      expect_line<double>(points, direction);
    }
  }
}

TEST(LongLine, NoRankHoldsTheLine) {
  constexpr int points = 1 << 16;
  const Pipeline pipeline = line_pipeline<double>(points, Direction::forward);
  for (const Plan& plan : make_plans(pipeline, {}, {}, 4))
    for (const ArrayRegions& array : plan.stages) {
      EXPECT_LE(array.required.size(), points / 4 + 256);
      EXPECT_LE(array.computed.size(), points / 4 + 256);
    }
}

TEST(LongLine, PrimeNumbersOfPointsAreOneStage) {
  EXPECT_EQ(line_pipeline<float>(97, Direction::forward).size(), 2);
  EXPECT_EQ(line_pipeline<float>(96, Direction::forward).size(), 5);
}

TEST(LongLine, LinesWithoutPointsAreRefused) {
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<float>, 1>("input", Box{{0, 4}});
  EXPECT_THROW(spectral::dft_of_long_line<float>(pipeline, "line", in, 0, Direction::forward), InternalError);
}

}  // namespace
