// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/pipeline/access_monitor.hpp"
#include "tessera/pipeline/footprint.hpp"
#include "tessera/pipeline/pack.hpp"
#include "tessera/view/checked_accessor.hpp"
#include "tessera/view/compat.hpp"

// A loop over points that cannot be vectorised, as its body gathers or branches, is no mistake.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace tessera {

template <class... Types>
struct TypeList {};

/// What the framework may ask of a stage, without its types.
class StageKernel {
 public:
  virtual ~StageKernel() = default;

  /// Writes the boxes of the inputs, one per input, that the body may read while it computes `box`, which
  /// must not be empty.
  virtual void required(const Box& box, Box* needs) const = 0;

  /// Computes `box` on the calling thread. Every host mode calls this one function, so that all modes give
  /// the same bits. The input arrays must hold what `required(box)` says. One output per array of the stage.
  virtual void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                      AccessMonitor monitor) const = 0;

  /// Enqueues the computation of `box` as a kernel: how devices compute.
  virtual void launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                      const ArrayReference* outputs, const Box& box) const = 0;
};

namespace detail {

/// The accessors of a stage's inputs; a call hands them to the body with the coordinates of a point. Hosts
/// only.
template <class Body, class... Accessors>
struct BoundBody {
  Body body;
  std::tuple<Accessors...> inputs;

  template <class... Coordinates>
  [[gnu::always_inline]] auto operator()(Coordinates... at) const {
    return call(std::index_sequence_for<Accessors...>{}, at...);
  }
  template <std::size_t... Input, class... Coordinates>
  [[gnu::always_inline]] auto call(std::index_sequence<Input...>, Coordinates... at) const {
    return body(std::get<Input>(inputs)..., at...);
  }
};

/// Where a stage writes: an array per output. Hosts only.
template <int N, class... Values>
struct OutputArrays {
  std::tuple<Accessor<Values, N>...> arrays;

  static constexpr std::size_t largest_value = std::max({sizeof(Values)...});

  explicit OutputArrays(const ArrayReference* outputs)
      : OutputArrays(outputs, std::index_sequence_for<Values...>{}) {}
  template <std::size_t... Output>
  OutputArrays(const ArrayReference* outputs, std::index_sequence<Output...>)
      : arrays(Accessor<Values, N>(outputs[Output])...) {}

  /// Stores `count` points of a row, from `at` on, where `value(k)` gives those of point k.
  template <class Value, class... Coordinates>
  [[gnu::always_inline]] void store(const Value& value, int count, Coordinates... at) const {
    store(value, count, std::index_sequence_for<Values...>{}, at...);
  }
  template <class Value, std::size_t... Output, class... Coordinates>
  [[gnu::always_inline]] void store(const Value& value, int count, std::index_sequence<Output...>,
                                    Coordinates... at) const {
    const std::tuple<Values * KOKKOS_RESTRICT...> spans(&std::get<Output>(arrays)(at...)...);
#pragma omp simd
    for (int k = 0; k < count; ++k) {
      const auto values = value(k);
      ((std::get<Output>(spans)[k] = static_cast<Values>(value_of<Output>(values))), ...);
    }
  }
};

template <int N, class Value>
struct OutputArrays<N, Value> {
  Accessor<Value, N> array;

  static constexpr std::size_t largest_value = sizeof(Value);

  explicit OutputArrays(const ArrayReference* outputs) : array(outputs[0]) {}

  template <class ValueOf, class... Coordinates>
  [[gnu::always_inline]] void store(const ValueOf& value, int count, Coordinates... at) const {
    Value* KOKKOS_RESTRICT const span = &array(at...);
#pragma omp simd
    for (int k = 0; k < count; ++k) span[k] = static_cast<Value>(value_of<0>(value(k)));
  }
};

/// True on processors that wait for memory when they read one row after the other: there some bytes of each
/// of a few rows in turn keep as many streams under way. The blur is then 1.3 times as fast on Zen 3, but a
/// tenth slower, and copies a third, on processors with wider vectors and better prefetchers. It never
/// changes a bit.
bool computes_rows_in_turn();

/// How many rows, and bytes of each, in turn.
inline constexpr int rows_in_turn = 4;
inline constexpr int bytes_in_turn = 512;

/// Computes `count` points of the row at `outer`, from x on.
template <class Bound, class Output, class... Outer>
[[gnu::always_inline]] inline void compute_span(const Bound& bound, const Output& output, int x, int count,
                                                Outer... outer) {
  const auto value = [&bound, x, outer... ](int k) __attribute__((always_inline)) {
    return bound(Coordinate(x + k), outer...);
  };
  output.store(value, count, Coordinate(x), outer...);
}

/// Computes `turns` pieces of `Piece` points of each of `rows` rows, from x and y on, in turn. Not inlined:
/// nothing else may claim its registers.
template <int Piece, class Bound, class Output, class... Outer>
[[gnu::noinline]] void compute_in_turn(const Bound& bound, const Output& output, int x, int turns, int y,
                                       int rows, Outer... outer) {
  // Copies in registers: stores to a row cannot change them.
  const Bound local = bound;
  const Output out = output;
  for (const int end = x + turns * Piece; x < end; x += Piece)
    for (int r = y; r < y + rows; ++r) compute_span(local, out, x, Piece, Coordinate(r), outer...);
}

/// Computes the columns [begin, end) of a group of rows.
template <class Bound, class Output, class... Outer>
void compute_group(const Bound& bound, const Output& output, int begin, int end, int y, int rows,
                   Outer... outer) {
  constexpr int piece = bytes_in_turn / static_cast<int>(Output::largest_value);
  const int turns = (end - begin) / piece;
  if (turns > 0) compute_in_turn<piece>(bound, output, begin, turns, y, rows, outer...);
  const int rest = begin + turns * piece;
  for (int r = 0; rest < end && r < rows; ++r)
    compute_span(bound, output, rest, end - rest, Coordinate(y + r), outer...);
}

/// Computes rows one after the other.
template <class Bound, class Output, class... Outer>
[[gnu::noinline]] void compute_in_order(const Bound& bound, const Output& output, Range columns, Range rows,
                                        Outer... outer) {
  // Copies in registers: stores to a row cannot change them.
  const Bound local = bound;
  const Output out = output;
  const int x = static_cast<int>(columns.begin);
  const int width = static_cast<int>(columns.size());
  for (int y = static_cast<int>(rows.begin); y < rows.end; ++y)
    compute_span(local, out, x, width, Coordinate(y), outer...);
}

/// The loops over a box: `outer` holds the coordinates of the dimensions above D.
template <int D, class Bound, class Output, class... Outer>
inline void compute_rows(const Bound& bound, const Output& output, const Box& box, Outer... outer) {
  const int begin = static_cast<int>(box[D].begin);
  const int end = static_cast<int>(box[D].end);
  if constexpr (D == 0) {
    compute_span(bound, output, begin, end - begin);
  } else if constexpr (D == 1) {
    if (!computes_rows_in_turn()) return compute_in_order(bound, output, box[0], box[1], outer...);
    for (int y = begin; y < end; y += rows_in_turn)
      compute_group(bound, output, static_cast<int>(box[0].begin), static_cast<int>(box[0].end), y,
                    std::min(end - y, rows_in_turn), outer...);
  } else {
    for (int p = begin; p < end; ++p) compute_rows<D - 1>(bound, output, box, Coordinate(p), outer...);
  }
}

/// Computes one point: the kernel of a device.
template <class Body, int N, class Outputs, class Inputs>
struct PointKernel;
template <class Body, int N, class... Values, class... Inputs>
struct PointKernel<Body, N, TypeList<Values...>, TypeList<Inputs...>> {
  Body body;
  ArrayReference inputs[sizeof...(Inputs) > 0 ? sizeof...(Inputs) : 1];
  ArrayReference outputs[sizeof...(Values)];
  Box box;

  KOKKOS_FUNCTION PointKernel(const Body& stage_body, const ArrayReference* in, const ArrayReference* out,
                              const Box& points)
      : body(stage_body), inputs{}, outputs{}, box(points) {
    for (std::size_t i = 0; i < sizeof...(Inputs); ++i) inputs[i] = in[i];
    for (std::size_t i = 0; i < sizeof...(Values); ++i) outputs[i] = out[i];
  }

  KOKKOS_FUNCTION void operator()(int x, std::int64_t row) const {
    int p[max_dimensions] = {x, 0, 0, 0};
    for (int d = 1; d < N; ++d) {
      p[d] = static_cast<int>(box[d].begin + row % box[d].size());
      row /= box[d].size();
    }
    compute(p);
  }
  /// A row: hosts, which compute like a device only in tests.
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (std::int64_t x = box[0].begin; x < box[0].end; ++x) (*this)(static_cast<int>(x), row);
  }
  KOKKOS_FUNCTION void compute(const int* p) const {
    compute(p, std::index_sequence_for<Values...>{}, std::index_sequence_for<Inputs...>{},
            std::make_index_sequence<N>{});
  }

  template <std::size_t... Output, std::size_t... Input, std::size_t... D>
  KOKKOS_FUNCTION void compute(const int* p, std::index_sequence<Output...>, std::index_sequence<Input...>,
                               std::index_sequence<D...>) const {
    const auto values = body(Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input])...,
                             Coordinate(p[D])...);
    ((Accessor<Values, N>(outputs[Output])(Coordinate(p[D])...) =
          static_cast<Values>(value_of<Output>(values))),
     ...);
  }
};

/// Runs a kernel on every point of a box: kernel(x, row) on devices, kernel(row) on hosts.
template <class Kernel>
void launch_points(const ExecutionSpace& execution, const Box& box, const Kernel& kernel) {
  const std::int64_t rows = box.size() / box[0].size();
  if constexpr (runs_on_host) {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("tessera: stage", Policy(execution, 0, rows), kernel);
  } else {
    using Policy = Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2, Kokkos::Iterate::Left>,
                                         Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("tessera: stage", Policy(execution, {box[0].begin, 0}, {box[0].end, rows}, {64, 4}),
                         kernel);
  }
}

}  // namespace detail

/// A stage whose body computes the values of one point, one per output, of N-dimensional arrays:
/// PointStage<Body, N, TypeList<Values...>, TypeList<Inputs...>>.
template <class Body, int N, class Outputs, class Inputs>
class PointStage;
template <class Body, int N, class... Values, class... Inputs>
class PointStage<Body, N, TypeList<Values...>, TypeList<Inputs...>> final : public StageKernel {
 public:
  using DeviceKernel = detail::PointKernel<Body, N, TypeList<Values...>, TypeList<Inputs...>>;

  explicit PointStage(const Body& body) : body_(body), footprint_(body) {}

  const Body& body() const { return body_; }

  void required(const Box& box, Box* needs) const override { footprint_.required(box, needs); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override {
    compute(inputs, outputs, box, monitor, std::index_sequence_for<Inputs...>{});
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    detail::launch_points(execution, box, DeviceKernel(body_, inputs, outputs, box));
  }

 private:
  template <std::size_t... Input>
  void compute(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
               [[maybe_unused]] AccessMonitor monitor, std::index_sequence<Input...>) const {
    const detail::OutputArrays<N, Values...> out(outputs);
#ifdef TESSERA_CHECKS
    std::array<Box, sizeof...(Inputs)> footprints;
    footprint_.required(box, footprints.data());
    const detail::BoundBody<
        Body, CheckedAccessor<const typename Inputs::Value, Inputs::dimensions, AccessMonitor>...>
        bound{
            body_,
            { CheckedAccessor<const typename Inputs::Value, Inputs::dimensions, AccessMonitor>(
                Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input]), footprints[Input],
                AccessMonitor{monitor.violations, monitor.stage, static_cast<int>(Input)})... }};
#else
    const detail::BoundBody<Body, Accessor<const typename Inputs::Value, Inputs::dimensions>...> bound{
        body_, {Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input])...}};
#endif
    detail::compute_rows<N - 1>(bound, out, box);
  }

  Body body_;
  Footprint<Body, N, Inputs...> footprint_;
};

}  // namespace tessera

#ifdef __clang__
#pragma clang diagnostic pop
#endif
