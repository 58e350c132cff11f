// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "tessera/pipeline/kernel/reduction_stage.hpp"
#include "tessera/view/for_each.hpp"

namespace tessera::detail {

/// Groups of points for a GroupedReductionStage: group i has the points whose key is i. Keys are the elements
/// of an N-dimensional array of integers. Points with keys that belong to no group are left out.
template <class Key, int N>
class KeyGroups {
 public:
  static_assert(std::is_integral_v<Key>, "keys are integers, which count the groups from 0");
  /// The number of arrays with keys of points.
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

/// Groups of the points of a box for a GroupedReductionStage: each line along dimension D is a group. The
/// lines are numbered in the order of their first points in memory, x first.
template <int D, int N>
class LineGroups {
 public:
  static_assert(0 <= D && D < N && N >= 2);
  /// The number of arrays with keys of points.
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

namespace tessera {
namespace detail {

/// Joins the values of arrays from[i] to to[i], for `count` elements of a datatype that is an array of
/// values. This is an MPI_User_function.
template <class Reduction>
void join_arrays(void* from, void* to, int* count, MPI_Datatype* type) {
  using Value = typename Reduction::Value;
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  int values = bytes / static_cast<int>(sizeof(Value)) * *count;
  join_values<Reduction>(from, to, &values, type);
}

}  // namespace detail

/// The reductions of groups of points of N-dimensional arrays, one for each group. `Groups` is
/// detail::LineGroups, for the reduction of each line, or detail::KeyGroups, for the reduction of the points
/// that have the same key. There is one array for each type T; the inputs before them have the keys. Each
/// rank reduces the points of all groups that it computes, and all ranks get all results, which always have
/// the same bits.
template <class Groups, class Reduction, int N, class... T>
class GroupedReductionStage final : public ReductionKernel {
 public:
  /// The type of a partial value of one group.
  using Value = typename Reduction::Value;
  /// The type and the number of the elements of the result of one group.
  using Elements = detail::ResultElements<decltype(Reduction().result(std::declval<const Value&>()))>;

  /// Makes the reductions of these groups.
  explicit GroupedReductionStage(const Groups& groups) : groups_(groups) {}

  /// Returns the number of elements of all results.
  std::int64_t element_count() const { return groups_.count() * Elements::count; }

  void required(const Box& box, Box* needs) const override {
    std::fill_n(needs, Groups::key_arrays + sizeof...(T), box);
  }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    Value* values = &at(outputs[0].origin);
    const Arrays arrays = Arrays::of(inputs + Groups::key_arrays);
    const std::int64_t width = box[0].size(), rows = box.size() / width;
    for (std::int64_t row = 0; row < rows; ++row) {
      int point[N];
      point[0] = static_cast<int>(box[0].begin);
      detail::locate_row(box, N, row, point);
      const auto elements = arrays.rows(point);
      groups_.row(inputs, point, width)
          .for_each_run([&](std::int64_t group, std::int64_t begin, std::int64_t end) {
            elements.add(Reduction(), values[group], begin, end);
          });
    }
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    if constexpr (runs_on_host) {
      init(outputs[0].origin);
      region(inputs, outputs, box, {});
    } else {
      using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
      const int shares = device_shares();
      Value* partials = &at(outputs[0].origin);
      Kokkos::parallel_for("tessera: reduce", Policy(execution, 0, shares * groups_.count()),
                           groups_.template kernel<Reduction>(inputs, Arrays::of(inputs + Groups::key_arrays),
                                                              box, shares, partials));
      detail::join_on_device<Reduction>(execution, shares, groups_.count(), partials);
    }
  }

  std::int64_t value_bytes() const override {
    return groups_.count() * static_cast<std::int64_t>(sizeof(Value));
  }
  int device_shares() const override { return runs_on_host ? 1 : groups_.device_shares(value_bytes()); }
  void init(std::byte* value) const override {
    for (std::int64_t i = 0; i < groups_.count(); ++i) Reduction().init(*new (&at(value) + i) Value);
  }
  void join(std::byte* into, const std::byte* other) const override {
    for (std::int64_t i = 0; i < groups_.count(); ++i)
      Reduction().join((&at(into))[i], reinterpret_cast<const Value*>(other)[i]);
  }
  void store(const std::byte* value, std::byte* result) const override {
    for (std::int64_t i = 0; i < groups_.count(); ++i) {
      const auto elements = Reduction().result(reinterpret_cast<const Value*>(value)[i]);
      std::memcpy(result, &elements, sizeof elements);
      result += sizeof elements;
    }
  }
  MPI_User_function* join_function() const override { return &detail::join_arrays<Reduction>; }

 private:
  using Arrays = detail::ReducedArrays<N, T...>;

  static Value& at(std::byte* value) { return *reinterpret_cast<Value*>(value); }

  Groups groups_;
};

}  // namespace tessera
