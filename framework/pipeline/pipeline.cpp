// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/pipeline.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

void check_domain(const StageDeclaration& declaration, int input_dimensions) {
  const Box& box = declaration.reduction != nullptr ? declaration.reduced : declaration.domain;
  if (!declaration.is_input() && declaration.reduction == nullptr) return;
  if (declaration.reduction != nullptr && box.empty())
    throw InternalError(
        fmt::format("the reduction '{}' needs to know over which points: give a box, as its input is a stage",
                    declaration.name));
  if (declaration.reduction != nullptr && box.dimensions != input_dimensions)
    throw InternalError(fmt::format("the reduction '{}' of an array of {} dimensions is over {}",
                                    declaration.name, input_dimensions, to_string(box)));
  if (declaration.is_input() && (box.dimensions != declaration.dimensions || box.empty()))
    throw InternalError(fmt::format("the input '{}' has {} dimensions, but its domain is {}",
                                    declaration.name, declaration.dimensions, to_string(box)));
}

}  // namespace

int Pipeline::find(std::string_view name) const {
  for (int id = 0; id < size(); ++id)
    if ((*this)[id].name == name) return id;
  throw InternalError(fmt::format("the pipeline has no stage or input '{}'", name));
}

int Pipeline::add(StageDeclaration declaration) {
  for (const StageDeclaration& other : stages_)
    if (other.name == declaration.name)
      throw InternalError(fmt::format("the pipeline has two stages named '{}'", declaration.name));
  check_domain(declaration, declaration.inputs.empty() ? 0 : (*this)[declaration.inputs.front()].dimensions);
  if (declaration.lead < 0) declaration.lead = size();
  stages_.push_back(std::move(declaration));
  return size() - 1;
}

void Pipeline::add_group(std::vector<int> stages, std::shared_ptr<const GroupKernel> kernel) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i > 0 && stages[i] <= stages[i - 1])
      throw InternalError("the stages of a fusable group must be in the order in which they were declared");
    if ((*this)[stages[i]].is_further_output)
      throw InternalError(fmt::format("a fusable group names a stage by its first output, not by '{}'",
                                      (*this)[stages[i]].name));
  }
  groups_.push_back({std::move(stages), std::move(kernel)});
}

void Pipeline::check_line(const std::string& name, int extent) {
  if (extent < 1) throw InternalError(fmt::format("the lines of '{}' have {} points", name, extent));
}

void Pipeline::check_output_names(const std::vector<std::string>& names, std::size_t outputs) {
  if (names.size() != outputs)
    throw InternalError(fmt::format("a stage with {} outputs was given {} names", outputs, names.size()));
}

void Pipeline::mark_output(int id, const Box& domain) {
  StageDeclaration& stage = stages_[static_cast<std::size_t>(id)];
  Box points = stage.reduction != nullptr ? stage.domain : domain;
  if (points.dimensions == 0)
    for (const StageDeclaration& other : stages_)
      if (other.is_input() && points.dimensions == 0) points = other.domain;
  if (stage.is_input() || points.dimensions != stage.dimensions || points.empty())
    throw InternalError(fmt::format("'{}' cannot be an output on {}", stage.name, to_string(points)));
  for (int d = 0; d < stage.dimensions; ++d)
    if (const Range whole = stage.whole[static_cast<std::size_t>(d)]; !whole.empty()) {
      if (!(intersection(whole, points[d]) == points[d]))
        throw InternalError(
            fmt::format("'{}' cannot be an output on {}: it has the points [{}, {}) in "
                        "dimension {}",
                        stage.name, to_string(points), whole.begin, whole.end, d));
    }
  stage.domain = points;
  stage.is_output = true;
}

}  // namespace tessera
