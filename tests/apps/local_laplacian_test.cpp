// SPDX-License-Identifier: BSD-3-Clause
// The local Laplacian filter against its definition, in double precision.
#include "apps/local_laplacian/stages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/case_runs.hpp"
#include "benchmarks/synthetic_image.hpp"

namespace {

using namespace tessera;

constexpr int width = 128, height = 64, levels = 8, curves = 8;

/// Half of a number, rounded down.
int half(int number) { return (number - (number & 1)) / 2; }

struct Span {
  int begin = 0;
  int end = 0;
};
Span hull(Span a, Span b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

/// A part of an image that has no end.
struct Part {
  Span x, y;
  std::vector<double> values;

  Part() = default;
  template <class Value>
  Part(Span along_x, Span along_y, const Value& value) : x(along_x), y(along_y) {
    for (int j = y.begin; j < y.end; ++j)
      for (int i = x.begin; i < x.end; ++i) values.push_back(value(i, j));
  }
  double operator()(int i, int j) const {
    return values.at(static_cast<std::size_t>((j - y.begin) * (x.end - x.begin) + i - x.begin));
  }
};

/// The points of each level along one dimension that the result is made of.
struct Needs {
  Span result[levels];
  Span pyramid[levels];

  explicit Needs(int extent) {
    result[0] = {0, extent};
    for (int j = 1; j < levels; ++j) result[j] = {half(result[j - 1].begin - 1), half(result[j - 1].end) + 1};
    pyramid[levels - 1] = result[levels - 1];
    for (int j = levels - 2; j >= 0; --j)
      pyramid[j] = hull(result[j], {2 * pyramid[j + 1].begin - 1, 2 * pyramid[j + 1].end + 1});
  }
};

float sample(int x, int y, int c) {
  return float(bench::synthetic_sample(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), c)) /
         65535.0f;
}
/// In single precision, as the definition has it: it chooses the entry of the table of details.
float gray(int x, int y) {
  return 0.299f * sample(x, y, 0) + 0.587f * sample(x, y, 1) + 0.114f * sample(x, y, 2);
}

/// The image remapped around intensity k / 7, with alpha = 1 / 7 and beta = 1.
double remapped(float intensity, int k) {
  const int step = std::clamp(int(intensity * float(curves - 1) * 256.0f), 0, (curves - 1) * 256);
  const double distance = (step - 256 * k) / 256.0;
  return double(intensity) + distance * std::exp(-distance * distance / 2) / (curves - 1);
}

class Reference {
 public:
  Reference() : x_(width), y_(height) {
    pyramids_.push_back(pyramid([](int x, int y) { return double(gray(x, y)); }));
    for (int k = 0; k < curves; ++k)
      pyramids_.push_back(pyramid([k](int x, int y) { return remapped(gray(x, y), k); }));
    for (int j = levels - 1; j >= 0; --j)
      result_ = Part(x_.result[j], y_.result[j], [&](int x, int y) {
        return j == levels - 1 ? detail(j, x, y) : detail(j, x, y) + up(result_, x, y);
      });
  }

  double colour(int x, int y, int c) const {
    const double value = result_(x, y) * (sample(x, y, c) + 0.01) / (gray(x, y) + 0.01);
    return std::floor(std::clamp(value, 0.0, 1.0) * 65535);
  }

 private:
  using Pyramid = std::vector<Part>;

  template <class Value>
  Pyramid pyramid(const Value& finest) const {
    Pyramid parts{Part(x_.pyramid[0], y_.pyramid[0], finest)};
    for (int j = 1; j < levels; ++j)
      parts.emplace_back(x_.pyramid[j], y_.pyramid[j], [&](int x, int y) {
        constexpr double weights[] = {0.125, 0.375, 0.375, 0.125};
        double sum = 0;
        for (int b = 0; b < 4; ++b)
          for (int a = 0; a < 4; ++a)
            sum += weights[a] * weights[b] * parts[std::size_t(j) - 1](2 * x - 1 + a, 2 * y - 1 + b);
        return sum;
      });
    return parts;
  }

  /// A point of the next finer level lies a quarter of a point from the middle of one, towards another.
  static double up(const Part& coarse, int x, int y) {
    const int i = half(x), other_i = half(x) + (x & 1 ? 1 : -1);
    const int j = half(y), other_j = half(y) + (y & 1 ? 1 : -1);
    return (9 * coarse(i, j) + 3 * coarse(other_i, j) + 3 * coarse(i, other_j) + coarse(other_i, other_j)) /
           16;
  }

  /// Returns the detail from the Laplacian pyramids of the two curves around the point's intensity.
  double detail(int j, int x, int y) const {
    const auto level = static_cast<std::size_t>(j);
    const double place = pyramids_[0][level](x, y) * (curves - 1);
    const int low = std::clamp(int(place), 0, curves - 2);
    const auto laplacian = [&](int k) {
      const Pyramid& parts = pyramids_[static_cast<std::size_t>(k) + 1];
      return parts[level](x, y) - (j == levels - 1 ? 0 : up(parts[level + 1], x, y));
    };
    return (low + 1 - place) * laplacian(low) + (place - low) * laplacian(low + 1);
  }

  Needs x_, y_;
  /// The pyramids of the image in grey, and then of the remapped ones.
  std::vector<Pyramid> pyramids_;
  Part result_;
};

/// The result for an image of T, whose samples are those of 8 bits times `factor`.
template <class T>
test::Result result_of(int factor) {
  const auto value = [factor](int x, int y, int c) {
    return static_cast<T>(factor * bench::synthetic<std::uint8_t>(x, y, c));
  };
  const bench::PipelineCase one{
      "local_laplacian", "", "local_laplacian",
      local_laplacian::make_pipeline<T>({{0, width}, {0, height}, {0, 3}}, {.levels = levels}),
      bench::filled<T>(value)};
  return test::run(one, test::schedule_of(one, "default"), 3, 2);
}

TEST(LocalLaplacian, TakesBytesAsItTakesWords) {
  const test::Result bytes = result_of<std::uint8_t>(1), words = result_of<std::uint16_t>(257);
  test::Differences differences{1};
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        differences.add(bytes.value({{x, y, c}}), std::floor(words.value({{x, y, c}}) / 257));
  EXPECT_EQ(bytes.type, ElementType::uint8);
  EXPECT_EQ(differences.samples, bytes.written);
  EXPECT_EQ(differences.beyond, 0);
}

TEST(LocalLaplacian, IsItsDefinition) {
  const Reference reference;
  const auto cases = test::cases_of("local_laplacian", {width, height});
  const test::Result result = test::run(cases[0], test::schedule_of(cases[0], "default"), 3, 2);
  test::Differences differences{1};
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) differences.add(result.value({{x, y, c}}), reference.colour(x, y, c));
  EXPECT_EQ(differences.samples, result.written);
  // Roundings may choose the neighbouring entry of the table of details.
  EXPECT_LE(double(differences.beyond), 0.001 * double(differences.samples));
  EXPECT_LE(differences.largest, 64);
}

}  // namespace
