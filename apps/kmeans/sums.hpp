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

  /// The number of windows: 0 if `most` are too few.
  int count = 0;
  /// The exponents of the units, in descending order.
  int unit[most] = {};
  /// The magic numbers of the windows: 1.5 * 2^(52 + unit). If |x| is at most 2^(51 + unit), the result of
  /// (x + magic) - magic is x, rounded to a multiple m of the unit. As integers, the bits of x + magic are
  /// the bits of magic plus m.
  double magic[most] = {};

  /// Makes the windows for sums of `points` numbers.
  static Windows of(const Exponents& exponents, std::int64_t points) {
    constexpr int lowest = std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits;
    const int width = std::min(51, 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points))));
    Windows windows;
    for (int next = exponents.top - width; windows.count < most; next -= width + 1) {
      next = std::max(next, lowest);
      windows.unit[windows.count] = next;
      windows.magic[windows.count++] = std::ldexp(1.5, 52 + next);
      if (next <= exponents.bottom) return windows;
    }
    return {};
  }
  /// Returns the greatest number of windows that sums of `points` numbers of type In may need.
  template <class In>
  static int most_of(std::int64_t points) {
    using Limits = std::numeric_limits<In>;
    if constexpr (std::is_integral_v<In>) return 1;
    const int count = of({Limits::max_exponent, Limits::min_exponent - Limits::digits}, points).count;
    return count > 0 ? count : +most;
  }
};

/// The exact sums of the points of each cluster as a partial value of a reduction. It consists of integers of
/// 64 bits: a number that the sums do not need, the number of all integers and the exponents of the
/// coordinates, then the numbers of points of the clusters, then their sums. A cluster has a sum for each
/// window and each coordinate, coordinates first.
class ClusterSums {
 public:
  /// The number of integers before the numbers of points.
  static constexpr int first_count = 4;

  /// Makes the sums that lie at `value`.
  ClusterSums(std::byte* value, int clusters, int dimensions, int windows)
      : clusters(clusters),
        dimensions(dimensions),
        numbers_(reinterpret_cast<std::int64_t*>(value)),
        windows_(windows) {}

  const int clusters;
  const int dimensions;

  /// The bytes of all sums.
  static std::int64_t bytes(std::int64_t clusters, std::int64_t dimensions, std::int64_t windows) {
    return (first_count + clusters + clusters * dimensions * windows) * 8;
  }

  /// Makes all sums and numbers 0.
  void clear() {
    const std::int64_t size = bytes(clusters, dimensions, windows_);
    std::memset(numbers_, 0, static_cast<std::size_t>(size));
    numbers_[1] = size / 8;
    set_exponents({std::numeric_limits<int>::lowest(), std::numeric_limits<int>::max()});
  }
  /// The number that the sums do not need. Those of several values are added.
  std::int64_t& further() { return numbers_[0]; }
  /// The exponents of the coordinates. Until there are points, they are those of no number.
  Exponents exponents() const { return {static_cast<int>(numbers_[2]), static_cast<int>(numbers_[3])}; }
  /// Sets the exponents of the coordinates.
  void set_exponents(const Exponents& exponents) {
    numbers_[2] = exponents.top;
    numbers_[3] = exponents.bottom;
  }
  /// Adds other sums.
  static void join(std::byte* into, const std::byte* other) {
    auto* const to = reinterpret_cast<std::int64_t*>(into);
    const auto* const from = reinterpret_cast<const std::int64_t*>(other);
    to[0] += from[0];
    to[2] = std::max(to[2], from[2]);
    to[3] = std::min(to[3], from[3]);
    for (std::int64_t i = first_count; i < to[1]; ++i) to[i] += from[i];
  }

  /// The number of points of a cluster.
  std::int64_t& count(int cluster) { return numbers_[first_count + cluster]; }
  /// The sums of a cluster in a window.
  std::int64_t* sums(int cluster, int window) {
    return numbers_ + first_count + clusters + (std::int64_t(cluster) * windows_ + window) * dimensions;
  }
  /// Returns the sum of a coordinate of the points of a cluster, rounded once.
  double sum(int cluster, int coordinate, const Windows& windows) {
    if (windows.count == 1)
      return std::ldexp(static_cast<double>(sums(cluster, 0)[coordinate]), windows.unit[0]);
    ExactSum<double> sum;
    for (int w = 0; w < windows.count; ++w) sum.add_scaled(sums(cluster, w)[coordinate], windows.unit[w]);
    return sum.value();
  }
  /// Writes the sums of the clusters `first` to end - 1, and their numbers of points, to their places in a
  /// list: it has the sums of all clusters, and then the numbers of their points.
  void round(const Windows& windows, int first, int end, double* list) {
    for (int k = first; k < end; ++k) {
      for (int j = 0; j < dimensions; ++j) list[std::int64_t(k) * dimensions + j] = sum(k, j, windows);
      list[std::int64_t(clusters) * dimensions + k] = static_cast<double>(count(k));
    }
  }

 private:
  std::int64_t* numbers_;
  int windows_;
};

/// Adds points to the sums of their clusters. The bits of a coordinate after the addition of a magic number
/// (see Windows) are added as they are, as an integer, and those of the magic numbers are subtracted at the
/// end, so that a coordinate costs two additions in a window. Sums of these bits may overflow, but not what
/// is left without the magic numbers.
template <class In>
class PointAdder {
 public:
  /// Prepares to add points to `sums`, or to take them away if `sign` is -1.
  PointAdder(ClusterSums& sums, const Windows& windows, int sign = 1)
      : sums_(sums), windows_(windows), sign_(sign) {}
  /// Adds what was collected to the sums.
  ~PointAdder() {
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k] == 0) continue;
      const auto cluster = static_cast<int>(k);
      sums_.count(cluster) += sign_ * counts_[k];
      const std::uint64_t* part = parts_of(cluster);
      for (int w = 0; w < windows_.count; ++w) {
        const std::uint64_t magics =
            static_cast<std::uint64_t>(counts_[k]) * std::bit_cast<std::uint64_t>(windows_.magic[w]);
        std::int64_t* const sums = sums_.sums(cluster, w);
        for (int j = 0; j < sums_.dimensions; ++j, ++part)
          sums[j] += sign_ * static_cast<std::int64_t>(*part - magics);
      }
    }
  }
  PointAdder(const PointAdder&) = delete;
  PointAdder& operator=(const PointAdder&) = delete;

  /// Adds `count` points of a row, from point `begin` on. labels[i] is the cluster of point begin + i.
  void add(const PointRow<In>& row, std::int64_t begin, int count, const std::int32_t* labels) {
    if (counts_.empty()) {
      counts_.resize(static_cast<std::size_t>(sums_.clusters));
      parts_.resize(counts_.size() * static_cast<std::size_t>(sums_.dimensions) *
                    static_cast<std::size_t>(windows_.count));
    }
    const PointRow<In> points = row.part(begin, count);
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      if (windows_.count == 1)
        add_parts<decltype(bytes)::value>(points, labels, std::integral_constant<int, 1>());
      else if (windows_.count == 2)
        add_parts<decltype(bytes)::value>(points, labels, std::integral_constant<int, 2>());
      else
        add_parts<decltype(bytes)::value>(points, labels, windows_.count);
    });
  }

 private:
  std::uint64_t* parts_of(int cluster) {
    return parts_.data() + std::int64_t(cluster) * sums_.dimensions * windows_.count;
  }
  template <int bytes, class Count>
  [[gnu::always_inline]] void add_parts(const PointRow<In>& points, const std::int32_t* labels,
                                        const Count windows) {
    constexpr int lanes = Vectors<double, bytes>::lanes;
    const int dimensions = sums_.dimensions;
    const int end = points.coordinate_stride == 1 ? dimensions / lanes * lanes : 0;
    double magic[Windows::most];
    std::copy_n(windows_.magic, Windows::most, magic);
    for (std::int64_t i = 0; i < points.count; ++i) {
      const In* const point = points.point(i);
      std::uint64_t* const parts = parts_of(labels[i]);
      for (int j = 0; j < end; j += lanes)
        add_coordinates<bytes>(point + j, parts + j, dimensions, magic, windows);
      for (int j = end; j < dimensions; ++j)
        add_coordinates<sizeof(double)>(point + j * points.coordinate_stride, parts + j, dimensions, magic,
                                        windows);
      ++counts_[static_cast<std::size_t>(labels[i])];
    }
  }
  /// Adds the coordinates of a vector of `bytes` bytes, whose parts in the first window are at `parts`.
  template <int bytes, class Count>
  [[gnu::always_inline]] static void add_coordinates(const In* coordinates, std::uint64_t* parts,
                                                     int dimensions, const double* magic,
                                                     const Count windows) {
    typename Vectors<double, bytes>::Numbers rest{};
    Vectors<double, bytes>::load(coordinates, rest);
    for (int w = 0; w < windows; ++w, parts += dimensions) {
      const auto shifted = rest + magic[w];
      rest -= shifted - magic[w];
      typename Vectors<std::uint64_t, bytes>::Numbers sum;
      std::memcpy(&sum, parts, sizeof sum);
      sum += (decltype(sum))shifted;
      std::memcpy(parts, &sum, sizeof sum);
    }
  }

  ClusterSums& sums_;
  Windows windows_;
  int sign_;
  /// The numbers of points that were collected for the clusters. There are none before the first point.
  std::vector<std::int64_t> counts_;
  /// The sums of their parts: for each cluster, those of each window, coordinates first.
  std::vector<std::uint64_t> parts_;
};

}  // namespace kmeans
