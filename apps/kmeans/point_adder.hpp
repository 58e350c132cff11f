// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "cluster_sums.hpp"
#include "narrow_adder.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "windows.hpp"

namespace kmeans {

/// Adds points to the sums of their clusters. The bits of numbers after the addition of a magic number (see
/// Windows) are added as they are, and those of the magic numbers are subtracted at the end, so that a
/// coordinate costs two additions. Where `float` suffices, a NarrowAdder adds them.
template <class In>
class PointAdder {
 public:
  /// Prepares to add points to `sums`.
  PointAdder(ClusterSums& sums, int clusters, int dimensions, const Windows& windows)
      : sums_(sums), dimensions_(dimensions), windows_(windows), before_(static_cast<std::size_t>(clusters)) {
    if constexpr (fits_float) {
      const NarrowWindows narrow = NarrowWindows::of(sums.exponents(), windows);
      if (narrow.count > 0) narrow_.emplace(sums, clusters, dimensions, windows, narrow);
    }
    for (int k = 0; k < clusters; ++k) before_[static_cast<std::size_t>(k)] = sums.count(k);
  }
  ~PointAdder() {
    // The sums that a NarrowAdder adds have no bits of magic numbers.
    if (narrow_) return;
    for (std::size_t k = 0; k < before_.size(); ++k) {
      const auto cluster = static_cast<int>(k);
      const auto added = static_cast<std::uint64_t>(sums_.count(cluster) - before_[k]);
      if (added == 0) continue;
      std::int64_t* part = sums_.sums(cluster);
      for (int w = 0; w < windows_.count; ++w)
        for (int j = 0; j < dimensions_; ++j, ++part)
          *part = static_cast<std::int64_t>(static_cast<std::uint64_t>(*part) -
                                            added * std::bit_cast<std::uint64_t>(windows_.magic[w]));
    }
  }
  PointAdder(const PointAdder&) = delete;
  PointAdder& operator=(const PointAdder&) = delete;

  /// The bytes of an adder, but for small parts.
  static std::int64_t bytes(int clusters, int dimensions) {
    return std::int64_t(clusters) * std::int64_t(sizeof(std::int64_t)) +
           (fits_float ? NarrowAdder<In>::bytes(clusters, dimensions) : 0);
  }

  /// Adds `count` points of a row, from point `begin` on. labels[i] is the cluster of point begin + i.
  void add(const PointRow<In>& row, std::int64_t begin, int count, const std::int32_t* labels) {
    const PointRow<In> points{row.point(begin), row.point_stride, row.coordinate_stride, count, 0};
    if (narrow_) return narrow_->add(points, labels);
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      if (windows_.count == 1 && points.coordinate_stride == 1)
        add_in_one_window(points, labels);
      else
        add_in_windows(points, labels);
    });
  }

 private:
  /// Whether `float` can hold all numbers of the type.
  static constexpr bool fits_float = std::is_same_v<In, float> || sizeof(In) <= 2;

  [[gnu::always_inline]] void add_in_one_window(const PointRow<In>& points, const std::int32_t* labels) {
    const double magic = windows_.magic[0];
    for (std::int64_t i = 0; i < points.count; ++i) {
      const In* const point = points.point(i);
      std::int64_t* const sums = sums_.sums(labels[i]);
      ++sums_.count(labels[i]);
      TESSERA_VECTORISED
      for (int j = 0; j < dimensions_; ++j) sums[j] = plus(sums[j], static_cast<double>(point[j]) + magic);
    }
  }
  [[gnu::always_inline]] void add_in_windows(const PointRow<In>& points, const std::int32_t* labels) {
    for (std::int64_t i = 0; i < points.count; ++i) {
      const In* const point = points.point(i);
      std::int64_t* const sums = sums_.sums(labels[i]);
      ++sums_.count(labels[i]);
      TESSERA_VECTORISED
      for (int j = 0; j < dimensions_; ++j) {
        double rest = static_cast<double>(point[j * points.coordinate_stride]);
        for (int w = 0; w < windows_.count; ++w) {
          const double shifted = rest + windows_.magic[w];
          rest -= shifted - windows_.magic[w];
          std::int64_t& sum = sums[w * dimensions_ + j];
          sum = plus(sum, shifted);
        }
      }
    }
  }
  [[gnu::always_inline]] static std::int64_t plus(std::int64_t sum, double shifted) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + std::bit_cast<std::uint64_t>(shifted));
  }

  ClusterSums& sums_;
  int dimensions_;
  const Windows& windows_;
  /// The numbers of points of the clusters before the first addition.
  std::vector<std::int64_t> before_;
  std::optional<NarrowAdder<In>> narrow_;
};

}  // namespace kmeans
