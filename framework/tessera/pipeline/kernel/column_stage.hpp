// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera {

/// The line of points that the body of a column stage writes: all points along one dimension. Points that are
/// not written are undefined. A body may therefore begin with `line.fill(0)`, or write all points by
/// `line.each(...)`. If `Extent` is not 0, the line has `Extent` points, a number that the compiler knows. If
/// `Contiguous` is true, the points follow each other in memory.
template <class T, int Extent = 0, bool Contiguous = false>
class Line {
 public:
  /// The type of a point.
  using Value = T;

  /// Makes a line of `extent` points. The first point lies at `first`, and neighbouring points lie `stride`
  /// elements apart.
  KOKKOS_FORCEINLINE_FUNCTION Line(T* first, std::ptrdiff_t stride, int extent)
      : first_(first), stride_(stride), extent_(extent) {}

  /// Returns the point at `index`, which must be in [0, extent()). Builds with TESSERA_CHECKS end the program
  /// at any other index.
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
  /// Sets every point to `value(index)`. `value` must not read the line. It should not divide coordinates,
  /// because compilers do not vectorise a loop with such divisions. Compute the quotients before the call.
  template <class ValueAt>
  KOKKOS_FORCEINLINE_FUNCTION void each(const ValueAt& value) const {
    // The vectors have 32 bytes. Lines are short, so that with longer vectors more points would be left over.
    [[maybe_unused]] constexpr int lanes = sizeof(T) < 32 ? 32 / static_cast<int>(sizeof(T)) : 1;
#pragma omp simd simdlen(lanes)
    for (int i = 0; i < extent(); ++i) at(i) = static_cast<T>(value(Coordinate(i)));
  }
  /// Returns the number of points of the line.
  KOKKOS_FORCEINLINE_FUNCTION int extent() const { return Extent > 0 ? Extent : extent_; }
  /// Returns 0. A body starts a sum of points with it, because during inference the sum must be an interval.
  KOKKOS_FORCEINLINE_FUNCTION T zero() const { return T{}; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T& at(int i) const { return first_[Contiguous ? i : i * stride_]; }

  T* first_;
  std::ptrdiff_t stride_;
  int extent_;
};

/// The line of a column stage that several threads of a device write together. Each thread writes some of the
/// points. The body can only call `each`.
template <class T, int Extent>
class SharedLine {
 public:
  /// The type of a point.
  using Value = T;
  /// The number of threads that write a line.
  static constexpr int threads = Extent == 0 || Extent > 16 ? 32 : Extent > 8 ? 16 : Extent > 4 ? 8 : 4;

  /// Makes a line of `extent` points, which follow each other in memory from `first` on, for thread number
  /// `thread` of those that share it.
  KOKKOS_FORCEINLINE_FUNCTION SharedLine(T* first, int extent, int thread)
      : first_(first), extent_(extent), thread_(thread) {}

  /// Sets every point to `value(index)`, as Line::each does.
  template <class ValueAt>
  KOKKOS_FORCEINLINE_FUNCTION void each(const ValueAt& value) const {
    for (int i = thread_; i < extent(); i += threads) first_[i] = static_cast<T>(value(Coordinate(i)));
  }
  /// Returns the number of points of the line.
  KOKKOS_FORCEINLINE_FUNCTION int extent() const { return Extent > 0 ? Extent : extent_; }
  /// Returns 0, as Line::zero does.
  KOKKOS_FORCEINLINE_FUNCTION T zero() const { return T{}; }

 private:
  T* first_;
  int extent_;
  int thread_;
};

/// The line of a column stage while its footprint is inferred. Values that are written are dropped, and a
/// point that is read may have any value of T.
template <class T>
class IntervalLine {
 public:
  /// The type of a point.
  using Value = T;

  /// Makes a line of `extent` points. Undecided conditions on its points use the tape `decisions`.
  KOKKOS_FUNCTION IntervalLine(int extent, Decisions* decisions)
      : extent_(extent), decisions_(decisions), element_(IntervalOf<T>::whole(decisions)) {}

  /// Returns a point that may have any value of T. Values that are assigned to the point are dropped.
  template <class Index>
  KOKKOS_FUNCTION IntervalOf<T>& operator()(const Index&) {
    return element_ = IntervalOf<T>::whole(decisions_);
  }
  /// Takes a value for all points and drops it.
  template <class V>
  KOKKOS_FUNCTION void fill(const V& value) {
    element_ = value;
  }
  /// Calls `value` once, with the interval of all indices of the line, so that the accesses of `value` to the
  /// inputs are recorded.
  template <class ValueAt>
  KOKKOS_FUNCTION void each(const ValueAt& value) {
    const auto index = Interval<Coordinate>(0, extent_ - 1, decisions_).traced({Provenance::constant});
    if constexpr (ComplexNumber<T>)
      element_ = value(index);
    else
      element_ = cast<T>(value(index));
  }
  /// Returns the number of points of the line.
  KOKKOS_FUNCTION int extent() const { return extent_; }
  /// Returns the number 0, with which a sum of points starts. The number carries the tape (see Decisions).
  KOKKOS_FUNCTION IntervalOf<T> zero() const { return {0, 0, decisions_}; }

 private:
  int extent_;
  Decisions* decisions_;
  IntervalOf<T> element_;
};

namespace detail {

/// Adapts the body of a column stage, so that inference can run it. A call takes the inputs, and the
/// coordinates in the dimensions other than that of the line. It calls `body` with an IntervalLine of
/// `extent` points as the first argument, followed by these inputs and coordinates.
template <class Body, class Value>
struct ColumnFootprint {
  Body body;
  int extent;

  Box footprint(int input, const Box& box) const
  requires requires { body.footprint(input, box); }
  {
    return body.footprint(input, box);
  }

  template <class... Arguments>
  KOKKOS_FUNCTION int operator()(const Arguments&... arguments) const {
    IntervalLine<Value> line(extent, tape(arguments...));
    body(line, arguments...);
    return 0;
  }
  /// Returns the tape that the coordinates carry, or null if no argument is an interval.
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

/// Whether the body of a column stage says by a member `each_only` that it writes its line by `line.each` and
/// in no other way. Several threads of a device then share a line along x, whose points lie next to each
/// other in memory.
template <class Body>
concept WritesByEach = requires { requires bool(Body::each_only); };

/// The type of the lines that a column stage writes along dimension D. Lines along x are contiguous.
template <class Value, int D, int Extent>
using StageLine = Line<Value, Extent, D == 0>;

/// Returns the line of `output` along dimension D through the point `p`.
template <int N, int D, int Extent, class Value>
KOKKOS_FUNCTION StageLine<Value, D, Extent> line_through(const ArrayReference& output, const int* p,
                                                         int extent) {
  Value* first = reinterpret_cast<Value*>(output.origin);
  for (int d = 0; d < N; ++d)
    if (d != D) first += output.strides[d] * p[d];
  return {first, D == 0 ? 1 : static_cast<std::ptrdiff_t>(output.strides[D]), extent};
}

/// Leaves out dimension `d`, and returns the k-th of the other dimensions, counted from 0.
KOKKOS_FUNCTION constexpr std::size_t other_dimension(std::size_t k, int d) {
  return k < static_cast<std::size_t>(d) ? k : k + 1;
}

/// The kernel of a column stage on a device. It computes the lines along dimension D.
template <class Body, class Value, int N, int D, int Extent, class... Inputs>
struct LineKernel {
  Body body;
  ArrayReference inputs[sizeof...(Inputs) > 0 ? sizeof...(Inputs) : 1];
  ArrayReference output;
  int extent;

  /// Whether several threads share a line. The coordinate along x is then the number of the thread.
  static constexpr bool shares_lines = D == 0 && N > 1 && WritesByEach<Body>;

  /// Returns the points where `compute` is called, given one point of each line.
  static Box calls(Box starts) {
    if constexpr (shares_lines) starts[0] = {0, SharedLine<Value, Extent>::threads};
    return starts;
  }

  /// Computes the line through the point `p`, or a part of it.
  KOKKOS_FUNCTION void compute(const int* p) const {
    const auto line = line_through<N, D, Extent, Value>(output, p, extent);
    const std::make_index_sequence<N - 1> others;
    if constexpr (shares_lines)
      write(SharedLine<Value, Extent>(&line(0), line.extent(), p[0]), p, others);
    else
      write(line, p, others);
  }

 private:
  template <class L, std::size_t... Other>
  KOKKOS_FUNCTION void write(L line, const int* p, std::index_sequence<Other...>) const {
    write(line, std::index_sequence_for<Inputs...>{}, Coordinate(p[other_dimension(Other, D)])...);
  }
  template <class L, std::size_t... Input, class... Coordinates>
  KOKKOS_FUNCTION void write(L& line, std::index_sequence<Input...>, Coordinates... at) const {
    body(line, InputAccessor<Inputs>(inputs[Input])..., at...);
  }
};

/// Calls `bound(first, x, ...)` once for each line. `starts` has one point for each line. The argument
/// `first` points to the first element of the line, and the coordinates are those of the line in the
/// dimensions other than D. Lines that lie closest in memory are computed one after the other. `Left` is the
/// number of dimensions over which this function still loops.
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

/// A stage whose body writes a whole line along dimension D for each point of the other dimensions. A line
/// has the points 0 to extent - 1 along D. `body(line, inputs..., x, ...)` gets the coordinates in the other
/// dimensions, in order. If `Extent` is not 0, each line has `Extent` points, a number that the compiler
/// knows.
template <class Body, class Value, int N, int D, int Extent, class... Inputs>
class ColumnStage final : public StageKernel {
 public:
  /// Copies the body. Each line has `extent` points.
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
    detail::LineKernel<Body, Value, N, D, Extent, Inputs...> kernel{body_, {}, outputs[0], extent_};
    std::copy(inputs, inputs + sizeof...(Inputs), kernel.inputs);
    detail::launch_points(execution, kernel.calls(starts), kernel);
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
               AccessMonitor monitor, std::index_sequence<Input...>) const {
    const auto accessors = detail::accessors_of<Inputs...>(inputs, *this, box, monitor);
    const Box starts = line_starts(box);
    detail::call_flat_for_processor([ this, &accessors, &output, &starts ]() __attribute__((always_inline)) {
      // These copies stay in registers, because stores to a line cannot change them.
      const auto local = accessors;
      const Body body = body_;
      const std::ptrdiff_t stride = output.strides[D];
      const int extent = extent_;
      const auto bound = [&](Value * first, auto... at) __attribute__((always_inline)) {
        detail::StageLine<Value, D, Extent> line(first, stride, extent);
        body(line, std::get<Input>(local)..., at...);
      };
      detail::for_each_line<D, N - 1>(bound, output, reinterpret_cast<Value*>(output.origin), starts);
    });
  }

  Body body_;
  int extent_;
  Footprint<detail::ColumnFootprint<Body, Value>, N - 1, Inputs...> footprint_;
};

}  // namespace tessera
