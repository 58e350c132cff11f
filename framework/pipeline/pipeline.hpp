// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/functions.hpp"
#include "tessera/pipeline/stage_kernel.hpp"

namespace tessera {

/// An N-dimensional array of T in a pipeline: an input, or what a stage computes.
template <class T, int N>
struct Array {
  int id;
};

/// One input or stage as the pipeline stores it.
struct StageDeclaration {
  std::string name;
  ElementType type = ElementType::uint8;
  int dimensions = 0;
  /// The arrays that the body reads, in the order of its parameters; always declared before.
  std::vector<int> inputs;
  /// Null for inputs.
  std::shared_ptr<const StageKernel> kernel;
  /// The array's points: of inputs and outputs as declared, empty for intermediate stages.
  Box domain;
  /// What an input holds outside its domain.
  BoundaryConditions boundary;
  bool is_output = false;

  bool is_input() const { return kernel == nullptr; }
};

/// An algorithm: what every point of every stage is. It knows nothing of ranks, ghosts or tiles.
///
///     Pipeline p;
///     auto in = p.input<std::uint16_t, 2>("input", Box::of_extents(extents), Boundary::clamp);
///     auto bh = p.stage<std::uint16_t>("bh", BlurX{}, in);
///     auto bv = p.stage<std::uint16_t>("bv", BlurY{}, bh);
///     p.output(bv);
///
/// Names must differ from each other. Every stage must lead to an output.
class Pipeline {
 public:
  /// An input that holds outside `domain` what `boundary` says, per dimension and side; without a condition
  /// no stage may read there. Throws InputError when only one side of a dimension is periodic.
  template <class T, int N>
  Array<T, N> input(std::string name, const Box& domain, const BoundaryConditions& boundary = {}) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    StageDeclaration declaration{
        std::move(name), element_type_of<T>(), N, {}, nullptr, domain, boundary, false};
    return {add(std::move(declaration))};
  }

  /// A stage whose `body(inputs..., x, y, ...)` returns the value of one point. The body is a functor with a
  /// templated KOKKOS_FUNCTION call operator; it is copied. The stage has as many dimensions as its first
  /// input, or N.
  template <class T, class Body, class First, int FirstN, class... Rest, int... RestN>
  Array<T, FirstN> stage(std::string name, const Body& body, Array<First, FirstN> first,
                         Array<Rest, RestN>... rest) {
    return stage<T, FirstN>(std::move(name), body, first, rest...);
  }
  template <class T, int N, class Body, class... In, int... InN>
  Array<T, N> stage(std::string name, const Body& body, Array<In, InN>... inputs) {
    auto kernel = std::make_shared<PointStage<Body, T, N, ArrayType<In, InN>...>>(body);
    return {
        add({std::move(name), element_type_of<T>(), N, {inputs.id...}, std::move(kernel), {}, {}, false})};
  }

  /// Makes a stage an output on `domain`; without one, on the domain of the pipeline's first input.
  template <class T, int N>
  void output(Array<T, N> stage, const Box& domain = {}) {
    mark_output(stage.id, domain);
  }

  const std::vector<StageDeclaration>& stages() const { return stages_; }
  const StageDeclaration& operator[](int id) const { return stages_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(stages_.size()); }
  /// The id of a stage or input; throws InternalError when there is none.
  int find(std::string_view name) const;

 private:
  int add(StageDeclaration declaration);
  void mark_output(int id, const Box& domain);

  std::vector<StageDeclaration> stages_;
};

}  // namespace tessera
