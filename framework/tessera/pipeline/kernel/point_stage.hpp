// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/pipeline/body/pack.hpp"
#include "tessera/pipeline/inference/footprint.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/kernel/row_traversal.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/pipeline/kernel/stage_outputs.hpp"
#include "tessera/pipeline/kernel/tap_sums.hpp"
#include "tessera/pipeline/kernel/transposing_traversal.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/for_each.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {

/// A list of types.
template <class... Types>
struct TypeList {};

namespace detail {

/// Returns the number of rows that hosts compute together: `Body::rows_together` if the body has such a
/// member, else 1.
template <class Body>
constexpr int rows_together_of() {
  if constexpr (requires { Body::rows_together; }) {
    static_assert(1 <= Body::rows_together && Body::rows_together <= 16, "rows_together is 1 to 16");
    return Body::rows_together;
  } else {
    return 1;
  }
}

/// Whether the body says by a member `transposes` that rows of an input become columns.
template <class Body>
concept Transposes = requires { requires bool(Body::transposes); };

/// The accessor of an input, given its ArrayType.
template <class Input>
using InputAccessor = Accessor<const typename Input::Value, Input::dimensions>;

/// Returns a std::tuple of the accessors of the inputs, for a host that computes `box` of a stage. In builds
/// with TESSERA_CHECKS, they report accesses outside the footprint to `monitor`.
template <class... Inputs>
auto accessors_of([[maybe_unused]] const ArrayReference* inputs, [[maybe_unused]] const StageKernel& stage,
                  [[maybe_unused]] const Box& box, [[maybe_unused]] AccessMonitor monitor) {
#ifdef TESSERA_CHECKS
  [[maybe_unused]] int input = 0;
  Box footprints[sizeof...(Inputs) + 1];
  stage.required(box, footprints);
  [[maybe_unused]] const auto checked = [&]<class Input>(std::type_identity<Input>) {
    const InputAccessor<Input> accessor(inputs[input]);
    monitor.input = input;
    return CheckedAccessor<const typename Input::Value, Input::dimensions, AccessMonitor>(
        accessor, footprints[input++], monitor);
  };
  return std::tuple{checked(std::type_identity<Inputs>())...};
#else
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<InputAccessor<Inputs>...>{InputAccessor<Inputs>(inputs[I])...};
  }(std::index_sequence_for<Inputs...>());
#endif
}

/// A stage body with the accessors of the inputs of the stage, which are a std::tuple, for hosts. A call
/// takes the coordinates of a point, and passes the accessors and the coordinates to the body.
template <class Body, class Accessors>
struct BoundBody {
  Body body;
  Accessors inputs;

  static constexpr int rows_together = rows_together_of<Body>();

  template <class... Coordinates>
  [[gnu::always_inline]] auto operator()(Coordinates... at) const {
    return call(std::make_index_sequence<std::tuple_size_v<Accessors>>{}, at...);
  }
  template <std::size_t... Input, class... Coordinates>
  [[gnu::always_inline]] auto call(std::index_sequence<Input...>, Coordinates... at) const {
    return body(std::get<Input>(inputs)..., at...);
  }
};

/// The kernel of a point stage on a device. It computes units (see Unit), which are single points for most
/// stages.
template <class Body, int N, class Outputs, class Inputs, class U>
struct PointKernel;
template <class Body, int N, class... Values, class... Inputs, class U>
struct PointKernel<Body, N, TypeList<Values...>, TypeList<Inputs...>, U> {
  Body body;
  ArrayReference inputs[sizeof...(Inputs) > 0 ? sizeof...(Inputs) : 1];
  ArrayReference outputs[sizeof...(Values)];
  /// The range of the box along x, in points.
  Range columns;
  Box units;

  KOKKOS_FUNCTION PointKernel(const Body& stage_body, const ArrayReference* in, const ArrayReference* out,
                              const Box& box)
      : body(stage_body), inputs{}, outputs{}, columns(box[0]), units(U::over(box)) {
    for (int i = 0; i < input_count; ++i) inputs[i] = in[i];
    for (std::size_t i = 0; i < sizeof...(Values); ++i) outputs[i] = out[i];
  }

  static constexpr int input_count = sizeof...(Inputs);
  /// The number of inputs and outputs together.
  static constexpr int array_count = input_count + static_cast<int>(sizeof...(Values));
  /// The number of rows that one thread of a device computes. Points below each other share what they read.
  static constexpr int rows_per_thread = N >= 2 && U::points == 1 ? 4 : 1;

  /// Computes the unit at `p`.
  KOKKOS_FUNCTION void compute(const int* p) const { store(p, value(p)); }

  /// Computes the points at `p` and below it, rows_per_thread of them. All values are computed before the
  /// first is stored: a store could change an input as far as the compiler knows, so that each point would
  /// read for itself what its neighbours have read.
  KOKKOS_FUNCTION void compute_rows(const int* p) const {
    compute_rows(p, std::make_index_sequence<rows_per_thread>{});
  }

  /// Returns what the body returns for the unit at `p`. A Lookup is looked up, because it points to a table
  /// of this kernel, which other threads may hold elsewhere.
  KOKKOS_FUNCTION auto value(const int* p) const {
    return looked_up(value(p, std::index_sequence_for<Inputs...>{},
                           std::make_index_sequence<U::template dimensions<N>>{}));
  }

  /// Stores what the body returned for the unit at `p`.
  template <class Result>
  KOKKOS_FUNCTION void store(const int* p, const Result& values) const {
    store(p, values,
          std::make_index_sequence < U::points == 1 ? sizeof...(Values) : std::size_t(U::points) > {},
          std::make_index_sequence<N>{});
  }

 private:
  template <std::size_t... Row>
  KOKKOS_FUNCTION void compute_rows(const int* p, std::index_sequence<Row...>) const {
    const int at[rows_per_thread][max_dimensions] = {{p[0], p[1] + static_cast<int>(Row), p[2], p[3]}...};
    const decltype(value(p)) values[rows_per_thread] = {value(at[Row])...};
    (store(at[Row], values[Row]), ...);
  }
  template <std::size_t... Input, std::size_t... D>
  KOKKOS_FUNCTION auto value(const int* p, std::index_sequence<Input...>, std::index_sequence<D...>) const {
    return body(InputAccessor<Inputs>(inputs[Input])..., Coordinate(p[D])...);
  }
  template <class Result, std::size_t... K, std::size_t... D>
  KOKKOS_FUNCTION void store(const int* p, const Result& values, std::index_sequence<K...>,
                             std::index_sequence<D...> all) const {
    if constexpr (U::points == 1)
      ((Accessor<Values, N>(outputs[K])(Coordinate(p[D])...) = static_cast<Values>(value_of<K>(values))),
       ...);
    else
      (put<K>(p, value_of<K>(values), all), ...);
  }
  template <std::size_t K, class Value, std::size_t... D>
  KOKKOS_FUNCTION void put(const int* p, const Value& value, std::index_sequence<D...>) const {
    int at[N];
    for (int d = 0; d < U::template dimensions<N>; ++d) at[d] = p[d];
    at[0] = p[0] * U::x + static_cast<int>(K) % U::x;
    if constexpr (U::planes > 1) at[N - 1] = static_cast<int>(K) / U::x;
    if (at[0] < columns.begin || at[0] >= columns.end) return;
    using Stored = std::tuple_element_t<0, std::tuple<Values...>>;
    const Accessor<Stored, N> array{outputs[0]};
    array(Coordinate(at[D])...) = static_cast<Stored>(value);
  }
};

/// Calls kernel.compute(p) for all points p of a row of `box`, for launch_rows.
template <class Kernel>
struct ComputeRow {
  const Kernel& kernel;
  const Box& box;

  void operator()(std::int64_t row) const {
    int p[max_dimensions] = {};
    locate_row(box, box.dimensions, row, p);
    for (p[0] = static_cast<int>(box[0].begin); p[0] < box[0].end; ++p[0]) kernel.compute(p);
  }
};

/// Enqueues kernel.compute(p) for all points p of `box` on a device. In builds for hosts, where only tests
/// launch the kernels of stages, a thread computes whole rows, and the call returns when all have ended.
template <class Kernel>
void launch_points(const ExecutionSpace& execution, const Box& box, const Kernel& kernel) {
  if constexpr (runs_on_host)
    launch_rows(execution, box.size() / box[0].size(), ComputeRow<Kernel>{kernel, box});
  else
    launch_on_device(execution, "tessera: stage", box, kernel);
}

}  // namespace detail

/// A stage with N-dimensional outputs. A call of the body computes one point, and returns one value for each
/// output. If the unit U has more than one point, the stage has a single output, and a call of the body
/// computes all points of one unit (see Unit). `Outputs` is a TypeList of the element types of the outputs,
/// and `Inputs` is a TypeList of the ArrayTypes of the inputs.
template <class Body, int N, class Outputs, class Inputs, class U = SinglePoint>
class PointStage;
/// The specialization that defines PointStage. `Outputs` and `Inputs` must be TypeLists.
template <class Body, int N, class... Values, class... Inputs, class U>
class PointStage<Body, N, TypeList<Values...>, TypeList<Inputs...>, U> final : public StageKernel {
 public:
  static_assert(U::points == 1 || sizeof...(Values) == 1);
  static_assert(detail::rows_together_of<Body>() == 1 || (U::points == 1 && sizeof...(Values) == 1),
                "rows_together is for bodies that give one value of one point");
  static_assert(!detail::Transposes<Body> || (U::points == 1 && sizeof...(Values) == 1),
                "transposes is for bodies that give one value of one point");
  /// The kernel that computes the stage on a device.
  using DeviceKernel = detail::PointKernel<Body, N, TypeList<Values...>, TypeList<Inputs...>, U>;

  /// Copies the body and infers the closed form of its footprint, if it has one.
  explicit PointStage(const Body& body)
      : body_(body), footprint_(body), swaps_rows_(footprint_.swaps_rows()) {}

  /// Returns the body of the stage.
  const Body& body() const { return body_; }

  void required(const Box& box, Box* needs) const override { footprint_.required(U::over(box), needs); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override {
    const Box left = compute_in_vectors(inputs, outputs, box);
    if (!left.empty()) compute(inputs, outputs, left, monitor);
  }

  bool swaps_rows() const override { return swaps_rows_; }
  bool could_transpose() const override { return swaps_rows_ && !can_transpose; }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    const DeviceKernel kernel(body_, inputs, outputs, box);
    if constexpr (can_transpose && !runs_on_host)
      if (swaps_rows_) return launch_transposing(execution, box, kernel);
    detail::launch_points(execution, kernel.units, kernel);
  }

 private:
  static void launch_transposing(const ExecutionSpace& execution, const Box& box,
                                 const DeviceKernel& kernel) {
    const detail::TransposingTiles<DeviceKernel> tiles(kernel, box);
    detail::launch_teams(execution, "tessera: stage", tiles.count(), tiles.scratch_bytes, tiles);
  }

  static constexpr int dimensions = U::template dimensions<N>;
  static constexpr bool can_transpose =
      detail::Transposes<Body> && dimensions >= 2 && U::points == 1 && sizeof...(Values) == 1;

  /// Computes those points of a WeightedTaps that vector instructions can compute. Returns the box of the
  /// points that are left, which are all points of other bodies. Builds with TESSERA_CHECKS leave all points,
  /// so that each access is checked.
  Box compute_in_vectors([[maybe_unused]] const ArrayReference* inputs,
                         [[maybe_unused]] const ArrayReference* outputs, const Box& box) const {
#ifndef TESSERA_CHECKS
    if constexpr (is_weighted_taps<Body>) {
      using Output = std::tuple_element_t<0, std::tuple<Values...>>;
      using InputTypes = std::tuple<typename Inputs::Value...>;
      using Element = std::tuple_element_t<0, InputTypes>;
      using Weight = std::tuple_element_t<2, InputTypes>;
      if constexpr (detail::HasVectorSums<Element, Weight, Output>) {
        Box needs[sizeof...(Inputs)];
        footprint_.required(box, needs);
        return detail::compute_taps<Body, N, Element, Weight, Output>(inputs, outputs[0], box, needs[0][0]);
      }
    }
#endif
    return box;
  }

  void compute(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
               AccessMonitor monitor) const {
    constexpr bool wide = std::min({sizeof(typename Inputs::Value)..., sizeof(std::int64_t)}) >= 4;
    const detail::OutputArrays<wide, U, N, Values...> out(outputs, box);
    const auto accessors = detail::accessors_of<Inputs...>(inputs, *this, box, monitor);
    const detail::BoundBody<Body, std::remove_const_t<decltype(accessors)>> bound{body_, accessors};
    const Box units = U::over(box);
    if constexpr (can_transpose) {
      if (swaps_rows_)
        detail::compute_transposed<dimensions - 1>(bound, out.array, out.non_temporal, units);
      else
        detail::compute_rows<dimensions - 1>(bound, out, units);
    } else {
      detail::compute_rows<dimensions - 1>(bound, out, units);
    }
    if (std::any_of(outputs, outputs + sizeof...(Values),
                    [](const ArrayReference& output) { return output.non_temporal; }))
      detail::finish_non_temporal_stores();
  }

  Body body_;
  Footprint<Body, dimensions, Inputs...> footprint_;
  /// Whether rows of the stage are columns of an input, and no input is read along its rows. If so, and if
  /// the body has a member `transposes`, hosts compute the stage by compute_transposed.
  bool swaps_rows_;
};

}  // namespace tessera

namespace tessera::detail {

/// `Type`. The index only makes a list of such types.
template <class Type, std::size_t>
using Repeated = Type;

/// Whether a body of the type `Body`, which may be const, can be called with the arguments `First`, then an
/// accessor for each input, and then a coordinate for each dimension. The accessors and coordinates are those
/// of inference. It does not call the bodies of stages without inputs, whose coordinates are plain numbers.
template <class Body, class... First, class... Inputs, std::size_t... Dimension>
constexpr bool is_called_with(TypeList<First...>, TypeList<Inputs...>, std::index_sequence<Dimension...>) {
  using Number = std::conditional_t<sizeof...(Inputs) == 0, Coordinate, Interval<Coordinate>>;
  return std::is_invocable_v<Body&, First...,
                             RecordingAccessor<typename Inputs::Value, Inputs::dimensions>...,
                             Repeated<Number, Dimension>...>;
}

/// Returns true if a body can be called with the arguments `First`, then an accessor for each input, and then
/// N coordinates. Otherwise the program does not compile, and one sentence says why. Bodies that declare
/// their footprint are not called by inference, and not checked here.
template <class Body, int N, class First, class... Inputs>
constexpr bool is_callable_body() {
  if constexpr (DeclaresFootprint<Body>) {
    return true;
  } else {
    constexpr bool is_callable =
        is_called_with<const Body>(First(), TypeList<Inputs...>(), std::make_index_sequence<N>());
    if constexpr (!is_callable) {
      constexpr bool is_callable_if_not_const =
          is_called_with<Body>(First(), TypeList<Inputs...>(), std::make_index_sequence<N>());
      static_assert(!is_callable_if_not_const,
                    "the operator() of a stage body must be const, because all threads share the body");
      static_assert(
          is_callable_if_not_const,
          "the operator() of a stage body takes one accessor for each input of the stage, and then "
          "one coordinate for each dimension, the types of which are template parameters; the body of "
          "a column stage takes the line first, and no coordinate along it");
    }
    return is_callable;
  }
}

}  // namespace tessera::detail
