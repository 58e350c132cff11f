// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/view/reduced_arrays.hpp"

namespace tessera::detail {

/// Groups of the points of a box for a GroupedReductionStage: each line along dimension D is a group. The
/// lines are numbered in the order in which their first points lie in memory, x first.
template <int D, int N>
class LineGroups {
 public:
  static_assert(0 <= D && D < N && N >= 2);
  /// The number of arrays that say to which group a point belongs.
  static constexpr int key_arrays = 0;

  /// The groups of a row of points.
  struct Row {
    std::int64_t first;
    std::int64_t count;
    /// Calls add(group, begin, end) for runs of points that are in one group. Points of the row are counted
    /// from 0.
    template <class Add>
    void for_each_run(const Add& add) const {
      if constexpr (D == 0)
        add(first, std::int64_t{0}, count);
      else
        for (std::int64_t i = 0; i < count; ++i) add(first + i, i, i + 1);
    }
  };

  /// A kernel for devices. Each index reduces the points of `box` that lie on one line along dimension D.
  template <class Reduction, class... T>
  struct Kernel {
    LineGroups groups;
    ReducedArrays<N, T...> arrays;
    Box box;
    typename Reduction::Value* values;

    KOKKOS_FUNCTION void operator()(std::int64_t index) const {
      int point[N];
      groups.locate(index, point);
      Reduction().init(values[index]);
      for (int d = 0; d < N; ++d)
        if (d != D && !box[d].contains(point[d])) return;
      for (point[D] = static_cast<int>(box[D].begin); point[D] < box[D].end; ++point[D])
        arrays.add(Reduction(), values[index], point);
    }
  };

  /// The lines of `box`.
  explicit LineGroups(const Box& box) : box_(box) {}

  /// Returns the number of groups.
  std::int64_t count() const { return box_.size() / box_[D].size(); }
  /// Returns the groups of `count` points of a row, from `point` on.
  Row row(const ArrayReference*, const int* point, std::int64_t count) const {
    std::int64_t index = 0;
    for (int d = N - 1; d >= 0; --d)
      if (d != D) index = index * box_[d].size() + point[d] - box_[d].begin;
    return {index, count};
  }
  /// Returns into how many parts a device divides the points of all groups.
  int device_shares(std::int64_t) const { return 1; }
  /// Returns a kernel that reduces the points of `box`. It has an index for each group.
  template <class Reduction, class... T>
  Kernel<Reduction, T...> kernel(const ArrayReference*, const ReducedArrays<N, T...>& arrays, const Box& box,
                                 std::int64_t, typename Reduction::Value* values) const {
    return {*this, arrays, box, values};
  }

 private:
  /// Writes the coordinates of the line with the number `index` to `point`, in the dimensions other than D.
  KOKKOS_FUNCTION void locate(std::int64_t index, int* point) const {
    for (int d = 0; d < N; ++d) {
      if (d == D) continue;
      point[d] = static_cast<int>(box_[d].begin + index % box_[d].size());
      index /= box_[d].size();
    }
  }

  Box box_;
};

}  // namespace tessera::detail
