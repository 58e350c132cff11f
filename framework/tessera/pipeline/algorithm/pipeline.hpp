// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/body/complex.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/pipeline/body/via.hpp"
#include "tessera/pipeline/kernel/column_stage.hpp"
#include "tessera/pipeline/kernel/fused_stages.hpp"
#include "tessera/pipeline/kernel/grouped_reduction_stage.hpp"
#include "tessera/pipeline/kernel/library_stage.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

/// Builds an Algorithm, which says how each point of each stage is computed. A pipeline does not depend on
/// ranks, ghosts or tiles.
///
///     Pipeline p;
///     auto in = p.input<std::uint16_t, 2>("input", Box::of_extents(extents), Boundary::clamp);
///     auto bh = p.stage<std::uint16_t>("bh", BlurX{}, in);
///     auto bv = p.stage<std::uint16_t>("bv", BlurY{}, bh);
///     p.output(bv);
///
/// No two arrays may have the same name, nor may two loops. Every stage must lead to an output. Boxes and
/// coordinates have x first. The functions throw InternalError if a declaration is not valid.
class Pipeline : public Algorithm {
 public:
  /// Declares an N-dimensional input of T. `boundary` gives the values outside `domain`, for each side of
  /// each dimension. Where there is no boundary condition, no stage may read outside `domain`. If a loop
  /// changes the input from turn to turn (see Loop::feed), the input holds the last iterate after a run. A
  /// later run without a source for the input starts from that iterate. Throws InputError if only one side of
  /// a dimension is periodic.
  template <class T, int N>
  Array<T, N> input(std::string_view name, const Box& domain, const BoundaryConditions& boundary = {}) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    return {add_input(name, element_type_of<T>(), N, domain, boundary)};
  }

  /// Declares a stage. `body(inputs..., x, y, ...)` returns the value of one point. The body is a functor
  /// with a templated KOKKOS_FUNCTION call operator, and the pipeline keeps a copy of it. The stage has as
  /// many dimensions as its first input. A body that reads several rows, such as a stencil, may have a member
  /// `static constexpr int rows_together` from 1 to 16. Hosts then compute this number of rows together, and
  /// what these rows have in common is read and computed only once. `rows_together` never changes a result.
  /// It is ignored on devices, and in stages of one dimension. A body that makes rows of columns, as in(y, x)
  /// does, should have a member `static constexpr bool transposes = true`. Hosts then compute it in blocks,
  /// which are transposed, and which cost a fraction of the time that reading an element per row takes. This
  /// is compiled only for bodies that ask for it, and never changes a result.
  template <class T, class Body, class First, int FirstN, class... Rest, int... RestN>
  auto stage(std::string_view name, const Body& body, Array<First, FirstN> first,
             Array<Rest, RestN>... rest) {
    return stage<T, FirstN>(name, body, first, rest...);
  }
  /// Declares a stage of N dimensions. The inputs may have any numbers of dimensions, and there may be no
  /// inputs. Everything else is as for a stage that has as many dimensions as its first input.
  template <class T, int N, class Body, class... In, int... InN>
  auto stage(std::string_view name, const Body& body, Array<In, InN>... inputs) {
    return units<T, N, SinglePoint>(name, body, inputs...);
  }

  /// Declares a stage with several outputs. `body` returns `pack(a, b, ...)`, with one value for each output:
  ///
  ///     auto [gx, gy] = p.stages<TypeList<float, float>>({"gx", "gy"}, Gradient{}, in);
  ///
  /// Schedules refer to the stage by the name of its first output. All outputs have as many dimensions as the
  /// first input.
  template <class Values, class Body, class First, int N, class... Rest, int... RestN>
  auto stages(const std::vector<std::string>& names, const Body& body, Array<First, N> first,
              Array<Rest, RestN>... rest) {
    if constexpr (detail::is_callable_body<Body, N, TypeList<>, ArrayType<First, N>,
                                           ArrayType<Rest, RestN>...>()) {
      using Kernel = PointStage<Body, N, Values, TypeList<ArrayType<First, N>, ArrayType<Rest, RestN>...>>;
      return add_outputs<Kernel, N>(names, std::make_shared<Kernel>(body), {first.id, rest.id...}, Values());
    }
  }

  /// Declares a stage whose body computes X points in one call. `body(inputs..., x, y, ...)` returns
  /// `pack(...)` with the values of the X points that begin at X * x. A body that computes even and odd
  /// points differently, as in upsampling, then needs no branch, and what these points have in common is
  /// computed only once.
  template <class T, int X, class Body, class First, int N, class... Rest, int... RestN>
  auto phases(std::string_view name, const Body& body, Array<First, N> first, Array<Rest, RestN>... rest) {
    return units<T, N, Unit<X, 1>>(name, body, first, rest...);
  }

  /// Declares a stage of N dimensions whose body computes all points along the last dimension in one call,
  /// such as the channels of a pixel. `body(inputs..., x, y, ...)` gets the coordinates in the other
  /// dimensions, and returns `pack(...)` with the values of the points 0 to Planes - 1 along the last
  /// dimension. If X > 1, a call computes X points along x in each plane; a plane is all points with the same
  /// last coordinate. `pack(...)` then has the points X * x to X * x + X - 1 of the first plane, then those
  /// of the second plane, and so on. Consumers may read only the points 0 to Planes - 1 along the last
  /// dimension, which is never divided among ranks.
  template <class T, int N, int Planes, int X = 1, class Body, class... In, int... InN>
  auto planes(std::string_view name, const Body& body, Array<In, InN>... inputs) {
    static_assert(N >= 2 && Planes >= 2);
    return units<T, N, Unit<X, Planes>>(name, body, inputs...);
  }

  /// Declares a column stage of N dimensions, such as one histogram per cell. `body(line, inputs..., x, ...)`
  /// writes a whole line, which is all `extent` points along dimension D. The body gets the coordinates of
  /// the line in the other dimensions, in order. Consumers may read only the points 0 to extent - 1 along
  /// dimension D, which is never divided among ranks.
  template <class T, int N, int D, class Body, class... In, int... InN>
  Array<T, N> columns(std::string_view name, const Body& body, int extent, Array<In, InN>... inputs) {
    return add_columns<T, N, D, 0>(name, body, extent, inputs...);
  }
  /// Declares a column stage (see `columns`) with an extent that the compiler knows. Loops over short lines
  /// are then unrolled.
  template <class T, int N, int D, int Extent, class Body, class... In, int... InN>
  Array<T, N> lines(std::string_view name, const Body& body, Array<In, InN>... inputs) {
    static_assert(Extent > 0);
    return add_columns<T, N, D, Extent>(name, body, Extent, inputs...);
  }

  /// Declares a library stage of N dimensions: a stage that calls a library for whole boxes, such as the
  /// lines of a Fourier transform. `whole` names the dimensions along which the library needs all points,
  /// from 0 to extent - 1. They are never divided among ranks or tiles, and consumers may read only these
  /// points. `call(inputs..., output)` gets a LibraryBlock for each input and for the output, and writes all
  /// points of the output. `call.footprint(input, box)` returns the box of input number `input` that it reads
  /// for a box of the output, whole dimensions included. Hosts call it for tiles of lines, on several threads
  /// at the same time, and copy it once per stage. A point must get the same bits in whatever box it is
  /// computed. If the call allocates memory for itself, a member `call.scratch_bytes(box)` should return how
  /// many bytes it allocates for a box of the output, so that plans count them. On a device,
  /// `call.launch(execution, inputs..., output)` is called instead, for the box of a rank. If there is no
  /// such member, threads of the host compute the stage, and its arrays are copied to them and back. Throws
  /// InternalError if `whole` does not fit the array.
  template <class T, int N, class Call, class... In, int... InN>
  Array<T, N> library_stage(std::string_view name, const Call& call, const std::vector<WholeDimension>& whole,
                            Array<In, InN>... inputs) {
    static_assert(sizeof...(In) > 0);
    using Kernel = LibraryStage<Call, T, N, ArrayType<In, InN>...>;
    return {stage_of_kernel(name, element_type_of<T>(), N, {inputs.id...}, std::make_shared<Kernel>(call),
                            whole)};
  }

  /// Declares a global reduction of the points of an array in the box `over`. The default of `over`
  /// is the domain of the array. A stage has a domain only if it is bounded, an output or a value; for other
  /// stages `over` must be given. `Reduction` is Histogram, Mean, Sum, Minimum, Maximum, or any other
  /// ReductionOf whose result is a number or a std::array of numbers. Later stages can read the result on
  /// every rank, as `mean(0)` or `histogram(i)`. The result has the same bits on any number of ranks.
  template <class Reduction, class T, int N>
  requires ReductionOf<Reduction, T>
  auto reduce(std::string_view name, Reduction reduction, Array<T, N> input, const Box& over = {}) {
    return reduce(name, reduction, over, input);
  }
  /// Declares a global reduction of the points of several arrays, which have the same dimensions. At each
  /// point of the box `over`, `Reduction::add(value, elements..., point)` gets an element of each array. If
  /// `over` has no dimensions, it is the domain of the first array. While a stage computes its outputs, it
  /// contributes to the reductions of these outputs, and outputs that only reductions read take no memory.
  /// Inputs that are not outputs of one stage are first copied, tile by tile, by a stage with the name
  /// `<name>_inputs`, which is added to the pipeline and can be scheduled like any other.
  template <class Reduction, int N, class... T>
  requires ReductionOf<Reduction, T...>
  auto reduce(std::string_view name, Reduction, const Box& over, Array<T, N>... inputs) {
    using Kernel = ReductionStage<Reduction, N, T...>;
    return add_results(name, std::make_shared<Kernel>(), Kernel::Elements::count, over, inputs...);
  }

  /// Declares reductions of the points of the box `over` along dimension D: one for each line, such as the
  /// sum of each column of an image (D = 1), or a histogram of each row (D = 0). The result is an array of
  /// one dimension. It has the results of all lines, one after the other, x first: the sum of the column at x
  /// is `sums(x - over[0].begin)`. If a result is a std::array of K numbers, a line has K elements. The lines
  /// may be divided among ranks, because each rank reduces its own points; then every rank gets all results.
  /// Throws InternalError if `over` is empty, has not N dimensions, or has too many lines: their partial
  /// values take 2 GiB or more.
  template <int D, class Reduction, class T, int N>
  requires ReductionOf<Reduction, T>
  auto reduce_along(std::string_view name, Reduction reduction, Array<T, N> input, const Box& over) {
    return reduce_along<D>(name, reduction, over, input);
  }
  /// Declares reductions of several arrays along dimension D. The elements are added as in `reduce` for
  /// several arrays, and everything else is as for one array.
  template <int D, class Reduction, int N, class... T>
  requires ReductionOf<Reduction, T...>
  auto reduce_along(std::string_view name, Reduction, const Box& over, Array<T, N>... inputs) {
    using Kernel = GroupedReductionStage<detail::LineGroups<D, N>, Reduction, N, T...>;
    check_reduced(name, over, N);
    const auto kernel = std::make_shared<Kernel>(detail::LineGroups<D, N>(over));
    return add_results(name, kernel, kernel->element_count(), over, inputs...);
  }

  /// Declares reductions of groups of points: result i, for each i from 0 to count - 1, is the reduction of
  /// those points of the box `over` at which the array `keys` is i. Points with other keys are left out.
  /// Examples are the sum of the pixels that have label i, and a histogram with a number of bins that is
  /// known only when the program runs:
  ///
  ///     auto sums = p.reduce_by_key("sums", Sum<float>(), count, box, labels, image);
  ///     auto bins = p.reduce_by_key("bins", Count<int>(), count, box, labels);
  ///
  /// The elements of `values`, one of each array, are added as in `reduce` for several arrays, which also
  /// says which inputs are copied first. Without `values`, the keys are the elements that are added. The keys
  /// are integers, and have as many dimensions as the values. To reduce each coordinate of vectors that lie
  /// along a dimension, a stage computes key * coordinates + coordinate for each element. The result is an
  /// array of one dimension, which later stages can read on every rank. If a result is a std::array of K
  /// numbers, a group has K elements. Throws InternalError if `count` is less than 1, or so large that the
  /// partial values of all groups take 2 GiB or more.
  template <class Reduction, class Key, int N, class... T>
  auto reduce_by_key(std::string_view name, Reduction reduction, std::int64_t count, const Box& over,
                     Array<Key, N> keys, Array<T, N>... values) {
    if constexpr (sizeof...(T) == 0) {
      return reduce_by_key(name, reduction, count, over, keys, keys);
    } else {
      static_assert(ReductionOf<Reduction, T...>);
      using Kernel = GroupedReductionStage<detail::KeyGroups<Key, N>, Reduction, N, T...>;
      check_groups(name, count);
      const auto kernel = std::make_shared<Kernel>(detail::KeyGroups<Key, N>(count));
      return add_results(name, kernel, kernel->element_count(), over, keys, values...);
    }
  }

  /// Declares a library reduction of N dimensions: a global reduction that takes in whole boxes of arrays,
  /// such as the sums of points by the nearest of several centres. Unlike other reductions, it may read
  /// several arrays, which need neither be outputs of one stage nor have the same dimensions. Values and
  /// results of reductions are its parameters. `over` has the N-dimensional points that are taken in, each of
  /// them once. `Call` has these members:
  ///
  /// - `Element`, the type of the `count` elements of the result;
  /// - `footprint(input, box)`, which returns the box of input number `input` that is read for `box`;
  /// - `value_bytes()`, the bytes of a partial value, and `init(value)`, which writes that of no points;
  /// - `add(value, box, inputs...)`, which adds the points of `box`, and gets a LibraryBlock of each input.
  ///   Several threads call it at the same time, with values of their own;
  /// - a static function `join(into, other)`, which adds a partial value to another one. All that it needs to
  ///   know must be in the values, which are plain bytes, aligned like numbers of 64 bits;
  /// - `store(value, result)`, which writes the result. Every rank calls it for the same value. If it throws
  ///   InputError, the run ends with this error.
  ///
  /// The result must not depend on how points are divided among calls and values. Then it has the same bits
  /// on any number of ranks and threads. The member `scratch_bytes(box)` is as for library stages. In plans
  /// for devices, threads of the host compute the reduction. Throws InternalError if `over` has no points or
  /// other dimensions, or if a partial value takes 2 GiB or more.
  template <int N, class Call, class... In, int... InN>
  auto library_reduction(std::string_view name, const Call& call, int count, const Box& over,
                         Array<In, InN>... inputs) {
    static_assert(sizeof...(In) > 0);
    using Element = typename Call::Element;
    using Kernel = LibraryReduction<Call, N, ArrayType<In, InN>...>;
    check_reduced(name, over, N);
    return Array<Element, 1>{add_reduction(name, element_type_of<Element>(), count, {inputs.id...},
                                           std::make_shared<Kernel>(call), over)};
  }

  /// Makes the points `domain` of a stage an output of the pipeline. The default is the domain of the first
  /// input of the pipeline. Values, results of reductions and bounded stages are always output as a whole. An
  /// input may be an output if a loop changes it (see Loop::feed).
  template <class T, int N>
  void output(Array<T, N> stage, const Box& domain = {}) {
    output(stage.id, domain);
  }
  using Algorithm::output;

  /// Makes a stage end at `domain`. The stage is then computed only there, and outside `domain` it has the
  /// values that `boundary` gives, like an input. If a side is periodic, schedules can only make the stage
  /// `distributed`, or, if its inputs have the same period, `rank` or `tile` (see reason_against_ghosts). An
  /// array that a loop changes from turn to turn must be an input, a bounded stage or a value. Throws
  /// InputError if only one side of a dimension is periodic.
  template <class T, int N>
  void bound(Array<T, N> stage, const Box& domain, const BoundaryConditions& boundary) {
    check_constant<T>(boundary);
    bound(stage.id, domain, boundary);
  }
  using Algorithm::bound;

  /// Declares a value: an array of one dimension with `count` elements, which every rank computes for itself.
  /// `body(inputs..., i)` returns element i. The inputs are usually global reductions and other values. A
  /// value can be the condition of a loop, or a state that a loop changes from turn to turn.
  template <class T, class Body, class... In, int... InN>
  Array<T, 1> values(std::string_view name, const Body& body, int count, Array<In, InN>... inputs) {
    if constexpr (detail::is_callable_body<Body, 1, TypeList<>, ArrayType<In, InN>...>()) {
      using Kernel = PointStage<Body, 1, TypeList<T>, TypeList<ArrayType<In, InN>...>>;
      return {
          value_of_kernel(name, element_type_of<T>(), count, {inputs.id...}, std::make_shared<Kernel>(body))};
    }
    return {};
  }
  /// Declares a value of one element. The body is called with i = 0 only.
  template <class T, class Body, class... In, int... InN>
  Array<T, 1> value(std::string_view name, const Body& body, Array<In, InN>... inputs) {
    return values<T>(name, body, 1, inputs...);
  }

  /// The loop that is being declared. Its functions say which arrays take over values from turn to turn, and
  /// when the loop ends.
  class Loop {
   public:
    /// Replaces the values of `to` by those of `from` after every turn. The two arrays exchange their
    /// buffers, and nothing is copied. `to` is an input, a bounded stage or a value that is declared before
    /// the loop. `from` is an array that the loop computes on the domain of `to`. It may also be an array
    /// that an earlier call of `feed` has fed to: after feed(next, u), feed(u, previous) makes `previous`
    /// hold the iterate before. After the loop `to` holds the result.
    template <class T, int N>
    void feed(Array<T, N> from, Array<T, N> to) const {
      pipeline_->add_feed(loop_, from.id, to.id);
    }
    /// Makes the loop end after the first turn in which the first element of `condition` is not zero.
    /// `condition` is a value or a global reduction of the loop. A loop without a condition ends after its
    /// greatest number of turns.
    template <class T>
    void until(Array<T, 1> condition) const {
      static_assert(!ComplexNumber<T>, "Tessera: the condition of a loop is a real number");
      pipeline_->set_condition(loop_, condition.id);
    }
    /// Makes a value or a global reduction of the loop its residual, a number that reports show for each
    /// turn. If the residual is not finite after a turn, the run ends with an error. A residual of
    /// floating-point type counts as the norm of an error: if it is positive and has grown a hundredfold,
    /// programs say that the loop diverges.
    template <class T>
    void watch(Array<T, 1> residual) const {
      static_assert(!ComplexNumber<T>, "Tessera: the residual of a loop is a real number");
      pipeline_->set_residual(loop_, residual.id);
    }

   private:
    friend class Pipeline;
    Loop(Pipeline& pipeline, std::size_t loop) : pipeline_(&pipeline), loop_(loop) {}
    Pipeline* pipeline_;
    std::size_t loop_;
  };

  /// Declares a loop: the stages that `body` declares run again and again, at most `maximum` times. A loop
  /// can express the loop-of-stencil-reduce pattern and its variants (M. Aldinucci et al., A parallel pattern
  /// for iterative stencil + reduce, The Journal of Supercomputing, 2018, section 3.1). In variant -i a body
  /// uses the indices of its point, which are its coordinates. Variant -d has a reduction over the change
  /// between two iterates: a stage reads both iterates and computes the change, and a global reduction reads
  /// this stage. Variant -s has a state: this is a value that the loop feeds to another value.
  ///
  ///     p.repeat("jacobi", 1000, [&](const Pipeline::Loop& loop) {
  ///       auto next = p.stage<float>("next", Jacobi{}, u, f);
  ///       auto change = p.stage<float>("change", Difference{}, next, u);
  ///       auto residual = p.reduce("residual", MaximumNorm<float>{}, change, box);
  ///       loop.feed(next, u);
  ///       loop.watch(residual);
  ///       loop.until(p.value<std::uint8_t>("done", IsBelow{1e-6f}, residual));
  ///     });
  ///     p.output(u);
  ///
  /// Loops may contain loops. The iterates and the number of turns are the same on any number of ranks.
  template <class Body>
  void repeat(std::string_view name, std::int64_t maximum, const Body& body) {
    const std::size_t loop = begin_loop(name, maximum);
    body(static_cast<const Loop&>(Loop(*this, loop)));
    end_loop(loop);
  }

  /// Allows devices to compute these stages in one kernel where the schedule computes them in tiles. All
  /// stages but the last are then computed into the scratch memory of a team. Hosts ignore this declaration,
  /// because they can compute any stages together in tiles.
  template <class... Kernels, class... T, int... N>
  void fusable(Stage<Kernels, T, N>... stages) {
    add_group({stages.id...}, std::make_shared<FusedStages<Kernels...>>(kernel_of<Kernels>(stages.id)...));
  }

 private:
  template <class T, int N, class U, class Body, class... In, int... InN>
  auto units(std::string_view name, const Body& body, Array<In, InN>... inputs) {
    if constexpr (detail::is_callable_body<Body, U::template dimensions<N>, TypeList<>,
                                           ArrayType<In, InN>...>()) {
      using Kernel = PointStage<Body, N, TypeList<T>, TypeList<ArrayType<In, InN>...>, U>;
      std::vector<WholeDimension> whole;
      if (U::planes > 1) whole.push_back({N - 1, U::planes});
      return Stage<Kernel, T, N>{{stage_of_kernel(name, element_type_of<T>(), N, {inputs.id...},
                                                  std::make_shared<Kernel>(body), whole)}};
    } else {
      return Array<T, N>();  // after the one error that the compiler has printed
    }
  }

  template <class T, int N, int D, int Extent, class Body, class... In, int... InN>
  Array<T, N> add_columns(std::string_view name, const Body& body, int extent, Array<In, InN>... inputs) {
    static_assert(N >= 2 && D >= 0 && D < N && sizeof...(In) > 0);
    if constexpr (detail::is_callable_body<Body, N - 1, TypeList<IntervalLine<T>&>,
                                           ArrayType<In, InN>...>()) {
      using Kernel = ColumnStage<Body, T, N, D, Extent, ArrayType<In, InN>...>;
      return {stage_of_kernel(name, element_type_of<T>(), N, {inputs.id...},
                              std::make_shared<Kernel>(body, extent), {{D, extent}})};
    }
    return {};
  }

  /// Adds the result of a global reduction, which has `count` elements.
  template <class Kernel, class First, int N, class... Rest>
  auto add_results(std::string_view name, std::shared_ptr<Kernel> kernel, std::int64_t count, const Box& over,
                   Array<First, N> first, Array<Rest, N>... rest) {
    using Element = typename Kernel::Elements::Element;
    const Box points = over.dimensions == 0 ? (*this)[first.id].domain : over;
    check_reduced(name, points, N);
    return Array<Element, 1>{add_reduction(name, element_type_of<Element>(), count,
                                           of_one_stage(name, first, rest...), std::move(kernel), points)};
  }
  /// Returns the ids of arrays that are outputs of one stage: the given ones, or copies of them.
  template <int N, class... T>
  std::vector<ArrayId> of_one_stage(std::string_view name, Array<T, N>... inputs) {
    std::vector<ArrayId> ids{inputs.id...};
    if constexpr (sizeof...(T) > 1) {
      if (are_of_one_stage(ids)) return ids;
      using Kernel =
          PointStage<detail::SamePoint<sizeof...(T)>, N, TypeList<T...>, TypeList<ArrayType<T, N>...>>;
      std::vector<std::string> names{std::string(name) + "_inputs"};
      for (std::size_t k = 2; k <= sizeof...(T); ++k) names.push_back(names[0] + "_" + std::to_string(k));
      const ArrayId lead = stages_of_kernel(names, {element_type_of<T>()...}, N, ids,
                                            std::make_shared<Kernel>(detail::SamePoint<sizeof...(T)>()));
      for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = lead + static_cast<int>(k);
    }
    return ids;
  }

  template <class Kernel, int N, class... Values>
  auto add_outputs(const std::vector<std::string>& names, std::shared_ptr<const Kernel> kernel,
                   const std::vector<ArrayId>& inputs, TypeList<Values...>) {
    ArrayId id = stages_of_kernel(names, {element_type_of<Values>()...}, N, inputs, std::move(kernel));
    return std::tuple<Stage<Kernel, Values, N>...>{Stage<Kernel, Values, N>{{std::exchange(id, id + 1)}}...};
  }
  template <class Kernel>
  const Kernel& kernel_of(ArrayId id) const {
    return static_cast<const Kernel&>((*this)[(*this)[id].lead].kernel->unwrapped());
  }
};

}  // namespace tessera
