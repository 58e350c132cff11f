// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "points.hpp"
#include "tessera/view/exact_sum.hpp"
#include "vectors.hpp"

namespace kmeans {

/// The range of binary exponents of all coordinates: they are less than 2^top in magnitude, and multiples of
/// 2^bottom.
struct Exponents {
  int top = 0;
  int bottom = 0;
};

/// Fixed windows of bits in which sums of coordinates are exact. Each number is split into parts, one for
/// each window, which are integers times the unit of the window, 2^unit. The sum of as many such integers as
/// there are points fits into 64 bits, so that sums neither round nor depend on an order. See Demmel and
/// Nguyen, "Fast reproducible floating-point summation" (ARITH 2013).
struct Windows {
  /// The greatest number of windows.
  static constexpr int most = 10;

  /// All numbers are less than 2^top.
  int top = 0;
  /// The number of windows: 0 if `most` are too few.
  int count = 0;
  /// The exponents of the units, in descending order.
  int unit[most] = {};
  /// Whether `float` suffices to split numbers, and not only `double`.
  bool are_narrow = false;

  /// Makes the windows for sums of `points` numbers of type In.
  template <class In>
  static Windows of(const Exponents& exponents, std::int64_t points) {
    if constexpr (!std::is_same_v<In, double>) {
      // The magic numbers of PointAdder and the parts must be normal numbers.
      Windows narrow = of_width(exponents, std::numeric_limits<float>::digits - 2);
      narrow.are_narrow = narrow.count > 0 && narrow.count <= 3;
      if (narrow.are_narrow && narrow.unit[0] <= 103 && narrow.unit[narrow.count - 1] >= -125) return narrow;
    }
    const int points_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points)));
    return of_width(exponents, std::min(51, 62 - points_bits));
  }
  /// Returns the greatest number of windows that sums of `points` numbers of type In may need.
  template <class In>
  static int most_of(std::int64_t points) {
    using Limits = std::numeric_limits<In>;
    if constexpr (std::is_integral_v<In>) return 1;
    const int count = of<In>({Limits::max_exponent, Limits::min_exponent - Limits::digits}, points).count;
    return count > 0 ? count : +most;
  }

 private:
  /// Makes windows of `width` bits.
  static Windows of_width(const Exponents& exponents, int width) {
    constexpr int lowest = std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits;
    Windows windows{exponents.top};
    for (int next = exponents.top - width; windows.count < most; next -= width + 1) {
      next = std::max({next, lowest, exponents.bottom});
      windows.unit[windows.count++] = next;
      if (next <= exponents.bottom) return windows;
    }
    return {};
  }
};

/// The exact sums of the points of each cluster as a partial value of a reduction. It consists of integers of
/// 64 bits: a number for other uses, the number of all integers, the two exponents of the coordinates, then
/// the numbers of points of the clusters, then their sums. A cluster has a sum for each window and each
/// coordinate; the sums of a window lie beside each other.
struct ClusterSums {
  /// The number of integers before the numbers of points.
  static constexpr int first_count = 4;

  std::int64_t* numbers;
  int clusters;
  int dimensions;
  /// The number of windows that there is room for.
  int windows;

  /// The bytes of all sums.
  static std::int64_t bytes(std::int64_t clusters, std::int64_t dimensions, std::int64_t windows) {
    return (first_count + clusters + clusters * dimensions * windows) * 8;
  }

  /// Makes all sums and numbers 0.
  void clear() {
    const std::int64_t size = bytes(clusters, dimensions, windows) / 8;
    std::fill_n(numbers, size, 0);
    numbers[1] = size;
    set_exponents({std::numeric_limits<int>::lowest(), std::numeric_limits<int>::max()});
  }
  /// The number for other uses. `join` adds it.
  std::int64_t& extra() { return numbers[0]; }
  /// The exponents of the coordinates. After `clear`, top is less than bottom.
  Exponents exponents() const { return {static_cast<int>(numbers[2]), static_cast<int>(numbers[3])}; }
  /// Sets the exponents of the coordinates.
  void set_exponents(const Exponents& exponents) {
    numbers[2] = exponents.top;
    numbers[3] = exponents.bottom;
  }
  /// Adds the sums `other` to the sums `into`.
  static void join(std::byte* into, const std::byte* other) {
    auto* const to = reinterpret_cast<std::int64_t*>(into);
    const auto* const from = reinterpret_cast<const std::int64_t*>(other);
    to[0] += from[0];
    to[2] = std::max(to[2], from[2]);
    to[3] = std::min(to[3], from[3]);
    for (std::int64_t i = first_count; i < to[1]; ++i) to[i] += from[i];
  }

  /// The number of points of a cluster.
  std::int64_t& count(int cluster) { return numbers[first_count + cluster]; }
  /// The sums of a cluster in a window.
  std::int64_t* sums(int cluster, int window) {
    return numbers + first_count + clusters + (std::int64_t(cluster) * windows + window) * dimensions;
  }
  /// Returns the sum of a coordinate of the points of a cluster, rounded once.
  double sum(int cluster, int coordinate, const Windows& windows) {
    const int last = windows.unit[windows.count - 1];
    if (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count(cluster)))) + windows.top - last <
        63) {
      std::int64_t sum = 0;
      for (int w = 0; w < windows.count; ++w) sum += sums(cluster, w)[coordinate] << (windows.unit[w] - last);
      return std::ldexp(static_cast<double>(sum), last);
    }
    ExactSum<double> sum;
    for (int w = 0; w < windows.count; ++w) sum.add_scaled(sums(cluster, w)[coordinate], windows.unit[w]);
    return sum.value();
  }
  /// Writes the rounded sums of the clusters `first` to end - 1, and their numbers of points, to their places
  /// in `list`, which has the sums of all clusters, and then their numbers of points.
  void round(const Windows& windows, int first, int end, double* list) {
    for (int k = first; k < end; ++k) {
      for (int j = 0; j < dimensions; ++j) list[std::int64_t(k) * dimensions + j] = sum(k, j, windows);
      list[std::int64_t(clusters) * dimensions + k] = static_cast<double>(count(k));
    }
  }
};

/// Adds points to the sums of their clusters. Coordinates are split into parts by magic numbers of 1.5 *
/// 2^(digits - 1 + unit): if |x| is at most 2^(digits - 2 + unit), then (x + magic) - magic is x, rounded to
/// a multiple m of the unit, and the bits of x + magic as an integer are those of magic plus m. These bits
/// are added as they are, and those of the magic numbers are subtracted at the end, so that a coordinate
/// costs two additions in a window. In narrow windows, the integers have 32 bits, which takes less time. They
/// are passed on to the sums of 64 bits before they overflow. Integer coordinates need no magic numbers.
template <class In>
class PointAdder {
 public:
  /// Prepares to add points to `sums`, or to take them away if `sign` is -1.
  PointAdder(ClusterSums& sums, const Windows& windows, int sign = 1)
      : sums_(sums), windows_(windows), sign_(sign) {
    const int digits =
        windows.are_narrow ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits;
    for (int w = 0; w < windows.count; ++w) magic_[w] = std::ldexp(1.5, digits - 1 + windows.unit[w]);
    if (windows.are_narrow) most_points_ = (std::int64_t(1) << (31 - windows.top + windows.unit[0])) - 1;
    const int bytes = (sums.dimensions * windows.count + 1) * (windows.are_narrow ? 4 : 8);
    lines_each_ = (bytes + static_cast<int>(sizeof(Line)) - 1) / static_cast<int>(sizeof(Line));
  }
  /// Adds what was collected to the sums.
  ~PointAdder() {
    for (int k = 0; k < sums_.clusters && !parts_.empty(); ++k)
      windows_.are_narrow ? pass_on<Narrow>(k) : pass_on<double>(k);
  }
  PointAdder(const PointAdder&) = delete;
  PointAdder& operator=(const PointAdder&) = delete;

  /// Adds `count` points of a row, from point `begin` on. labels[i] is the cluster of point begin + i. Points
  /// with negative labels are left out.
  void add(const PointRow<In>& row, std::int64_t begin, int count, const std::int32_t* labels) {
    if (parts_.empty())
      parts_.resize(static_cast<std::size_t>(sums_.clusters) * static_cast<std::size_t>(lines_each_));
    const PointRow<In> points = row.part(begin, count);
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      constexpr int size = decltype(bytes)::value;
      // Compilers unroll the loops over windows and channels if their numbers are constants.
      if constexpr (has_integers)
        sums_.dimensions == 3 ? add_parts<Narrow, size, 1, 3>(points, labels)
                              : add_parts<Narrow, size, 1>(points, labels);
      else if (!windows_.are_narrow)
        add_parts<double, size>(points, labels);
      else
        windows_.count == 1   ? add_parts<Narrow, size, 1>(points, labels)
        : windows_.count == 2 ? add_parts<Narrow, size, 2>(points, labels)
                              : add_parts<Narrow, size, 3>(points, labels);
    });
  }

 private:
  static constexpr bool has_integers = std::is_integral_v<In>;
  using Narrow = std::conditional_t<std::is_same_v<In, double>, double, float>;
  /// Integers that have the bits of numbers of type T.
  template <class T>
  using Part = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  /// Adds the parts of points, which are split as numbers of type T in vectors of `bytes` bytes. If they are
  /// not 0, `windows_known` and `dimensions_known` are the numbers of windows and dimensions.
  template <class T, int bytes, int windows_known = 0, int dimensions_known = 0>
  [[gnu::always_inline]] void add_parts(const PointRow<In>& points, const std::int32_t* labels) {
    using V = Vectors<T, bytes>;
    const int windows = windows_known > 0 ? windows_known : windows_.count;
    const int dimensions = dimensions_known > 0 ? dimensions_known : sums_.dimensions;
    const int end = points.coordinate_stride == 1 && !has_integers ? dimensions / V::lanes * V::lanes : 0;
    T magic[Windows::most];
    for (int w = 0; w < windows; ++w) magic[w] = static_cast<T>(magic_[w]);
    Line* const all = parts_.data();
    const std::int64_t lines_each = lines_each_;
    const auto most_points = static_cast<Part<T>>(most_points_);
    for (std::int64_t i = 0; i < points.count; ++i) {
      const std::int32_t label = labels[i];
      if (label < 0) continue;
      const In* const point = points.point(i);
      auto* const parts = reinterpret_cast<Part<T>*>(all + label * lines_each);
      for (int j = 0; j < end; j += V::lanes) {
        typename V::Numbers numbers{};
        V::load(point + j, numbers);
        split<typename Vectors<Part<T>, bytes>::Numbers>(numbers, parts + j, dimensions, magic, windows);
      }
      for (int j = end; j < dimensions; ++j) {
        const In coordinate = point[j * points.coordinate_stride];
        if constexpr (has_integers)
          parts[j] += coordinate;
        else
          split<Part<T>>(static_cast<T>(coordinate), parts + j, dimensions, magic, windows);
      }
      if (++parts[dimensions * windows] == most_points) pass_on<T>(label);
    }
  }
  /// Adds the parts of the number or vector `rest`. The sum of the first window is at `parts`.
  template <class Integers, class T, class Numbers>
  [[gnu::always_inline]] static void split(Numbers rest, Part<T>* parts, int dimensions, const T* magic,
                                           int windows) {
    for (int w = 0; w < windows; ++w, parts += dimensions) {
      const Numbers shifted = rest + magic[w];
      rest -= shifted - magic[w];
      Integers sum, part;
      std::memcpy(&sum, parts, sizeof sum);
      std::memcpy(&part, &shifted, sizeof part);
      sum += part;
      std::memcpy(parts, &sum, sizeof sum);
    }
  }
  /// Adds what was collected for a cluster to its sums, and begins anew.
  template <class T>
  [[gnu::noinline]] void pass_on(int cluster) {
    auto* part = reinterpret_cast<Part<T>*>(parts_.data() + std::int64_t(cluster) * lines_each_);
    Part<T>& count = part[sums_.dimensions * windows_.count];
    for (int w = 0; w < windows_.count; ++w) {
      const auto magic = has_integers ? 0 : std::bit_cast<Part<T>>(static_cast<T>(magic_[w]));
      const auto magics = static_cast<Part<T>>(count * magic);
      std::int64_t* const sums = sums_.sums(cluster, w);
      for (int j = 0; j < sums_.dimensions; ++j, ++part) {
        sums[j] += sign_ * std::int64_t(static_cast<std::make_signed_t<Part<T>>>(*part - magics));
        *part = 0;
      }
    }
    sums_.count(cluster) += sign_ * static_cast<std::int64_t>(count);
    count = 0;
  }

  ClusterSums& sums_;
  Windows windows_;
  int sign_;
  double magic_[Windows::most] = {};
  /// The parts of a cluster are passed on when it has this number of points.
  std::int64_t most_points_ = std::numeric_limits<std::int64_t>::max();
  /// For each cluster, the sums of parts, a window after the other, and the number of points.
  std::vector<Line> parts_;
  /// The number of lines in `parts_` of each cluster.
  int lines_each_ = 0;
};

}  // namespace kmeans
