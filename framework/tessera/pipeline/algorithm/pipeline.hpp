// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/algorithm/arrays.hpp"
#include "tessera/pipeline/body/elementary.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/pipeline/body/via.hpp"
#include "tessera/pipeline/kernel/column_stage.hpp"
#include "tessera/pipeline/kernel/fused_stages.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

/// Builds an Algorithm: what every point of every stage is. It knows nothing of ranks, ghosts or tiles.
///
///     Pipeline p;
///     auto in = p.input<std::uint16_t, 2>("input", Box::of_extents(extents), Boundary::clamp);
///     auto bh = p.stage<std::uint16_t>("bh", BlurX{}, in);
///     auto bv = p.stage<std::uint16_t>("bv", BlurY{}, bh);
///     p.output(bv);
///
/// Names must differ from each other. Every stage must lead to an output. Boxes and coordinates have x first.
/// The functions throw InternalError for a declaration that no pipeline can have.
class Pipeline : public Algorithm {
 public:
  /// An N-dimensional input of T. Outside `domain` it holds what `boundary` says, per dimension and side;
  /// without a boundary condition no stage may read there. An input that a loop feeds keeps the last iterate:
  /// a later run that reads no file starts from it. Throws InputError when only one side of a dimension is
  /// periodic.
  template <class T, int N>
  Array<T, N> input(std::string name, const Box& domain, const BoundaryConditions& boundary = {}) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    return {add({.name = std::move(name),
                 .type = element_type_of<T>(),
                 .dimensions = N,
                 .domain = domain,
                 .boundary = boundary})};
  }

  /// A stage whose `body(inputs..., x, y, ...)` returns the value of one point. The body is a functor with a
  /// templated KOKKOS_FUNCTION call operator; it is copied. The stage has as many dimensions as its first
  /// input. A body that reads several rows, as stencils do, may name `static constexpr int rows_together`, 1
  /// to 16: hosts then compute this many rows at a time, and what these rows share is read and computed once.
  /// It never changes a result. Devices, and stages of one dimension, ignore it.
  template <class T, class Body, class First, int FirstN, class... Rest, int... RestN>
  auto stage(std::string name, const Body& body, Array<First, FirstN> first, Array<Rest, RestN>... rest) {
    return stage<T, FirstN>(std::move(name), body, first, rest...);
  }
  /// A stage of N dimensions, whatever the dimensions of its inputs, of which there may be none. Everything
  /// else is as for the stages that have as many dimensions as their first input.
  template <class T, int N, class Body, class... In, int... InN>
  auto stage(std::string name, const Body& body, Array<In, InN>... inputs) {
    return units<T, N, SinglePoint>(std::move(name), body, inputs...);
  }

  /// A stage with several outputs, whose `body` returns pack(a, b, ...):
  ///
  ///     auto [gx, gy] = p.stages<TypeList<float, float>>({"gx", "gy"}, Gradient{}, in);
  ///
  /// In a schedule it has the name of its first output. All outputs have the dimensions of the first input.
  template <class Values, class Body, class First, int N, class... Rest, int... RestN>
  auto stages(const std::vector<std::string>& names, const Body& body, Array<First, N> first,
              Array<Rest, RestN>... rest) {
    using Kernel = PointStage<Body, N, Values, TypeList<ArrayType<First, N>, ArrayType<Rest, RestN>...>>;
    return add_outputs<Kernel, N>(names, std::make_shared<Kernel>(body), {first.id, rest.id...}, Values());
  }

  /// A stage whose body computes X points that follow each other along x at a time: body(inputs..., x, y,
  /// ...) returns pack(...) of the points X * x to X * x + X - 1. Differences between even and odd points, as
  /// in upsampling, then need no branch, and what these points share is computed once.
  template <class T, int X, class Body, class First, int N, class... Rest, int... RestN>
  auto phases(std::string name, const Body& body, Array<First, N> first, Array<Rest, RestN>... rest) {
    return units<T, N, Unit<X, 1>>(std::move(name), body, first, rest...);
  }

  /// A stage whose body computes all points of the last of N dimensions at a time, such as the colours of a
  /// pixel: body(inputs..., x, y, ...) returns pack(...) of the points 0 to Planes - 1 of that dimension, or,
  /// with X > 1, of the points X * x to X * x + X - 1 of the first plane, then of the second, and so on.
  /// Consumers may read only the points 0 to Planes - 1 of that dimension, which is never divided among
  /// ranks.
  template <class T, int N, int Planes, int X = 1, class Body, class... In, int... InN>
  auto planes(std::string name, const Body& body, Array<In, InN>... inputs) {
    static_assert(N >= 2 && Planes >= 2);
    return units<T, N, Unit<X, Planes>>(std::move(name), body, inputs...);
  }

  /// A column stage of N dimensions, such as a histogram per cell: `body(line, inputs..., x, ...)` writes all
  /// `extent` points along dimension D for one point of the other dimensions, whose coordinates it gets in
  /// order. Consumers may read only the points 0 to extent - 1 of dimension D, which is never divided among
  /// ranks.
  template <class T, int N, int D, class Body, class... In, int... InN>
  Array<T, N> columns(std::string name, const Body& body, int extent, Array<In, InN>... inputs) {
    return add_columns<T, N, D, 0>(std::move(name), body, extent, inputs...);
  }
  /// A column stage, as `columns`, whose extent the compiler knows: loops over short lines are then unrolled.
  template <class T, int N, int D, int Extent, class Body, class... In, int... InN>
  Array<T, N> lines(std::string name, const Body& body, Array<In, InN>... inputs) {
    static_assert(Extent > 0);
    return add_columns<T, N, D, Extent>(std::move(name), body, Extent, inputs...);
  }

  /// A global reduction of the points `over` of an array (default: the array's domain, which stages that are
  /// neither bounded nor outputs do not have). `Reduction` is Histogram, Mean, Sum, Minimum, Maximum, or any
  /// other ReductionOf whose result is a number or a std::array of numbers. Later stages read the result,
  /// `mean(0)` or `histogram(i)`, on every rank. It has the same bits on any number of ranks.
  template <class Reduction, class T, int N>
  requires ReductionOf<Reduction, T>
  auto reduce(std::string name, Reduction, Array<T, N> input, const Box& over = {}) {
    using Kernel = ReductionStage<Reduction, T, N>;
    using Element = typename Kernel::Elements::Element;
    auto kernel = std::make_shared<Kernel>();
    ArrayDeclaration declaration{.name = std::move(name),
                                 .type = element_type_of<Element>(),
                                 .dimensions = 1,
                                 .inputs = {input.id},
                                 .kernel = kernel,
                                 .domain = Box{{0, Kernel::Elements::count}}};
    declaration.whole[0] = declaration.domain[0];
    declaration.reduction = kernel.get();
    declaration.reduced = over.dimensions == 0 ? (*this)[input.id].domain : over;
    return Array<Element, 1>{add(std::move(declaration))};
  }

  /// Makes a stage an output on `domain`. The default is the domain of the pipeline's first input; values,
  /// results of reductions and bounded stages are output as a whole. An input may be an output if a loop
  /// feeds it.
  template <class T, int N>
  void output(Array<T, N> stage, const Box& domain = {}) {
    output(stage.id, domain);
  }
  using Algorithm::output;

  /// Ends a stage at `domain`: it is computed only there, and beyond it holds what `boundary` says, like an
  /// input. With a periodic side it is `distributed` in all schedules, because the points beyond come from
  /// other ranks. An array that a loop carries from turn to turn starts as such a stage, or as an input.
  /// Throws InputError when only one side of a dimension is periodic.
  template <class T, int N>
  void bound(Array<T, N> stage, const Box& domain, const BoundaryConditions& boundary) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    mark_bounded(stage.id, domain, boundary);
  }

  /// An array of one dimension whose `count` elements every rank computes for itself. body(inputs..., i)
  /// returns element i; its inputs are mostly global reductions and other values. The conditions and states
  /// of loops are values.
  template <class T, class Body, class... In, int... InN>
  Array<T, 1> values(std::string name, const Body& body, int count, Array<In, InN>... inputs) {
    check_line(name, count);
    using Kernel = PointStage<Body, 1, TypeList<T>, TypeList<ArrayType<In, InN>...>>;
    ArrayDeclaration declaration{.name = std::move(name),
                                 .type = element_type_of<T>(),
                                 .dimensions = 1,
                                 .inputs = {inputs.id...},
                                 .kernel = std::make_shared<Kernel>(body),
                                 .domain = Box{{0, count}}};
    declaration.whole[0] = declaration.domain[0];
    declaration.is_value = true;
    return {add(std::move(declaration))};
  }
  /// A single value: the body is called with i = 0 only.
  template <class T, class Body, class... In, int... InN>
  Array<T, 1> value(std::string name, const Body& body, Array<In, InN>... inputs) {
    return values<T>(std::move(name), body, 1, inputs...);
  }

  /// The loop that is being declared: its stages say through it what is fed and when it ends.
  class Loop {
   public:
    /// After every turn `to` becomes `from`, a stage of the loop: both change places, and nothing is copied.
    /// `to` is an input, a bounded stage or a value from before the loop; `from` is computed on the domain of
    /// `to`. After the loop `to` holds the result.
    template <class T, int N>
    void feed(Array<T, N> from, Array<T, N> to) const {
      pipeline_->add_feed(loop_, from.id, to.id);
    }
    /// The loop ends after the first turn in which `condition`, a value or a global reduction of the loop, is
    /// not zero. A loop without a condition ends at its maximum.
    template <class T>
    void until(Array<T, 1> condition) const {
      pipeline_->set_condition(loop_, condition.id);
    }
    /// Makes a value or a global reduction of the loop its residual, which reports show. A run ends with an
    /// error after the turn in which it is not finite.
    template <class T>
    void watch(Array<T, 1> residual) const {
      pipeline_->set_residual(loop_, residual.id);
    }

   private:
    friend class Pipeline;
    Loop(Pipeline& pipeline, std::size_t loop) : pipeline_(&pipeline), loop_(loop) {}
    Pipeline* pipeline_;
    std::size_t loop_;
  };

  /// A loop, after the loop-of-stencil-reduce pattern and its variants (M. Aldinucci et al., A parallel
  /// pattern for iterative stencil + reduce, The Journal of Supercomputing, 2018, section 3.1): the stages
  /// that `body` declares run again and again, at most `maximum` times. Bodies may use indices (-i), as in
  /// every stage; a stage that reads both iterates gives the change that is reduced (-d); a value that is fed
  /// back is a state (-s).
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
  /// Loops may hold loops. Iterates and the number of turns are the same on any number of ranks.
  template <class Body>
  void repeat(std::string name, std::int64_t maximum, const Body& body) {
    const std::size_t loop = begin_loop(std::move(name), maximum);
    body(static_cast<const Loop&>(Loop(*this, loop)));
    end_loop(loop);
  }

  /// Lets devices compute these stages in one kernel, all but the last in scratch memory of a team, where the
  /// schedule computes them in tiles. Hosts fuse any stages and ignore it.
  template <class... Kernels, class... T, int... N>
  void fusable(Stage<Kernels, T, N>... stages) {
    add_group({stages.id...}, std::make_shared<FusedStages<Kernels...>>(kernel_of<Kernels>(stages.id)...));
  }

 private:
  template <class T, int N, class U, class Body, class... In, int... InN>
  auto units(std::string name, const Body& body, Array<In, InN>... inputs) {
    using Kernel = PointStage<Body, N, TypeList<T>, TypeList<ArrayType<In, InN>...>, U>;
    ArrayDeclaration declaration{.name = std::move(name),
                                 .type = element_type_of<T>(),
                                 .dimensions = N,
                                 .inputs = {inputs.id...},
                                 .kernel = std::make_shared<Kernel>(body)};
    if (U::planes > 1) declaration.whole[N - 1] = {0, U::planes};
    return Stage<Kernel, T, N>{{add(std::move(declaration))}};
  }

  template <class T, int N, int D, int Extent, class Body, class... In, int... InN>
  Array<T, N> add_columns(std::string name, const Body& body, int extent, Array<In, InN>... inputs) {
    static_assert(N >= 2 && D >= 0 && D < N && sizeof...(In) > 0);
    check_line(name, extent);
    using Kernel = ColumnStage<Body, T, N, D, Extent, ArrayType<In, InN>...>;
    ArrayDeclaration declaration{.name = std::move(name),
                                 .type = element_type_of<T>(),
                                 .dimensions = N,
                                 .inputs = {inputs.id...},
                                 .kernel = std::make_shared<Kernel>(body, extent)};
    declaration.whole[D] = {0, extent};
    return {add(std::move(declaration))};
  }

  template <class Kernel, int N, class... Values>
  auto add_outputs(const std::vector<std::string>& names, std::shared_ptr<const Kernel> kernel,
                   std::vector<int> inputs, TypeList<Values...>) {
    check_output_names(names, sizeof...(Values));
    const ElementType types[] = {element_type_of<Values>()...};
    const int lead = size();
    for (std::size_t k = 0; k < sizeof...(Values); ++k) {
      ArrayDeclaration declaration{.name = names[k], .type = types[k], .dimensions = N};
      declaration.is_further_output = k > 0;
      if (k == 0) {
        declaration.inputs = std::move(inputs);
        declaration.kernel = kernel;
        declaration.output_count = sizeof...(Values);
      }
      declaration.lead = lead;
      add(std::move(declaration));
    }
    int id = lead;
    return std::tuple<Stage<Kernel, Values, N>...>{Stage<Kernel, Values, N>{{id++}}...};
  }
  template <class Kernel>
  const Kernel& kernel_of(int id) const {
    return static_cast<const Kernel&>(*(*this)[(*this)[id].lead].kernel);
  }
};

}  // namespace tessera
