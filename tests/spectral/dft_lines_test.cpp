// SPDX-License-Identifier: BSD-3-Clause
// Transforms along one dimension against the plain sum, of numbers of points that FFTW treats differently.
#include <gtest/gtest.h>

#include "spectral/spectral_sample.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using spectral::Direction;
using test::Complex;
using test::WholeArray;
using test::Wide;

/// The most that a value may be wrong, in the units of error_of.
constexpr double tolerance = 6;

Box lines_of(int dimension, int points) {
  return dimension == 0 ? Box{{0, points}, {0, 3}} : Box{{0, 11}, {0, points}};
}

WholeArray<Wide> divided(WholeArray<Wide> array, int points) {
  for (Wide& value : array.values) value /= points;
  return array;
}

template <class T>
void expect_complex_lines(test::Random& random, int dimension, int points, Direction direction) {
  const Box box = lines_of(dimension, points);
  WholeArray<Complex<T>> image(box);
  fill_randomly(random, image);
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<T>, 2>("input", box);
  pipeline.output(spectral::dft_lines<T, 2>(pipeline, "spectrum", in, dimension, points, direction), box);
  const bool is_forward = direction == Direction::forward;
  const WholeArray<Wide> sums = plain_lines(wide(image), dimension, is_forward ? -1 : 1);
  const WholeArray<Wide> expected = is_forward ? sums : divided(sums, points);
  EXPECT_LE(error_of<T>(test::rehearsed<Complex<T>>(pipeline, image, "spectrum"), expected, points),
            tolerance)
      << points << " points along " << dimension;
}

/// Real lines along x to half spectra, and back.
template <class T>
void expect_real_lines(test::Random& random, int points) {
  const Box box = lines_of(0, points);
  WholeArray<T> image(box);
  fill_randomly(random, image);
  Pipeline pipeline;
  const auto in = pipeline.input<T, 2>("input", box);
  const auto spectrum = spectral::dft_of_real<T, 2>(pipeline, "spectrum", in, box, 1);
  pipeline.output(spectrum, spectral::half_spectrum(box));
  pipeline.output(spectral::inverse_dft_to_real<T, 2>(pipeline, "again", spectrum, box, 1), box);
  test::ArraySource<T> source(image);
  test::ArraySink<Complex<T>> half(spectral::half_spectrum(box));
  test::ArraySink<T> again(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 2))
      .run({{{"input", &source}}, {{"spectrum", &half}, {"again", &again}}});
  EXPECT_LE(error_of<T>(half.array, plain_lines(wide(image), 0, -1), points), tolerance) << points;
  EXPECT_LE(error_of<T>(again.array, wide(image), points), tolerance) << points;
}

class DftLines : public testing::TestWithParam<int> {};

// 4099 is a prime number. FFTW has an algorithm of its own for prime lengths.
INSTANTIATE_TEST_SUITE_P(, DftLines, testing::Values(1, 2, 3, 17, 64, 360, 4099),
                         [](const auto& each) { return std::to_string(each.param); });

TEST_P(DftLines, ComplexToComplex) {
  test::Random random(31);
  for (const int dimension : {0, 1})
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      if (GetParam() > 4000 && dimension == 1) continue;  // the plain sums take long
      expect_complex_lines<float>(random, dimension, GetParam(), direction);
      expect_complex_lines<double>(random, dimension, GetParam(), direction);
    }
}

TEST_P(DftLines, RealToComplexAndBack) {
  test::Random random(32);
  expect_real_lines<float>(random, GetParam());
  expect_real_lines<double>(random, GetParam());
}

// A line gets the same bits wherever it lies: along any dimension, and at any alignment.
TEST_P(DftLines, SameBitsAtEveryPlace) {
  using Line = spectral::LineTransform<Complex<float>, Complex<float>>;
  const int points = GetParam();
  const Line transform(points, Direction::inverse);
  test::Random random(33);
  WholeArray<Complex<float>> line(Box{{0, points}});
  fill_randomly(random, line);
  std::vector<Complex<float>> expected;
  for (const int dimension : {0, 1})
    for (const int shift : {0, 1, 3}) {
      const Box box = dimension == 0 ? Box{{0, points}, {0, 1}} : Box{{0, 1}, {0, points}};
      const std::int64_t pitch = dimension == 0 ? points : 5;
      std::vector<Complex<float>> in(static_cast<std::size_t>(points * pitch + 64)), out(in.size());
      ArrayReference from, to;
      from.origin = reinterpret_cast<std::byte*>(in.data() + shift);
      to.origin = reinterpret_cast<std::byte*>(out.data() + 2 * shift);
      from.strides[1] = to.strides[1] = pitch;
      const std::int64_t step = dimension == 0 ? 1 : pitch;
      for (int k = 0; k < points; ++k)
        in[static_cast<std::size_t>(shift + k * step)] = line.values[static_cast<std::size_t>(k)];
      transform(LibraryBlock<const Complex<float>>(from, box), LibraryBlock<Complex<float>>(to, box),
                dimension);
      std::vector<Complex<float>> found;
      for (int k = 0; k < points; ++k) found.push_back(out[static_cast<std::size_t>(2 * shift + k * step)]);
      if (expected.empty()) expected = found;
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof found[0]), 0)
          << dimension << shift;
    }
}

}  // namespace
