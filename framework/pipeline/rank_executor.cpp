// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/rank_executor.hpp"

#include <fmt/format.h>

#include "tessera/view/fill_boundary.hpp"

namespace tessera {
namespace {

std::int64_t element_size(const Pipeline& pipeline, int id) {
  return static_cast<std::int64_t>(size_of(pipeline[id].type));
}

/// A copy of `part` of a block that the host can reach: the block itself on hosts.
class HostCopy {
 public:
  HostCopy(const ExecutionSpace& execution, const Block<>& block, const Box& part, ElementType type)
      : execution_(execution),
        block_(block),
        part_(part),
        type_(type),
        mirror_(Kokkos::create_mirror_view(block.memory())) {}

  HostBlock get() const { return block_.host_block(part_, mirror_.data(), type_); }
  void to_device() const { move(block_.memory(), mirror_); }
  void to_host() const { move(mirror_, block_.memory()); }

 private:
  template <class To, class From>
  void move(const To& to, const From& from) const {
    compat::copy(execution_, to, from);
    execution_.fence();
  }

  const ExecutionSpace& execution_;
  const Block<>& block_;
  Box part_;
  ElementType type_;
  decltype(Kokkos::create_mirror_view(std::declval<const Kokkos::View<std::byte*, MemorySpace>&>())) mirror_;
};

}  // namespace

RankExecutor::RankExecutor(const Pipeline& pipeline, const Plan& plan)
    : pipeline_(pipeline),
      plan_(plan),
      blocks_(static_cast<std::size_t>(pipeline.size())),
      arrays_(blocks_.size()),
      tiles_(plan.target.threads, plan.scratch_bytes / plan.target.threads) {
  for (const PlanNode& node : phase(plan_, "allocate").children) {
    const auto& step = std::get<plan::Allocate>(node.step);
    const auto i = static_cast<std::size_t>(step.array);
    const StageDeclaration& stage = pipeline_[step.array];
    blocks_[i] =
        Block<>("tessera: " + stage.name, element_size(pipeline_, step.array), step.box, step.aligned_x);
    arrays_[i] = blocks_[i].reference();
  }
}

void RankExecutor::run(const PlanNode& leaf, const Bindings& bindings) {
  const auto bound = [&](const auto& map, int array) {
    const auto found = map.find(pipeline_[array].name);
    return found == map.end() ? nullptr : found->second;
  };
  if (const auto* input = std::get_if<plan::Read>(&leaf.step)) {
    if (BlockSource* source = bound(bindings.sources, input->array)) read(*input, *source);
  } else if (const auto* output = std::get_if<plan::Write>(&leaf.step)) {
    if (BlockSink* sink = bound(bindings.sinks, output->array)) write(*output, *sink);
  } else if (const auto* boundary = std::get_if<plan::FillBoundary>(&leaf.step)) {
    fill(*boundary);
  } else if (const auto* stage = std::get_if<plan::Compute>(&leaf.step)) {
    compute(*stage);
  }
}

void RankExecutor::read(const plan::Read& step, BlockSource& source) {
  const HostCopy copy(execution_, block(step.array), step.box, pipeline_[step.array].type);
  // Only a part of the block is read: the rest of a device's copy must stay as it is.
  if constexpr (!runs_on_host) copy.to_host();
  source.read(copy.get());
  if constexpr (!runs_on_host) copy.to_device();
}

void RankExecutor::write(const plan::Write& step, BlockSink& sink) {
  const HostCopy copy(execution_, block(step.array), step.box, pipeline_[step.array].type);
  execution_.fence();
  if constexpr (!runs_on_host) copy.to_host();
  sink.write(copy.get());
}

void RankExecutor::fill(const plan::FillBoundary& step) {
  if (step.box.empty()) return;
  fill_boundary(execution_, array(step.array), step.box, pipeline_[step.array].domain,
                pipeline_[step.array].boundary, element_size(pipeline_, step.array));
}

void RankExecutor::compute(const plan::Compute& step) {
  if (!step.box.empty()) compute_on(execution_, step);
}

template <class Execution>
void RankExecutor::compute_on(const Execution& execution, const plan::Compute& step) {
  if constexpr (runs_on_host) {
    AccessViolations violations;
    tiles_.run(execution, pipeline_, step, arrays_, violations);
    if (violations.first() != nullptr) fail(*violations.first());
  } else {
    const StageDeclaration& stage = pipeline_[step.stage];
    std::vector<ArrayReference> inputs;
    for (int input : stage.inputs) inputs.push_back(array(input));
    stage.kernel->launch(execution, inputs.data(), array(step.stage), step.box);
  }
}

void RankExecutor::fail(const AccessViolation& violation) const {
  const StageDeclaration& stage = pipeline_[violation.stage];
  const int input = stage.inputs[static_cast<std::size_t>(violation.input)];
  std::string point;
  for (int d = 0; d < violation.footprint.dimensions; ++d)
    point += (d == 0 ? "" : ", ") + std::to_string(violation.point[d]);
  throw InternalError(fmt::format(
      "stage '{}' read '{}' at ({}), which in dimension {} lies outside its footprint {}", stage.name,
      pipeline_[input].name, point, violation.dimension, to_string(violation.footprint)));
}

}  // namespace tessera
