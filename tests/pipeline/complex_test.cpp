// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers in stage bodies: values and footprints.
#include <gtest/gtest.h>

#include <complex>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::for_each_point;
using test::Point;
using test::WholeArray;
template <class T>
using Complex = Kokkos::complex<T>;

/// Every operation on complex numbers, with neighbours along both dimensions.
template <class T>
struct Mixed {
  Complex<T> weight;

  template <class In, class Real, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const In& in, const Real& real_input, X x, Y y) const {
    auto sum = in.zero();
    sum += in(x - 1, y) * weight;
    sum += tessera::conj(in(x, y + 2)) - real_input(x, y) * in(x, y);
    sum -= -in(x, y) / T(3);
    sum *= tessera::complex(real_input(x, y), tessera::imag(in(x, y)));
    const auto larger = select(tessera::norm(in(x, y)) < tessera::norm(sum), sum, in(x, y) + T(1));
    return larger + tessera::complex(tessera::abs(sum), tessera::real(sum) * T(2));
  }
};

template <class T>
std::complex<T> mixed(const WholeArray<Complex<T>>& in, const WholeArray<T>& real_input,
                      std::complex<T> weight, Point p) {
  const auto at = [&](std::int64_t dx, std::int64_t dy) {
    Point q = p;
    q[0] += dx;
    q[1] += dy;
    const Complex<T> value = in.clamped(q);
    return std::complex<T>(value.real(), value.imag());
  };
  const T r = real_input.clamped(p);
  std::complex<T> sum = at(-1, 0) * weight + std::conj(at(0, 2)) - r * at(0, 0) + at(0, 0) / T(3);
  sum *= std::complex<T>(r, at(0, 0).imag());
  const std::complex<T> larger = std::norm(at(0, 0)) < std::norm(sum) ? sum : at(0, 0) + T(1);
  return larger + std::complex<T>(std::abs(sum), sum.real() * T(2));
}

template <class T>
void expect_mixed(std::uint64_t seed) {
  test::Random random(seed);
  const Box box{{0, 23}, {0, 17}};
  WholeArray<Complex<T>> image(box);
  WholeArray<T> factors(box);
  for (auto& value : image.values)
    value = Complex<T>(static_cast<T>(random.real(-2, 2)), static_cast<T>(random.real(-2, 2)));
  for (auto& value : factors.values) value = static_cast<T>(random.real(-2, 2));
  const Complex<T> weight(T(0.5), T(-1.25));

  Pipeline pipeline;
  const auto in = pipeline.input<Complex<T>, 2>("input", box, Boundary::clamp);
  const auto real_input = pipeline.input<T, 2>("factors", box, Boundary::clamp);
  const auto stage = pipeline.stage<Complex<T>>("mixed", Mixed<T>{weight}, in, real_input);
  pipeline.output(stage, box);
  EXPECT_EQ(pipeline[stage.id].type, element_type_of<Complex<T>>());
  Box needs[2];
  pipeline[stage.id].kernel->required({{4, 5}, {6, 7}}, needs);
  EXPECT_EQ(to_string(needs[0]), to_string(Box{{3, 5}, {6, 9}}));
  EXPECT_EQ(to_string(needs[1]), to_string(Box{{4, 5}, {6, 7}}));

  WholeArray<Complex<T>> first;
  for (const int ranks : {1, 2, 5, 16}) {
    test::ArraySource<Complex<T>> source(image);
    test::ArraySource<T> factor_source(factors);
    test::ArraySink<Complex<T>> sink(box);
    Rehearsal(pipeline, make_plans(pipeline, test::random_schedule(random, pipeline), {}, ranks))
        .run({{{"input", &source}, {"factors", &factor_source}}, {{"mixed", &sink}}});
    if (ranks == 1) first = sink.array;
    EXPECT_TRUE(sink.every_point_written_once());
    EXPECT_TRUE(sink.array.same_bits(first)) << ranks;
  }
  for_each_point(box, [&](const Point& p) {
    const std::complex<T> expected = mixed<T>(image, factors, {weight.real(), weight.imag()}, p);
    const std::complex<T> found(first.at(p).real(), first.at(p).imag());
    EXPECT_LE(std::abs(found - expected), 100 * std::numeric_limits<T>::epsilon() * (1 + std::abs(expected)));
  });
}

TEST(ComplexBodies, EveryOperationOfFloat) { expect_mixed<float>(1); }
TEST(ComplexBodies, EveryOperationOfDouble) { expect_mixed<double>(2); }

/// The running sum of a line.
struct RunningSum {
  template <class L, class In, class X>
  KOKKOS_FUNCTION void operator()(L& line, const In& in, X x) const {
    line.each([&](auto y) { return in(x, y) * 2.0F; });
    auto sum = line.zero();
    for (int y = 0; y < line.extent(); ++y) {
      sum += line(y);
      line(y) = sum;
    }
  }
};

TEST(ComplexBodies, LinesOfColumnStages) {
  const Box box{{0, 6}, {0, 5}};
  WholeArray<Complex<float>> image(box);
  for_each_point(box, [&](const Point& p) {
    image.at(p) = Complex<float>(static_cast<float>(p[0]), static_cast<float>(p[1]));
  });
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<float>, 2>("input", box);
  pipeline.output(pipeline.columns<Complex<float>, 2, 1>("sums", RunningSum(), 5, in), box);
  test::ArraySource<Complex<float>> source(image);
  test::ArraySink<Complex<float>> sink(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 3)).run({{{"input", &source}}, {{"sums", &sink}}});
  for_each_point(box, [&](const Point& p) {
    EXPECT_EQ(sink.array.at(p).real(), static_cast<float>(2 * p[0] * (p[1] + 1)));
    EXPECT_EQ(sink.array.at(p).imag(), static_cast<float>(p[1] * (p[1] + 1)));
  });
}

/// Reads where a complex number says: within the bounds of a clamp.
struct Pointed {
  template <class In, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y) const {
    const auto there = clamp(cast<int>(tessera::real(in(x, y))), -2, 3);
    return in(x + there, y);
  }
};

TEST(ComplexBodies, PartsMayBeIndices) {
  Pipeline pipeline;
  const auto in = pipeline.input<Complex<double>, 2>("input", {{0, 20}, {0, 20}}, Boundary::clamp);
  const auto stage = pipeline.stage<Complex<double>>("pointed", Pointed(), in);
  Box need;
  pipeline[stage.id].kernel->required({{10, 11}, {6, 7}}, &need);
  EXPECT_EQ(to_string(need), to_string(Box{{8, 14}, {6, 7}}));
}

}  // namespace
