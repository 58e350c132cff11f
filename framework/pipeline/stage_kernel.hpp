// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "tessera/pipeline/access_monitor.hpp"
#include "tessera/pipeline/footprint.hpp"
#include "tessera/view/checked_accessor.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// What the framework may ask of a stage, without its types.
class StageKernel {
 public:
  virtual ~StageKernel() = default;

  /// The boxes of the inputs that the body may read while it computes `box`, which must not be empty.
  virtual std::vector<Box> required(const Box& box) const = 0;

  /// Computes `box` on the calling thread. Every host mode calls this one function, so that all modes give
  /// the same bits. The input arrays must hold what `required(box)` says.
  virtual void region(const ArrayReference* inputs, const ArrayReference& output, const Box& box,
                      AccessMonitor monitor) const = 0;

  /// Enqueues the computation of `box` on a device. Throws InternalError where kernels run on the host.
  virtual void launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                      const ArrayReference& output, const Box& box) const = 0;
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

/// Rows that are computed together, some bytes of each in turn: so many streams from memory at once hide its
/// latency. With whole rows the blur takes 1.3 times as long on an older processor (Zen 3), with a cache line
/// at a time 1.1 times as long on one with wider vectors.
inline constexpr int rows_together = 4;
inline constexpr int bytes_in_turn = 512;

/// Computes `count` points of the row at `outer`, from x on.
template <class Bound, class Output, class... Outer>
[[gnu::always_inline]] inline void compute_span(const Bound& bound, const Output& output, int x, int count,
                                                Outer... outer) {
  using Value = typename Output::Value;
  Value* KOKKOS_RESTRICT const span = &output(Coordinate(x), outer...);
#pragma omp simd
  for (int k = 0; k < count; ++k) span[k] = static_cast<Value>(bound(Coordinate(x + k), outer...));
}

/// Computes `turns` pieces of `Piece` points of each of `rows` rows, from x and y on, in turn. The loop
/// over rows must stay one: in unrolled copies the compiler might contract floating-point operations
/// differently, and a row would depend on its place in the group. Not inlined: nothing else may claim its
/// registers.
template <int Piece, class Bound, class Output, class... Outer>
[[gnu::noinline]] void compute_in_turn(const Bound& bound, const Output& output, int x, int turns, int y,
                                       int rows, Outer... outer) {
  // Copies in registers: stores to a row cannot change them.
  const Bound local = bound;
  const Output out = output;
  for (const int end = x + turns * Piece; x < end; x += Piece) {
    TESSERA_KEEP_LOOP
    for (int r = y; r < y + rows; ++r) compute_span(local, out, x, Piece, Coordinate(r), outer...);
  }
}

/// Computes the columns [begin, end) of a group of rows.
template <class Bound, class Output, class... Outer>
inline void compute_group(const Bound& bound, const Output& output, int begin, int end, int y, int rows,
                          Outer... outer) {
  constexpr int piece = bytes_in_turn / static_cast<int>(sizeof(typename Output::Value));
  const int turns = (end - begin) / piece;
  if (turns > 0) compute_in_turn<piece>(bound, output, begin, turns, y, rows, outer...);
  const int rest = begin + turns * piece;
  TESSERA_KEEP_LOOP
  for (int r = 0; rest < end && r < rows; ++r)
    compute_span(bound, output, rest, end - rest, Coordinate(y + r), outer...);
}

/// The loops over a box: `outer` holds the coordinates of the dimensions above D.
template <int D, class Bound, class Output, class... Outer>
inline void compute_rows(const Bound& bound, const Output& output, const Box& box, Outer... outer) {
  const int begin = static_cast<int>(box[D].begin);
  const int end = static_cast<int>(box[D].end);
  if constexpr (D == 0) {
    compute_span(bound, output, begin, end - begin);
  } else if constexpr (D == 1) {
    // A copy in registers: stores to a row cannot change it.
    const Bound local = bound;
    for (int y = begin; y < end; y += rows_together)
      compute_group(local, output, static_cast<int>(box[0].begin), static_cast<int>(box[0].end), y,
                    end - y < rows_together ? end - y : rows_together, outer...);
  } else {
    for (int p = begin; p < end; ++p) compute_rows<D - 1>(bound, output, box, Coordinate(p), outer...);
  }
}

/// Computes one point: the kernel of a device.
template <class Body, class Value, int N, class... Inputs>
struct PointKernel {
  Body body;
  ArrayReference inputs[sizeof...(Inputs) > 0 ? sizeof...(Inputs) : 1];
  ArrayReference output;
  Box box;

  KOKKOS_FUNCTION void operator()(int x, std::int64_t row) const {
    int p[4] = {x, 0, 0, 0};
    for (int d = 1; d < N; ++d) {
      p[d] = static_cast<int>(box[d].begin + row % box[d].size());
      row /= box[d].size();
    }
    compute(p, std::index_sequence_for<Inputs...>{}, std::make_index_sequence<N>{});
  }

  template <std::size_t... Input, std::size_t... D>
  KOKKOS_FUNCTION void compute(const int* p, std::index_sequence<Input...>, std::index_sequence<D...>) const {
    const Accessor<Value, N> out(output);
    out(Coordinate(p[D])...) = static_cast<Value>(body(
        Accessor<const typename Inputs::Value, Inputs::dimensions>(inputs[Input])..., Coordinate(p[D])...));
  }
};

}  // namespace detail

/// A stage whose body computes one value of type Value per point of an N-dimensional array.
template <class Body, class Value, int N, class... Inputs>
class PointStage final : public StageKernel {
 public:
  explicit PointStage(const Body& body) : body_(body), footprint_(body) {}

  std::vector<Box> required(const Box& box) const override {
    std::vector<Box> needs(sizeof...(Inputs));
    footprint_.required(box, needs.data());
    return needs;
  }

  void region(const ArrayReference* inputs, const ArrayReference& output, const Box& box,
              AccessMonitor monitor) const override {
    compute(inputs, output, box, monitor, std::index_sequence_for<Inputs...>{});
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference& output,
              const Box& box) const override {
    if constexpr (!runs_on_host) {
      using Policy = Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2, Kokkos::Iterate::Left>,
                                           Kokkos::IndexType<std::int64_t>>;
      detail::PointKernel<Body, Value, N, Inputs...> kernel{body_, {}, output, box};
      for (std::size_t i = 0; i < sizeof...(Inputs); ++i) kernel.inputs[i] = inputs[i];
      Kokkos::parallel_for(
          "tessera: stage",
          Policy(execution, {box[0].begin, 0}, {box[0].end, box.size() / box[0].size()}, {64, 4}), kernel);
    } else {
      static_cast<void>(execution), static_cast<void>(inputs), static_cast<void>(output),
          static_cast<void>(box);
      throw InternalError("a stage is launched as a kernel only on devices: hosts call its region function");
    }
  }

 private:
  template <std::size_t... Input>
  void compute(const ArrayReference* inputs, const ArrayReference& output, const Box& box,
               [[maybe_unused]] AccessMonitor monitor, std::index_sequence<Input...>) const {
    const Accessor<Value, N> out(output);
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
