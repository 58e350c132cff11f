// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <vector>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {

template <class T>
using Complex = Kokkos::complex<T>;
using Wide = std::complex<long double>;

template <class T>
void fill_randomly(Random& random, WholeArray<T>& array) {
  for (T& value : array.values) {
    if constexpr (ComplexNumber<T>) {
      using Part = typename T::value_type;
      value = T(static_cast<Part>(random.real(-1, 1)), static_cast<Part>(random.real(-1, 1)));
    } else {
      value = static_cast<T>(random.real(-1, 1));
    }
  }
}

/// The plain sum of a transform along one dimension, without division; sign -1 is forward.
inline WholeArray<Wide> plain_lines(const WholeArray<Wide>& in, int dimension, int sign) {
  const std::int64_t n = in.box[dimension].size();
  std::vector<Wide> roots;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle = sign * 2 * 3.141592653589793238462643383279502884L *
                              static_cast<long double>(k) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  std::int64_t stride = 1;
  for (int d = 0; d < dimension; ++d) stride *= in.box[d].size();
  WholeArray<Wide> out(in.box);
  Box starts = in.box;
  starts[dimension] = {0, 1};
  for_each_point(starts, [&](const Point& p) {
    const auto first = static_cast<std::int64_t>(dense_index(in.box, p));
    for (std::int64_t k = 0; k < n; ++k) {
      Wide sum = 0;
      for (std::int64_t j = 0; j < n; ++j)
        sum += in.values[static_cast<std::size_t>(first + j * stride)] *
               roots[static_cast<std::size_t>(j * k % n)];
      out.values[static_cast<std::size_t>(first + k * stride)] = sum;
    }
  });
  return out;
}

/// The plain transform along the first `transformed` dimensions.
inline WholeArray<Wide> plain_dft(WholeArray<Wide> array, int transformed, int sign) {
  for (int d = 0; d < transformed; ++d) array = plain_lines(array, d, sign);
  return array;
}

template <class T>
Wide wide(const T& value) {
  if constexpr (ComplexNumber<T>)
    return {value.real(), value.imag()};
  else
    return value;
}
template <class T>
WholeArray<Wide> wide(const WholeArray<T>& array) {
  WholeArray<Wide> result(array.box);
  for (std::size_t k = 0; k < array.values.size(); ++k) result.values[k] = wide(array.values[k]);
  return result;
}

/// The root of the mean of the squares.
inline long double magnitude(const WholeArray<Wide>& array) {
  long double sum = 0;
  for (const Wide& value : array.values) sum += std::norm(value);
  return std::sqrt(sum / static_cast<long double>(array.values.size()));
}

/// The greatest difference of points that both arrays have, in units of the rounding errors of T of the
/// expected values, and of the logarithm of the number of points that each value sums.
template <class T, class Found>
double error_of(const WholeArray<Found>& found, const WholeArray<Wide>& expected, std::int64_t points) {
  long double worst = 0;
  for_each_point(found.box, [&](const Point& p) {
    worst = std::max(worst, std::abs(wide(found.at(p)) - expected.at(p)));
  });
  const long double unit = std::numeric_limits<T>::epsilon() * std::max(magnitude(expected), 1e-30L) *
                           (1 + std::log2(static_cast<long double>(points)));
  return static_cast<double>(worst / unit);
}

/// Runs a pipeline of the input `input` and the output `output` on virtual ranks.
template <class Out, class In>
WholeArray<Out> rehearsed(const Algorithm& pipeline, const WholeArray<In>& image, const std::string& output,
                          int ranks = 1, const Schedule& schedule = {}, const Target& target = {}) {
  ArraySource<In> source(image);
  ArraySink<Out> sink(pipeline[pipeline.find(output)].domain);
  Rehearsal(pipeline, make_plans(pipeline, schedule, target, ranks))
      .run({{{"input", &source}}, {{output, &sink}}});
  return sink.array;
}

}  // namespace tessera::test
