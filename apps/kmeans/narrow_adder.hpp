// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aligned_numbers.hpp"
#include "cluster_sums.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "unrolled.hpp"
#include "vectors.hpp"
#include "windows.hpp"

namespace kmeans {

/// At most two windows of `bits` bits, in which `float` adds without rounding (see Windows). Together they
/// are as exact as one window of Windows.
struct NarrowWindows {
  /// The bits of a window, but for the sign.
  static constexpr int bits = 22;

  /// The number of windows: 0 if two are too few.
  int count = 0;
  /// The exponents of the units.
  int unit[2] = {};
  /// The magic numbers: 1.5 * 2^(23 + unit).
  float magic[2] = {};
  /// The greatest number of coordinates whose parts in a window may be added in 32 bits.
  int most_points = 0;

  /// Returns windows for coordinates which have these exponents and are added to `wide` windows in the end.
  static NarrowWindows of(const Exponents& exponents, const Windows& wide) {
    NarrowWindows windows;
    if (wide.count != 1) return windows;
    const int range = std::min(+bits, exponents.top - std::max(exponents.bottom, wide.unit[0]));
    windows.most_points = static_cast<int>((std::int64_t(1) << (31 - range)) - 1);
    int unit = exponents.top - range;
    while (windows.count < 2) {
      unit = std::max(unit, wide.unit[0]);
      // The magic number and the parts must be normal numbers.
      if (unit < -125 || unit + 24 > 127) break;
      windows.unit[windows.count] = unit;
      windows.magic[windows.count++] = std::ldexp(1.5F, 23 + unit);
      if (unit <= exponents.bottom) return windows;
      unit -= bits + 1;
    }
    windows.count = 0;
    return windows;
  }
};

/// Adds points to the sums of their clusters, whose coordinates `float` can hold. Parts of coordinates are
/// added in 32 bits, which takes less time than in 64 bits, and the sums of a cluster are passed on before
/// they overflow. Sums of the bits of magic numbers may overflow, but not what is left without them.
template <class In>
class NarrowAdder {
 public:
  /// Prepares to add points to `sums`. There must be windows.
  NarrowAdder(ClusterSums& sums, int clusters, int dimensions, const Windows& wide,
              const NarrowWindows& windows)
      : sums_(sums),
        dimensions_(dimensions),
        windows_(windows),
        counts_(static_cast<std::size_t>(clusters)),
        parts_(std::int64_t(clusters) * dimensions * windows.count) {
    for (int w = 0; w < windows.count; ++w) shift_[w] = windows.unit[w] - wide.unit[0];
    std::fill_n(parts_.data(), std::int64_t(clusters) * dimensions * windows.count, 0U);
  }
  ~NarrowAdder() {
    for (std::size_t k = 0; k < counts_.size(); ++k)
      if (counts_[k] > 0) pass_on(static_cast<int>(k));
  }
  NarrowAdder(const NarrowAdder&) = delete;
  NarrowAdder& operator=(const NarrowAdder&) = delete;

  /// The bytes of an adder, but for small parts.
  static std::int64_t bytes(int clusters, int dimensions) {
    return std::int64_t(clusters) * (2 * dimensions + 1) * std::int64_t(sizeof(std::uint32_t));
  }

  /// Adds points. labels[i] is the cluster of point i.
  void add(const PointRow<In>& points, const std::int32_t* labels) {
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      if (windows_.count == 1)
        add_parts<decltype(bytes)::value, 1>(points, labels);
      else
        add_parts<decltype(bytes)::value, 2>(points, labels);
    });
  }

 private:
  template <int bytes, int count>
  [[gnu::always_inline]] void add_parts(const PointRow<In>& points, const std::int32_t* labels) {
    using Numbers = typename Vectors<float, bytes>::Numbers;
    using Parts = typename Vectors<std::uint32_t, bytes>::Numbers;
    constexpr int lanes = Vectors<float, bytes>::lanes;
    const int dimensions = dimensions_;
    const int end = points.coordinate_stride == 1 ? dimensions / lanes * lanes : 0;
    const float magic[2] = {windows_.magic[0], windows_.magic[1]};
    for (std::int64_t i = 0; i < points.count; ++i) {
      const In* const point = points.point(i);
      std::uint32_t* const parts = parts_of(labels[i]);
      for (int j = 0; j < end; j += lanes) {
        Numbers rest;
        Vectors<float, bytes>::load(point + j, rest);
        KMEANS_UNROLLED
        for (int w = 0; w < count; ++w) {
          const Numbers shifted = rest + magic[w];
          rest -= shifted - magic[w];
          std::uint32_t* const place = parts + w * dimensions + j;
          Parts sum;
          std::memcpy(&sum, place, sizeof sum);
          sum += (Parts)shifted;
          std::memcpy(place, &sum, sizeof sum);
        }
      }
      for (int j = end; j < dimensions; ++j) {
        auto rest = static_cast<float>(point[j * points.coordinate_stride]);
        for (int w = 0; w < count; ++w) {
          const float shifted = rest + magic[w];
          rest -= shifted - magic[w];
          parts[w * dimensions + j] += std::bit_cast<std::uint32_t>(shifted);
        }
      }
      if (++counts_[static_cast<std::size_t>(labels[i])] == windows_.most_points) pass_on(labels[i]);
    }
  }
  std::uint32_t* parts_of(int cluster) {
    return parts_.data() + std::int64_t(cluster) * dimensions_ * windows_.count;
  }
  /// Adds what was collected for a cluster to its sums, and begins anew.
  [[gnu::noinline]] void pass_on(int cluster) {
    int& count = counts_[static_cast<std::size_t>(cluster)];
    std::uint32_t* part = parts_of(cluster);
    std::int64_t* const sums = sums_.sums(cluster);
    for (int w = 0; w < windows_.count; ++w) {
      const std::uint32_t magics =
          static_cast<std::uint32_t>(count) * std::bit_cast<std::uint32_t>(windows_.magic[w]);
      for (int j = 0; j < dimensions_; ++j, ++part) {
        sums[j] += std::int64_t(static_cast<std::int32_t>(*part - magics)) * (std::int64_t(1) << shift_[w]);
        *part = 0;
      }
    }
    sums_.count(cluster) += count;
    count = 0;
  }

  ClusterSums& sums_;
  int dimensions_;
  NarrowWindows windows_;
  int shift_[2] = {};
  /// The numbers of points that were collected for the clusters.
  std::vector<int> counts_;
  /// The sums of their parts: for each cluster, those of each window, coordinates first.
  AlignedNumbers<std::uint32_t> parts_;
};

}  // namespace kmeans
