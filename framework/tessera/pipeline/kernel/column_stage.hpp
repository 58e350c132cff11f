// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera {

/// The line of points that the body of a column stage writes: all points along one dimension. Points that are
/// not written are undefined: begin with `line.fill(0)`, or write all points by `line.each(...)`. If `Extent`
/// is not 0, it is the number of points, known to the compiler; the points of a `Contiguous` line follow each
/// other in memory.
template <class T, int Extent = 0, bool Contiguous = false>
class Line {
 public:
  /// The type of a point.
  using Value = T;

  /// A line of `extent` points, the first at `first`, that lie `stride` elements apart.
  KOKKOS_FORCEINLINE_FUNCTION Line(T* first, std::ptrdiff_t stride, int extent)
      : first_(first), stride_(stride), extent_(extent) {}

  /// The point at an index from 0 to below `extent()`; builds with TESSERA_CHECKS end the program at others.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index index) const {
    const int i = Coordinate(index).value;
#ifdef TESSERA_CHECKS
    if (i < 0 || i >= extent()) Kokkos::abort("tessera: a column stage left its line");
#endif
    return at(i);
  }
  /// Sets every point to `value`.
  KOKKOS_FORCEINLINE_FUNCTION void fill(T value) const {
    for (int i = 0; i < extent(); ++i) at(i) = value;
  }
  /// Sets every point to `value(index)`, which must not read the line. Quotients of coordinates in `value`
  /// keep compilers from vectorising it: compute them before.
  template <class ValueAt>
  KOKKOS_FORCEINLINE_FUNCTION void each(const ValueAt& value) const {
    // Lines are short: with longer vectors more points would be left over.
    [[maybe_unused]] constexpr int lanes = sizeof(T) < 32 ? 32 / static_cast<int>(sizeof(T)) : 1;
#pragma omp simd simdlen(lanes)
    for (int i = 0; i < extent(); ++i) at(i) = static_cast<T>(value(Coordinate(i)));
  }
  /// The number of points of the line.
  KOKKOS_FORCEINLINE_FUNCTION int extent() const { return Extent > 0 ? Extent : extent_; }
  /// The number 0, as the start of a sum.
  KOKKOS_FORCEINLINE_FUNCTION T zero() const { return T{}; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T& at(int i) const { return first_[Contiguous ? i : i * stride_]; }

  T* first_;
  std::ptrdiff_t stride_;
  int extent_;
};

/// The line of a column stage while its footprint is inferred. What is written is dropped, and a point that
/// is read may be anything.
template <class T>
class IntervalLine {
 public:
  /// The type of a point.
  using Value = T;

  /// A line of `extent` points; undecided conditions that follow from its points use the tape `decisions`.
  KOKKOS_FUNCTION IntervalLine(int extent, Decisions* decisions)
      : extent_(extent), decisions_(decisions), element_(Interval<T>::whole(decisions)) {}

  /// A point, which may be anything.
  template <class Index>
  KOKKOS_FUNCTION Interval<T>& operator()(const Index&) {
    return element_ = Interval<T>::whole(decisions_);
  }
  /// Accepts the value for every point and drops it.
  template <class V>
  KOKKOS_FUNCTION void fill(const V& value) {
    element_ = value;
  }
  /// Calls `value` once, with the interval of all indices, so that the accesses in it are recorded.
  template <class ValueAt>
  KOKKOS_FUNCTION void each(const ValueAt& value) {
    Provenance all{Provenance::constant};
    all.high = extent_ - 1;
    const auto index = Interval<Coordinate>(0, extent_ - 1, decisions_).traced(all);
    element_ = cast<T>(value(index));
  }
  /// The number of points of the line.
  KOKKOS_FUNCTION int extent() const { return extent_; }
  /// The number 0, as the start of a sum; it carries the tape.
  KOKKOS_FUNCTION Interval<T> zero() const { return {0, 0, decisions_}; }

 private:
  int extent_;
  Decisions* decisions_;
  Interval<T> element_;
};

namespace detail {

/// A column body as a body of the points of the other dimensions, which inference can run.
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
  /// The tape that the coordinates carry; null without coordinates on intervals.
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

/// The lines of a column stage along dimension D.
template <class Value, int D, int Extent>
using StageLine = Line<Value, Extent, D == 0>;

/// The line along dimension D through the point p.
template <int N, int D, int Extent, class Value>
KOKKOS_FUNCTION StageLine<Value, D, Extent> line_through(const ArrayReference& output, const int* p,
                                                         int extent) {
  Value* first = reinterpret_cast<Value*>(output.origin);
  for (int d = 0; d < N; ++d)
    if (d != D) first += output.strides[d] * p[d];
  return {first, D == 0 ? 1 : static_cast<std::ptrdiff_t>(output.strides[D]), extent};
}

/// The k-th dimension, from 0, if dimension d is left out.
KOKKOS_FUNCTION constexpr std::size_t other_dimension(std::size_t k, int d) {
  return k < static_cast<std::size_t>(d) ? k : k + 1;
}

/// A body and its inputs: a call passes the inputs to the body after the line. Devices.
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

/// The kernel of a device: it computes one line per point of `box`, whose range in dimension D holds one
/// point.
template <class Body, class Value, int N, int D, int Extent, class... Inputs>
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
    auto line = line_through<N, D, Extent, Value>(output, p, extent);
    bound(line, Coordinate(p[other_dimension(Other, D)])...);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (std::int64_t x = box[0].begin; x < box[0].end; ++x) (*this)(static_cast<int>(x), row);
  }
};

/// Calls `bound(first, x, ...)` for the point of every line in `starts`, where `first` is the line's first
/// element. The lines that lie closest in memory follow each other. `Left` is the number of dimensions that
/// are still to be looped over.
template <int D, int Left, class Value, class Bound, class... Outer>
[[gnu::always_inline]] inline void for_each_line(const Bound& bound, const ArrayReference& output,
                                                 Value* first, const Box& starts, Outer... outer) {
  if constexpr (Left == 0) {
    bound(first, outer...);
  } else {
    constexpr std::size_t d = other_dimension(Left - 1, D);
    const std::ptrdiff_t stride = d == 0 ? 1 : static_cast<std::ptrdiff_t>(output.strides[d]);
    const int end = static_cast<int>(starts[static_cast<int>(d)].end);
    for (int i = static_cast<int>(starts[static_cast<int>(d)].begin); i < end; ++i)
      for_each_line<D, Left - 1>(bound, output, first + stride * i, starts, Coordinate(i), outer...);
  }
}

}  // namespace detail

/// A stage whose body writes a whole line along dimension D, `extent` points from 0 on, for each point of the
/// other dimensions: `body(line, inputs..., x, ...)` gets the coordinates of those dimensions in order. An
/// `Extent` other than 0 is known to the compiler.
template <class Body, class Value, int N, int D, int Extent, class... Inputs>
class ColumnStage final : public StageKernel {
 public:
  /// Copies the body, whose lines have `extent` points.
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
    detail::LineKernel<Body, Value, N, D, Extent, Inputs...> kernel{{body_, {}}, outputs[0], starts, extent_};
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
  [[TESSERA_FLAT]] void compute(const ArrayReference* inputs, const ArrayReference& output, const Box& box,
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
    const Box starts = line_starts(box);
    const auto bound = [&](Value * first, auto... at) __attribute__((always_inline)) {
      detail::StageLine<Value, D, Extent> line(first, static_cast<std::ptrdiff_t>(output.strides[D]),
                                               extent_);
      body_(line, std::get<Input>(accessors)..., at...);
    };
    detail::for_each_line<D, N - 1>(bound, output, reinterpret_cast<Value*>(output.origin), starts);
  }

  Body body_;
  int extent_;
  Footprint<detail::ColumnFootprint<Body, Value>, N - 1, Inputs...> footprint_;
};

}  // namespace tessera
