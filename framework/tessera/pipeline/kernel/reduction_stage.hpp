// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "tessera/pipeline/kernel/row_traversal.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/view/reduce.hpp"

namespace tessera {

namespace detail {

/// The type and the number of the elements of a reduction's result, which is a number or a std::array of
/// numbers.
template <class Result>
struct ResultElements {
  using Element = Result;
  static constexpr int count = 1;
};
template <class T, std::size_t Count>
struct ResultElements<std::array<T, Count>> {
  using Element = T;
  static constexpr int count = static_cast<int>(Count);
};

}  // namespace detail

/// The global reduction of N-dimensional arrays by a `Reduction` (see ReductionOf). There is one array for
/// each type T. The result always has the same bits: it depends neither on the order of the points nor on how
/// they are divided into parts.
template <class Reduction, int N, class... T>
class ReductionStage final : public ReductionKernel {
 public:
  /// The type of a partial value, which is the reduction of some of the points.
  using Value = typename Reduction::Value;
  /// The type and the number of the elements of the result.
  using Elements = detail::ResultElements<decltype(Reduction().result(std::declval<const Value&>()))>;

  void required(const Box& box, Box* needs) const override { std::fill_n(needs, sizeof...(T), box); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    if constexpr (runs_on_host) {
      Value value;
      detail::ReduceShare<Reduction, N, T...>{Reduction(), Arrays::of(inputs), box, runs(box), 1, &value}(0);
      Reduction().join(at(outputs[0].origin), value);
    }
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    const Arrays arrays = Arrays::of(inputs);
    Value* partials = &at(outputs[0].origin);
    if constexpr (runs_on_host) {
      detail::launch_rows(execution, joined_shares(),
                          detail::ReduceShare<Reduction, N, T...>{Reduction(), arrays, box, runs(box),
                                                                  joined_shares(), partials});
    } else {
      detail::reduce_on_device<Reduction>(execution, arrays, box, device_shares(), partials);
    }
  }

  std::int64_t value_bytes() const override { return sizeof(Value); }
  void init(std::byte* value) const override { Reduction().init(*new (value) Value); }
  void join(std::byte* into, const std::byte* other) const override {
    Reduction().join(at(into), *reinterpret_cast<const Value*>(other));
  }
  void store(const std::byte* value, std::byte* result) const override {
    const auto elements = Reduction().result(*reinterpret_cast<const Value*>(value));
    std::memcpy(result, &elements, sizeof elements);
  }
  MPI_User_function* join_function() const override { return &detail::join_values<Reduction>; }

 private:
  using Arrays = detail::ReducedArrays<N, T...>;

  static Value& at(std::byte* value) { return *reinterpret_cast<Value*>(value); }
  /// Returns the number of runs that hosts divide a box into.
  static std::int64_t runs(const Box& box) {
    return box.size() / box[0].size() *
           ((box[0].size() + detail::points_per_run - 1) / detail::points_per_run);
  }
};

}  // namespace tessera
