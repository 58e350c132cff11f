// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "tessera/pipeline/kernel/key_groups.hpp"
#include "tessera/pipeline/kernel/line_groups.hpp"
#include "tessera/pipeline/kernel/reduction_stage.hpp"

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
