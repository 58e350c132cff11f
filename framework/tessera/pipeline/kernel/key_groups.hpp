// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/view/for_each.hpp"
#include "tessera/view/reduced_arrays.hpp"

namespace tessera::detail {

/// Groups of points for a GroupedReductionStage: group i has the points whose key is i. Keys are the elements
/// of an N-dimensional array of integers. Points with keys that belong to no group are left out.
template <class Key, int N>
class KeyGroups {
 public:
  static_assert(std::is_integral_v<Key>, "keys are integers, which count the groups from 0");
  /// The number of arrays that say to which group a point belongs.
  static constexpr int key_arrays = 1;

  /// The groups of a row of points.
  struct Row {
    const Key* keys;
    std::int64_t groups;
    std::int64_t count;
    /// Calls add(group, begin, end) for runs of points that are in one group. Points of the row are counted
    /// from 0.
    template <class Add>
    void for_each_run(const Add& add) const {
      for (std::int64_t begin = 0, end; begin < count; begin = end) {
        const Key key = keys[begin];
        end = begin + 1;
        while (end < count && keys[end] == key) ++end;
        if (const std::int64_t group = group_of(key, groups); group >= 0) add(group, begin, end);
      }
    }
  };

  /// A kernel for devices. Each index reduces those points of one share of `box` that are in one group. The
  /// threads that look for different groups in a share read the same keys at the same time.
  template <class Reduction, class... T>
  struct Kernel {
    KeyGroups groups;
    ReducedArrays<N, Key> keys;
    ReducedArrays<N, T...> arrays;
    Box box;
    std::int64_t shares;
    typename Reduction::Value* values;

    KOKKOS_FUNCTION void operator()(std::int64_t index) const {
      const std::int64_t share = index / groups.count_, group = index % groups.count_;
      const std::int64_t points = box.size(), width = box[0].size();
      Reduction().init(values[index]);
      // The shares take points in turn, so that neighbouring threads read neighbours in memory.
      for (std::int64_t i = share; i < points; i += shares) {
        int point[N];
        point[0] = static_cast<int>(box[0].begin + i % width);
        locate_row(box, N, i / width, point);
        if (group_of(*keys.element(point), groups.count_) == group)
          arrays.add(Reduction(), values[index], point);
      }
    }
  };

  /// The groups with the keys 0 to count - 1.
  explicit KeyGroups(std::int64_t count) : count_(count) {}

  /// Returns the number of groups.
  std::int64_t count() const { return count_; }
  /// Returns the groups of `count` points of a row, from `point` on. The first one of `inputs` has the keys.
  Row row(const ArrayReference* inputs, const int* point, std::int64_t count) const {
    return {ReducedArrays<N, Key>::of(inputs).element(point), count_, count};
  }
  /// Returns into how many parts a device divides the points of all groups: as many as have partial values of
  /// 1 MiB together, but at most 4096. `value_bytes` is the size of the values of one part.
  int device_shares(std::int64_t value_bytes) const {
    return static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 20) / value_bytes, 1, 4096));
  }
  /// Returns a kernel that reduces the points of `box`. It has an index for each group in each of `shares`
  /// parts, and the groups of a part follow each other. The first one of `inputs` has the keys.
  template <class Reduction, class... T>
  Kernel<Reduction, T...> kernel(const ArrayReference* inputs, const ReducedArrays<N, T...>& arrays,
                                 const Box& box, std::int64_t shares,
                                 typename Reduction::Value* values) const {
    return {*this, ReducedArrays<N, Key>::of(inputs), arrays, box, shares, values};
  }

 private:
  KOKKOS_FUNCTION static std::int64_t group_of(Key key, std::int64_t count) {
    // A negative key becomes a number that is beyond all groups.
    return static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(count)
               ? static_cast<std::int64_t>(key)
               : -1;
  }

  std::int64_t count_;
};

}  // namespace tessera::detail
