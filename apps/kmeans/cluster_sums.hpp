// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tessera/view/exact_sum.hpp"
#include "windows.hpp"

namespace kmeans {

/// The exact sums of the points of each cluster, and their numbers, as a partial value of a reduction:
/// integers of 64 bits, one after the other. First come the number of all integers and the exponents of the
/// coordinates, then the numbers of points of the clusters, then the sums. A cluster has a sum for each
/// window and each coordinate, coordinates first.
class ClusterSums {
 public:
  /// The number of integers before the numbers of points.
  static constexpr int first_count = 3;

  /// Makes the sums that lie at `value`.
  ClusterSums(std::byte* value, int clusters, int dimensions, int windows)
      : numbers_(reinterpret_cast<std::int64_t*>(value)),
        clusters_(clusters),
        dimensions_(dimensions),
        windows_(windows) {}

  /// The bytes of all sums.
  static std::int64_t bytes(std::int64_t clusters, std::int64_t dimensions, std::int64_t windows) {
    return (first_count + clusters + clusters * dimensions * windows) *
           static_cast<std::int64_t>(sizeof(std::int64_t));
  }

  /// Makes all sums and numbers 0.
  void clear() {
    const std::int64_t size = bytes(clusters_, dimensions_, windows_);
    std::memset(numbers_, 0, static_cast<std::size_t>(size));
    numbers_[0] = size / static_cast<std::int64_t>(sizeof(std::int64_t));
    set_exponents({std::numeric_limits<int>::lowest(), std::numeric_limits<int>::max()});
  }
  /// The exponents of the coordinates. Until there are points, they are those of no number.
  Exponents exponents() const { return {static_cast<int>(numbers_[1]), static_cast<int>(numbers_[2])}; }
  /// Sets the exponents of the coordinates.
  void set_exponents(const Exponents& exponents) {
    numbers_[1] = exponents.top;
    numbers_[2] = exponents.bottom;
  }
  /// Adds other sums.
  static void join(std::byte* into, const std::byte* other) {
    auto* const to = reinterpret_cast<std::int64_t*>(into);
    const auto* const from = reinterpret_cast<const std::int64_t*>(other);
    to[1] = std::max(to[1], from[1]);
    to[2] = std::min(to[2], from[2]);
    for (std::int64_t i = first_count; i < to[0]; ++i) to[i] += from[i];
  }

  /// The number of points of a cluster.
  std::int64_t& count(int cluster) { return numbers_[first_count + cluster]; }
  /// The sums of a cluster.
  std::int64_t* sums(int cluster) {
    return numbers_ + first_count + clusters_ + std::int64_t(cluster) * dimensions_ * windows_;
  }

  /// Returns the sum of a coordinate of the points of a cluster, rounded once.
  double sum(int cluster, int coordinate, const Windows& windows) {
    const std::int64_t* const parts = sums(cluster) + coordinate;
    if (windows.count == 1) return std::ldexp(static_cast<double>(parts[0]), windows.unit[0]);
    tessera::ExactSum<double> sum;
    for (int w = 0; w < windows.count; ++w)
      sum.add_scaled(parts[std::int64_t(w) * dimensions_], windows.unit[w]);
    return sum.value();
  }

 private:
  std::int64_t* numbers_;
  int clusters_;
  int dimensions_;
  int windows_;
};

}  // namespace kmeans
