// SPDX-License-Identifier: BSD-3-Clause
// Transforms along several dimensions: against plain sums, and what must hold of every transform.
#include <gtest/gtest.h>

#include "spectral/spectral_sample.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using spectral::Direction;
using test::Complex;
using test::for_each_point;
using test::Point;
using test::WholeArray;
using test::Wide;

constexpr double tolerance = 6;

template <class T, int N>
void expect_dft(test::Random& random, const Box& box, int transformed) {
  WholeArray<Complex<T>> image(box);
  fill_randomly(random, image);
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<T>, N>("input", box);
  const auto spectrum = spectral::dft<T, N>(pipeline, "spectrum", in, box, Direction::forward, transformed);
  pipeline.output(spectrum, box);
  pipeline.output(spectral::dft<T, N>(pipeline, "again", spectrum, box, Direction::inverse, transformed),
                  box);
  test::ArraySource<Complex<T>> source(image);
  test::ArraySink<Complex<T>> found(box), again(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, random.small(1, 6)))
      .run({{{"input", &source}}, {{"spectrum", &found}, {"again", &again}}});
  EXPECT_LE(error_of<T>(found.array, plain_dft(wide(image), transformed, -1), box.size()), tolerance)
      << to_string(box);
  EXPECT_LE(error_of<T>(again.array, wide(image), box.size()), tolerance) << to_string(box);
}

template <class T, int N>
void expect_real_dft(test::Random& random, const Box& box, int transformed) {
  WholeArray<T> image(box);
  fill_randomly(random, image);
  const Box half = spectral::half_spectrum(box);
  Pipeline pipeline;
  const auto in = pipeline.input<T, N>("input", box);
  const auto spectrum = spectral::dft_of_real<T, N>(pipeline, "spectrum", in, box, transformed);
  pipeline.output(spectrum, half);
  pipeline.output(spectral::inverse_dft_to_real<T, N>(pipeline, "again", spectrum, box, transformed), box);
  test::ArraySource<T> source(image);
  test::ArraySink<Complex<T>> found(half);
  test::ArraySink<T> again(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, random.small(1, 6)))
      .run({{{"input", &source}}, {{"spectrum", &found}, {"again", &again}}});
  EXPECT_LE(error_of<T>(found.array, plain_dft(wide(image), transformed, -1), box.size()), tolerance)
      << to_string(box);
  EXPECT_LE(error_of<T>(again.array, wide(image), box.size()), tolerance) << to_string(box);
}

TEST(Dft, RandomShapesAgainstPlainSums) {
  test::Random random(41);
  const auto extent = [&](int most) { return Range{0, random.between(1, most)}; };
  for (int i = 0; i < 6; ++i) {
    expect_dft<float, 2>(random, {extent(40), extent(40)}, 2);
    expect_dft<double, 2>(random, {extent(40), extent(40)}, 2);
    expect_dft<double, 3>(random, {extent(14), extent(14), extent(14)}, 3);
    expect_dft<float, 3>(random, {extent(14), extent(14), extent(4)}, 2);
    expect_real_dft<float, 2>(random, {extent(40), extent(40)}, 2);
    expect_real_dft<double, 2>(random, {extent(40), extent(40)}, 2);
    expect_real_dft<float, 3>(random, {extent(14), extent(14), extent(14)}, 3);
    expect_real_dft<double, 3>(random, {extent(14), extent(14), extent(4)}, 2);
  }
  expect_dft<double, 1>(random, {extent(60)}, 1);
  expect_real_dft<float, 1>(random, {extent(60)}, 1);
}

Pipeline complex_dft(const Box& box) {
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<double>, 2>("input", box);
  pipeline.output(spectral::dft<double, 2>(pipeline, "spectrum", in, box, Direction::forward), box);
  return pipeline;
}

TEST(Dft, ParsevalAndShift) {
  const Box box{{0, 360}, {0, 17}};
  const Pipeline pipeline = complex_dft(box);
  test::Random random(42);
  WholeArray<Complex<double>> image(box), shifted(box);
  fill_randomly(random, image);
  const std::int64_t dx = 7, dy = 5;
  for_each_point(box, [&](const Point& p) {
    Point q = p;
    q[0] = (p[0] + dx) % 360;
    q[1] = (p[1] + dy) % 17;
    shifted.at(q) = image.at(p);
  });
  const auto spectrum = test::rehearsed<Complex<double>>(pipeline, image, "spectrum", 3);
  const auto of_shifted = test::rehearsed<Complex<double>>(pipeline, shifted, "spectrum", 2);
  // The mean square of the spectrum is the number of points times that of the image.
  EXPECT_NEAR(static_cast<double>(magnitude(wide(spectrum)) / magnitude(wide(image))),
              std::sqrt(static_cast<double>(box.size())), 1e-12);
  for_each_point(box, [&](const Point& p) {
    const double turns =
        -static_cast<double>(p[0] * dx % 360) / 360 - static_cast<double>(p[1] * dy % 17) / 17;
    const double angle = 2 * 3.14159265358979323846 * turns;
    const std::complex<double> factor(std::cos(angle), std::sin(angle));
    const Wide expected = test::wide(spectrum.at(p)) * Wide(factor);
    EXPECT_LE(std::abs(test::wide(of_shifted.at(p)) - expected), 1e-12L * magnitude(wide(spectrum)));
  });
}

TEST(Dft, ExplainShowsTheRedistribution) {
  const Pipeline pipeline = complex_dft({{0, 64}, {0, 64}});
  const std::string text = explain(pipeline, make_plans(pipeline, {}, {}, 4)[0]);
  EXPECT_NE(text.find("exchange spectrum_x"), std::string::npos) << text;
  EXPECT_EQ(text.find("exchange spectrum:"), std::string::npos) << text;
}

// The lines of the first box have odd extents, and therefore one point in the middle.
TEST(Dft, EveryRankHasItsShareOfTheLines) {
  for (const Box& box : {Box{{0, 61}, {0, 45}}, Box{{0, 64}, {0, 48}}}) {
    const Pipeline pipeline = complex_dft(box);
    for (const Plan& plan : make_plans(pipeline, {}, {}, 4))
      for (const char* stage : {"spectrum_x", "spectrum"}) {
        const Box& owned = plan.stages[pipeline.find(stage)].owned;
        EXPECT_GE(owned.size(), box.size() / 6) << stage << " of " << to_string(box) << " on " << plan.rank;
      }
  }
}

/// The bits of all schedules are those of one rank.
template <class T, int N>
void expect_same_bits(const Algorithm& pipeline, const Box& box, const std::string& output) {
  test::Random random(43);
  WholeArray<T> image(box);
  fill_randomly(random, image);
  const auto expected = test::rehearsed<Complex<float>>(pipeline, image, output);
  for (const int ranks : {2, 3, 4, 16})
    for (const GridRequest& grid : {GridRequest{{1, 0, 1}}, GridRequest{{0, 1, 1}}, GridRequest{{0, 0, 0}}}) {
      Schedule schedule;
      schedule.grid = grid;
      schedule.grid.entries.resize(N);
      if (random.chance(50)) schedule.stages["spectrum_x"].tile = {1, 5};
      if (N == 3 && random.chance(50)) schedule.stages["spectrum_y"].tile = {7, 1, 3};
      if (random.chance(50)) schedule.stages["spectrum"].tile = {3, 2};
      if (random.chance(30)) schedule.stages["spectrum_x"].placement = Placement::rank;
      Target target;
      target.threads = random.small(1, 3);
      target.device = !runs_on_host || random.chance(40);
      EXPECT_TRUE(test::rehearsed<Complex<float>>(pipeline, image, output, ranks, schedule, target)
                      .same_bits(expected))
          << ranks;
    }
}

TEST(Dft, EveryScheduleGivesTheSameBits) {
  const Box plane{{0, 37}, {0, 45}}, space{{0, 12}, {0, 17}, {0, 9}};
  {
    Pipeline pipeline;
    const auto in = pipeline.input<Complex<float>, 2>("input", plane);
    pipeline.output(spectral::dft<float, 2>(pipeline, "spectrum", in, plane, Direction::forward), plane);
    expect_same_bits<Complex<float>, 2>(pipeline, plane, "spectrum");
  }
  Pipeline pipeline;
  const auto in = pipeline.input<float, 3>("input", space);
  pipeline.output(spectral::dft_of_real<float, 3>(pipeline, "spectrum", in, space),
                  spectral::half_spectrum(space));
  expect_same_bits<float, 3>(pipeline, space, "spectrum");
}

}  // namespace
