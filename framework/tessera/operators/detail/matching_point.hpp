// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/operators/block_matching.hpp"
#include "tessera/operators/detail/matching_task.hpp"
#include "tessera/view/compat.hpp"

namespace tessera::operators::detail {

/// A kernel that computes single points of a block matching of images of T, for devices.
template <class T>
class MatchingPoint {
 public:
  /// The points that are computed.
  Box units;

  MatchingPoint(const MatchingTask& task, const MatchingArrays& arrays, const Box& box)
      : units(box),
        image_(task.image),
        channels_(task.channels),
        matches_(task.images()),
        direction_(task.is_leftward ? -1 : 1),
        is_absolute_(task.is_absolute),
        reach_(task.reach),
        candidates_(task.candidates),
        winners_(task.winners),
        reference_(arrays.reference),
        disparity_(arrays.disparity) {
    for (int i = 0; i < matches_; ++i) {
      match_[i] = arrays.matches[i];
      baselines_[i] = task.baselines[static_cast<std::size_t>(i)];
    }
    for (int e = 0; e < 4; ++e) errors_[e] = arrays.errors[e];
  }

  /// Computes the point at `p`.
  KOKKOS_FUNCTION void compute(const int* p) const {
    int best = static_cast<int>(winners_.begin);
    std::int64_t least = error(p[0], p[1], best);
    for (int d = best + 1; d < winners_.end; ++d) {
      const std::int64_t next = error(p[0], p[1], d);
      if (next >= least) continue;
      least = next;
      best = d;
    }
    at<std::uint8_t>(disparity_, p) = static_cast<std::uint8_t>(best);
    for (int e = 0; e < 3; ++e) {
      if (errors_[e].origin == nullptr) continue;
      const int d = e == 0 ? best : e == 1 ? best - 1 : best + 1;
      at<std::int64_t>(errors_[e], p) = candidates_.contains(d) ? error(p[0], p[1], d) : 0;
    }
    if (errors_[3].origin != nullptr) at<std::int64_t>(errors_[3], p) = error_of_rival(p, best);
  }

 private:
  template <class Value>
  KOKKOS_FUNCTION static Value& at(const ArrayReference& array, const int* p) {
    return reinterpret_cast<Value*>(array.origin)[p[0] + p[1] * array.strides[1]];
  }
  KOKKOS_FUNCTION static std::int64_t element(const ArrayReference& array, std::int64_t x, std::int64_t y,
                                              int channel) {
    return reinterpret_cast<const T*>(array.origin)[x + y * array.strides[1] + channel * array.strides[2]];
  }
  KOKKOS_FUNCTION static std::int64_t clamped(std::int64_t value, Range range) {
    return value < range.begin ? range.begin : value >= range.end ? range.end - 1 : value;
  }

  /// Returns the least error of the disparities that differ from `best` by more than 1.
  KOKKOS_FUNCTION std::int64_t error_of_rival(const int* p, int best) const {
    std::int64_t least = BlockMatching::no_rival;
    for (auto d = static_cast<int>(winners_.begin); d < winners_.end; ++d) {
      if (d >= best - 1 && d <= best + 1) continue;
      const std::int64_t next = error(p[0], p[1], d);
      if (next < least) least = next;
    }
    return least;
  }
  KOKKOS_FUNCTION std::int64_t error(int x, int y, int d) const {
    std::int64_t sum = 0;
    for (int b = -reach_; b <= reach_; ++b)
      for (int a = -reach_; a <= reach_; ++a)
        sum += difference(clamped(x + a, image_[0]), clamped(y + b, image_[1]), d);
    return sum;
  }
  KOKKOS_FUNCTION std::int64_t difference(std::int64_t x, std::int64_t y, int d) const {
    std::int64_t sum = 0;
    for (int i = 0; i < matches_; ++i) {
      const std::int64_t place = clamped(x + direction_ * baselines_[i] * d, image_[0]);
      for (int c = 0; c < channels_; ++c) {
        const std::int64_t e = element(reference_, x, y, c) - element(match_[i], place, y, c);
        sum += !is_absolute_ ? e * e : e < 0 ? -e : e;
      }
    }
    return sum;
  }

  Box image_;
  int channels_;
  int matches_;
  int direction_;
  bool is_absolute_;
  int reach_;
  Range candidates_;
  Range winners_;
  ArrayReference reference_;
  ArrayReference match_[BlockMatching::most_matches];
  int baselines_[BlockMatching::most_matches] = {};
  ArrayReference disparity_;
  ArrayReference errors_[4];
};

}  // namespace tessera::operators::detail
