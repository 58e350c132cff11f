// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/stage_kernel.hpp"

namespace tessera {

/// The line of points that the body of a column stage writes: all points along one dimension. What is not
/// written is undefined: begin with `line.fill(0)`.
template <class T>
class Line {
 public:
  using Value = T;

  KOKKOS_FUNCTION Line(T* first, std::ptrdiff_t stride, int extent)
      : first_(first), stride_(stride), extent_(extent) {}

  /// The element at an index from 0 to below `extent()`.
  template <class Index>
  KOKKOS_FUNCTION T& operator()(Index index) const {
    const int i = Coordinate(index).value;
#ifdef TESSERA_CHECKS
    if (i < 0 || i >= extent_) Kokkos::abort("tessera: a column stage left its line");
#endif
    return first_[i * stride_];
  }
  KOKKOS_FUNCTION void fill(T value) const {
    for (int i = 0; i < extent_; ++i) first_[i * stride_] = value;
  }
  KOKKOS_FUNCTION int extent() const { return extent_; }
  KOKKOS_FUNCTION T zero() const { return T{}; }

 private:
  T* first_;
  std::ptrdiff_t stride_;
  int extent_;
};

/// The same while a footprint is inferred: what is written is dropped, and reads give anything.
template <class T>
class IntervalLine {
 public:
  using Value = T;

  KOKKOS_FUNCTION IntervalLine(int extent, Decisions* decisions)
      : extent_(extent), decisions_(decisions), element_(Interval<T>::whole(decisions)) {}

  template <class Index>
  KOKKOS_FUNCTION Interval<T>& operator()(const Index&) {
    return element_ = Interval<T>::whole(decisions_);
  }
  template <class V>
  KOKKOS_FUNCTION void fill(const V& value) {
    element_ = value;
  }
  KOKKOS_FUNCTION int extent() const { return extent_; }
  KOKKOS_FUNCTION Interval<T> zero() const { return {0, 0, decisions_}; }

 private:
  int extent_;
  Decisions* decisions_;
  Interval<T> element_;
};

namespace detail {

/// A column body as the body of points of the other dimensions: what inference runs.
template <class Body, class Value>
struct ColumnFootprint {
  Body body;
  int extent;

  Box footprint(int input, const Box& box) const requires requires { body.footprint(input, box); }
  { return body.footprint(input, box); }

  template <class... Arguments>
  KOKKOS_FUNCTION int operator()(const Arguments&... arguments) const {
    IntervalLine<Value> line(extent, tape(arguments...));
    body(line, arguments...);
    return 0;
  }
  template <class... Arguments>
  KOKKOS_FUNCTION static Decisions* tape(const Arguments&... arguments) {
    Decisions* found = nullptr;
    const auto look = [&found](const auto& argument) {
      if constexpr (is_interval<decltype(argument)>) found = argument.decisions;
    };
    (look(arguments), ...);
    return found;
  }
};

/// The line along dimension D through a point.
template <int N, int D, class Value>
KOKKOS_FUNCTION Line<Value> line_through(const ArrayReference& output, const int* p, int extent) {
  Value* first = reinterpret_cast<Value*>(output.origin);
  for (int d = 0; d < N; ++d)
    if (d != D) first += output.strides[d] * p[d];
  return {first, D == 0 ? 1 : static_cast<std::ptrdiff_t>(output.strides[D]), extent};
}

/// Number k of the dimensions without D.
KOKKOS_FUNCTION constexpr std::size_t other_dimension(std::size_t k, int d) {
  return k < static_cast<std::size_t>(d) ? k : k + 1;
}

/// A body and its inputs: a call hands them over after the line.
template <class Body, class... Inputs>
struct ColumnKernel {
  Body body;
  ArrayReference inputs[sizeof...(Inputs) > 0 ? sizeof...(Inputs) : 1];

  template <class L, class... Coordinates>
  KOKKOS_FUNCTION void operator()(L& line, Coordinates... at) const {
    call(std::index_sequence_for<Inputs...>{}, line, at...);
  }
  template <std::size_t... Input, class L, class... Coordinates>
  KOKKOS_FUNCTION void call(std::index_sequence<Input...>, L& line, Coordinates... at) const {
    body(line, Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input])..., at...);
  }
};

/// One line per point of `box`, whose range in dimension D holds one point.
template <class Body, class Value, int N, int D, class... Inputs>
struct LineKernel {
  ColumnKernel<Body, Inputs...> bound;
  ArrayReference output;
  Box box;
  int extent;

  KOKKOS_FUNCTION void operator()(int x, std::int64_t row) const {
    int p[max_dimensions] = {x, 0, 0, 0};
    for (int d = 1; d < N; ++d) {
      p[d] = static_cast<int>(box[d].begin + row % box[d].size());
      row /= box[d].size();
    }
    compute(p, std::make_index_sequence<N - 1>{});
  }
  template <std::size_t... Other>
  KOKKOS_FUNCTION void compute(const int* p, std::index_sequence<Other...>) const {
    Line<Value> line = line_through<N, D, Value>(output, p, extent);
    bound(line, Coordinate(p[other_dimension(Other, D)])...);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (std::int64_t x = box[0].begin; x < box[0].end; ++x) (*this)(static_cast<int>(x), row);
  }
};

}  // namespace detail

/// A stage whose body writes a whole line along dimension D, `extent` points from 0 on, per point of the
/// other dimensions: body(line, inputs..., x, ...) gets the coordinates of those in order.
template <class Body, class Value, int N, int D, class... Inputs>
class ColumnStage final : public StageKernel {
 public:
  ColumnStage(const Body& body, int extent)
      : body_(body), extent_(extent), footprint_(detail::ColumnFootprint<Body, Value>{body, extent}) {}

  void required(const Box& box, Box* needs) const override { footprint_.required(without_line(box), needs); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override {
    compute(inputs, outputs[0], box, monitor, std::index_sequence_for<Inputs...>{});
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    const Box starts = line_starts(box);
    detail::LineKernel<Body, Value, N, D, Inputs...> kernel{{body_, {}}, outputs[0], starts, extent_};
    std::copy(inputs, inputs + sizeof...(Inputs), kernel.bound.inputs);
    detail::launch_points(execution, starts, kernel);
  }

 private:
  static Box line_starts(Box box) {
    box[D] = {box[D].begin, box[D].begin + 1};
    return box;
  }
  static Box without_line(const Box& box) {
    Box points;
    for (int d = 0; d < N; ++d)
      if (d != D) points[points.dimensions++] = box[d];
    return points;
  }

  template <std::size_t... Input>
  void compute(const ArrayReference* inputs, const ArrayReference& output, const Box& box,
               [[maybe_unused]] AccessMonitor monitor, std::index_sequence<Input...>) const {
#ifdef TESSERA_CHECKS
    Box footprints[sizeof...(Inputs)];
    required(box, footprints);
    const auto accessors =
        std::make_tuple(CheckedAccessor<const typename Inputs::Value, Inputs::dimensions, AccessMonitor>(
            Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input]), footprints[Input],
            AccessMonitor{monitor.violations, monitor.stage, static_cast<int>(Input)})...);
#else
    const auto accessors =
        std::make_tuple(Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input])...);
#endif
    const auto bound = [&]<std::size_t... Other>(const int* p, std::index_sequence<Other...>) {
      Line<Value> line = detail::line_through<N, D, Value>(output, p, extent_);
      body_(line, std::get<Input>(accessors)..., Coordinate(p[detail::other_dimension(Other, D)])...);
    };
    const Box starts = line_starts(box);
    int p[max_dimensions] = {};
    for (std::int64_t index = 0; index < starts.size(); ++index) {
      std::int64_t rest = index;
      for (int d = 0; d < N; ++d) {
        p[d] = static_cast<int>(starts[d].begin + rest % starts[d].size());
        rest /= starts[d].size();
      }
      bound(p, std::make_index_sequence<N - 1>{});
    }
  }

  Body body_;
  int extent_;
  Footprint<detail::ColumnFootprint<Body, Value>, N - 1, Inputs...> footprint_;
};

}  // namespace tessera
