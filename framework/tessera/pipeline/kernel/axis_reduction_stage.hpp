// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

namespace detail {

/// Numbers the points that are left of a box when its dimension D is reduced to one point, x first.
template <int D, int N>
struct KeptPoints {
  Box box;

  /// Returns the number of the point with the coordinates of `point` in the dimensions other than D.
  KOKKOS_FUNCTION std::int64_t index(const int* point) const {
    std::int64_t index = 0;
    for (int d = N - 1; d >= 0; --d)
      if (d != D) index = index * box[d].size() + point[d] - box[d].begin;
    return index;
  }
  /// Writes the coordinates of the point with the number `index` to `point`, in the dimensions other than D.
  KOKKOS_FUNCTION void locate(std::int64_t index, int* point) const {
    for (int d = 0; d < N; ++d) {
      if (d == D) continue;
      point[d] = static_cast<int>(box[d].begin + index % box[d].size());
      index /= box[d].size();
    }
  }
  /// Returns the number of these points.
  std::int64_t count() const { return box.size() / box[D].size(); }
};

/// A kernel for devices. Each index reduces the points of `box` that lie on one line along dimension D.
template <int D, class Reduction, class T, int N>
struct ReduceLine {
  ArrayReference array;
  Box box;
  KeptPoints<D, N> kept;
  typename Reduction::Value* values;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    int point[N];
    kept.locate(index, point);
    Reduction().init(values[index]);
    for (int d = 0; d < N; ++d)
      if (d != D && !box[d].contains(point[d])) return;
    const T* elements = reinterpret_cast<const T*>(array.origin);
    for (point[D] = static_cast<int>(box[D].begin); point[D] < box[D].end; ++point[D]) {
      Point at;
      std::int64_t offset = 0;
      for (int d = 0; d < N; ++d) {
        at[d] = point[d];
        offset += array.strides[d] * point[d];
      }
      Reduction().add(values[index], elements[offset], at);
    }
  }
};

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

/// The reductions of an N-dimensional array of T along dimension D, one for each line of the box, such as the
/// sum of each column, or a histogram of each row. Each rank reduces the parts of the lines that it computes,
/// and all ranks get all results, which always have the same bits.
template <int D, class Reduction, class T, int N>
class AxisReductionStage final : public ReductionKernel {
 public:
  static_assert(0 <= D && D < N && N >= 2);
  /// The type of a partial value of one line.
  using Value = typename Reduction::Value;
  /// The type and the number of the elements of the result of one line.
  using Elements = detail::ResultElements<decltype(Reduction().result(std::declval<const Value&>()))>;

  /// The reductions of the lines of `over`.
  explicit AxisReductionStage(const Box& over) : kept_{over} {}

  /// Returns the number of elements of all results.
  std::int64_t element_count() const { return kept_.count() * Elements::count; }

  void required(const Box& box, Box* needs) const override { needs[0] = box; }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    Value* values = &at(outputs[0].origin);
    const T* elements = reinterpret_cast<const T*>(inputs[0].origin);
    const std::int64_t rows = box.size() / box[0].size();
    for (std::int64_t row = 0; row < rows; ++row) {
      int point[N];
      point[0] = static_cast<int>(box[0].begin);
      detail::locate_row(box, N, row, point);
      const T* first = elements + point[0];
      for (int d = 1; d < N; ++d) first += inputs[0].strides[d] * point[d];
      add_row(values + kept_.index(point), first, box[0].size(), point);
    }
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    if constexpr (runs_on_host) {
      init(outputs[0].origin);
      region(inputs, outputs, box, {});
    } else {
      using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
      Kokkos::parallel_for(
          "tessera: reduce", Policy(execution, 0, kept_.count()),
          detail::ReduceLine<D, Reduction, T, N>{inputs[0], box, kept_, &at(outputs[0].origin)});
    }
  }

  std::int64_t value_bytes() const override {
    return kept_.count() * static_cast<std::int64_t>(sizeof(Value));
  }
  int device_shares() const override { return 1; }
  void init(std::byte* value) const override {
    for (std::int64_t i = 0; i < kept_.count(); ++i) Reduction().init(*new (&at(value) + i) Value);
  }
  void join(std::byte* into, const std::byte* other) const override {
    for (std::int64_t i = 0; i < kept_.count(); ++i)
      Reduction().join((&at(into))[i], reinterpret_cast<const Value*>(other)[i]);
  }
  void store(const std::byte* value, std::byte* result) const override {
    for (std::int64_t i = 0; i < kept_.count(); ++i) {
      const auto elements = Reduction().result(reinterpret_cast<const Value*>(value)[i]);
      std::memcpy(result, &elements, sizeof elements);
      result += sizeof elements;
    }
  }
  MPI_User_function* join_function() const override { return &detail::join_arrays<Reduction>; }

 private:
  static Value& at(std::byte* value) { return *reinterpret_cast<Value*>(value); }

  /// Adds `count` elements of a row to the value of the row, if D is 0, or each to the value of its line.
  static void add_row(Value* values, const T* elements, std::int64_t count, const int* first) {
    const Reduction reduction;
    if constexpr (D == 0 && requires { reduction.add_row(*values, elements, count); }) {
      reduction.add_row(*values, elements, count);
    } else {
      Point point;
      for (int d = 0; d < N; ++d) point[d] = first[d];
      for (std::int64_t i = 0; i < count; ++i, ++point[0])
        reduction.add(values[D == 0 ? 0 : i], elements[i], point);
    }
  }

  detail::KeptPoints<D, N> kept_;
};

}  // namespace tessera
