// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/writable_stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/domain/nearest.hpp"

namespace tessera::app {
namespace {

/// Returns the number of the loop that computes an array, or that changes it from turn to turn, or -1.
int changing_loop(const Algorithm& pipeline, int id) {
  if (const int loop = pipeline.loop_of(id); loop >= 0) return loop;
  const auto feeds = [id](const LoopDeclaration& loop) {
    return std::ranges::find(loop.feeds, id, &LoopDeclaration::Feed::to) != loop.feeds.end();
  };
  const auto found = std::ranges::find_if(pipeline.loops(), feeds);
  return found == pipeline.loops().end() ? -1 : static_cast<int>(found - pipeline.loops().begin());
}

}  // namespace

void WritableStages::add(const Algorithm& pipeline) {
  for (int id = 0; id < pipeline.size(); ++id) {
    const ArrayDeclaration& array = pipeline[id];
    const int loop = changing_loop(pipeline, id);
    if (array.is_output && !array.is_everywhere())
      add_result(array.name);
    else if (array.is_output)
      add_number(array.name);
    else if (loop >= 0)
      add_of_loop(array.name, pipeline.loops()[static_cast<std::size_t>(loop)].name);
    else if (array.is_input())
      add_input(array.name);
    else if (array.is_value && array.reduction == nullptr)
      reasons.emplace(array.name, fmt::format("'{}' is a number, which is not written", array.name));
    else
      add_name(array.name);
  }
}

void WritableStages::add_name(const std::string& name) {
  if (!has(name)) names.push_back(name);
}

void WritableStages::add_result(const std::string& name) {
  reasons.emplace(name, fmt::format("'{}' is the output, which is written anyway", name));
}

void WritableStages::add_input(const std::string& name) {
  reasons.emplace(name, fmt::format("'{}' is an input, which is not written", name));
}

void WritableStages::add_number(const std::string& name) {
  reasons.emplace(name, fmt::format("'{}' is a number, which the run prints and reports", name));
}

void WritableStages::add_of_loop(const std::string& name, const std::string& loop) {
  reasons.emplace(name, fmt::format("'{}' changes in each turn of the loop '{}'", name, loop));
}

bool WritableStages::has(const std::string& name) const {
  return std::ranges::find(names, name) != names.end();
}

std::string WritableStages::reason_against(const std::string& name) const {
  if (has(name)) return "";
  const std::string instead = names.empty() ? ""
                              : names.size() == 1
                                  ? ", or name " + names.front()
                                  : fmt::format(", or name some of {}", fmt::join(names, ", "));
  if (const auto known = reasons.find(name); known != reasons.end())
    return fmt::format("{}: leave it out{}", known->second, instead);
  if (names.empty())
    return fmt::format("there is no {} '{}', nor another one that can be written: leave it out", kind, name);
  const std::string guess = suggestion(name, names);
  return fmt::format("there is no {} '{}'{}", kind, name,
                     guess.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : guess);
}

}  // namespace tessera::app
