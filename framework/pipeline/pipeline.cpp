// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/pipeline.hpp"

#include <fmt/format.h>

namespace tessera {

int Pipeline::find(std::string_view name) const {
  for (int id = 0; id < size(); ++id)
    if ((*this)[id].name == name) return id;
  throw InternalError(fmt::format("the pipeline has no stage or input '{}'", name));
}

int Pipeline::add(StageDeclaration declaration) {
  for (const StageDeclaration& other : stages_)
    if (other.name == declaration.name)
      throw InternalError(fmt::format("the pipeline has two stages named '{}'", declaration.name));
  if (declaration.is_input() &&
      (declaration.domain.dimensions != declaration.dimensions || declaration.domain.empty()))
    throw InternalError(fmt::format("the input '{}' has {} dimensions, but its domain is {}",
                                    declaration.name, declaration.dimensions, to_string(declaration.domain)));
  stages_.push_back(std::move(declaration));
  return size() - 1;
}

void Pipeline::mark_output(int id, const Box& domain) {
  StageDeclaration& stage = stages_[static_cast<std::size_t>(id)];
  Box points = domain;
  if (points.dimensions == 0)
    for (const StageDeclaration& other : stages_)
      if (other.is_input() && points.dimensions == 0) points = other.domain;
  if (stage.is_input() || points.dimensions != stage.dimensions || points.empty())
    throw InternalError(fmt::format("'{}' cannot be an output on {}", stage.name, to_string(points)));
  stage.domain = points;
  stage.is_output = true;
}

}  // namespace tessera
