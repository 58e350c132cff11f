// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/written_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/planner/array_domains.hpp"

namespace tessera::app {
namespace {

constexpr const char* stages_key = "output.stages";

bool is_writable(const Algorithm& pipeline, int id) {
  const ArrayDeclaration& array = pipeline[id];
  const bool is_fed = std::ranges::any_of(pipeline.loops(), [id](const LoopDeclaration& loop) {
    return std::ranges::find(loop.feeds, id, &LoopDeclaration::Feed::to) != loop.feeds.end();
  });
  return !array.is_input() && !array.is_output && (array.reduction != nullptr || !array.is_value) &&
         pipeline.loop_of(id) < 0 && !is_fed;
}

bool is_output(const Algorithm& pipeline, const std::string& name) {
  return std::ranges::any_of(pipeline.arrays(), [&name](const ArrayDeclaration& array) {
    return array.is_output && array.name == name;
  });
}

}  // namespace

std::vector<std::string> writable_stages(const Algorithm& pipeline) {
  std::vector<std::string> names;
  for (int id = 0; id < pipeline.size(); ++id)
    if (is_writable(pipeline, id)) names.push_back(pipeline[id].name);
  return names;
}

void declare_written_stages(deck::Schema& schema, const PipelineApplication& application) {
  // If a deck says what the stages are, those of its images are only known later.
  const bool are_known = !application.complete;
  if (are_known ? application.writable_stages.empty() : application.output.empty()) return;
  schema.add({.name = stages_key,
              .type = deck::ValueType::choices,
              .group = "Files",
              .help =
                  "Stages whose arrays output.file holds, too, in data sets of their names: all points that "
                  "the result needs, from the one on that the attribute 'origin' tells (slowest dimension "
                  "first), or from 0",
              .choices = are_known ? application.writable_stages : std::vector<std::string>()});
}

void write_stages(Pipeline& pipeline, const deck::Deck& deck) {
  const std::vector<std::string> names = written_stages(deck);
  if (names.empty()) return;
  // The points that are written are found before stages become outputs and before the pipeline is scheduled.
  // Therefore, these points depend neither on the schedule nor on the other stages that are written. What is
  // an output already has all of its points.
  const Pipeline as_declared = pipeline;
  const std::vector<ArrayDomain> domains = array_domains(as_declared);
  const std::vector<std::string> writable = writable_stages(as_declared);
  for (const std::string& name : names) {
    if (is_output(as_declared, name)) continue;
    if (std::ranges::find(writable, name) == writable.end())
      deck.fail(
          stages_key,
          fmt::format("what this deck asks for has no stage '{}' that can be written: leave it out", name));
    const int id = pipeline.find(name);
    const ArrayDeclaration& array = as_declared[id];
    pipeline.output(id, array.is_everywhere() ? array.domain : domains[static_cast<std::size_t>(id)].domain);
  }
}

std::vector<std::string> written_stages(const deck::Deck& deck) {
  return deck.schema().find(stages_key) != nullptr && deck.is_set(stages_key)
             ? deck.get<std::vector<std::string>>(stages_key)
             : std::vector<std::string>();
}

}  // namespace tessera::app
