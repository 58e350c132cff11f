// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/written_stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "tessera/pipeline/planner/array_domains.hpp"

namespace tessera::app {
namespace {

constexpr const char* stages_key = "output.stages";

bool is_output(const Algorithm& pipeline, const std::string& name) {
  return std::ranges::any_of(pipeline.arrays(), [&name](const ArrayDeclaration& array) {
    return array.is_output && array.name == name;
  });
}

/// Throws InputError if the deck says that a stage is computed where others need it, and so is not stored as
/// an array of its own.
void check_is_stored(const deck::Deck& deck, const std::string& name) {
  const std::string key = fmt::format("schedule.{}.compute", name);
  const std::string place = deck.schema().find(key) != nullptr ? deck.text_of(key) : "";
  if (!place.empty() && place != "distributed" && place != "auto")
    deck.fail(
        stages_key,
        fmt::format("'{0}' is no array of its own by '{1}: {2}', and so cannot be written: leave one of "
                    "both out, or say '{1}: distributed'",
                    name, key, place));
}

}  // namespace

void declare_written_stages(deck::Schema& schema, const PipelineApplication& application) {
  std::optional<std::string> by_default;
  if (!application.written_stages.empty())
    by_default = fmt::format("[{}]", fmt::join(application.written_stages, ", "));
  schema.add({.name = stages_key,
              .type = deck::ValueType::choices,
              .group = "Files",
              .help =
                  "Stages whose arrays output.file holds, too, in data sets of their names: all points that "
                  "the result needs, from the one on that the attribute 'origin' tells (slowest dimension "
                  "first), or from 0",
              .default_text = by_default});
}

void write_stages(Pipeline& pipeline, const PipelineApplication& application, const deck::Deck& deck,
                  const std::string& result) {
  const std::vector<std::string> names = written_stages(deck);
  if (names.empty()) return;
  // The points that are written are found before stages become outputs and before the pipeline is scheduled.
  // Therefore, these points depend neither on the schedule nor on the other stages that are written. What is
  // an output already has all of its points.
  const Pipeline as_declared = pipeline;
  const std::vector<ArrayDomain> domains = array_domains(as_declared);
  WritableStages writable;
  writable.add(as_declared);
  for (const std::string& name : names) {
    if (name != result && is_output(as_declared, name)) continue;
    if (const std::string reason = writable.reason_against(name); !reason.empty())
      deck.fail(stages_key, reason);
    if (!application.complete) check_is_stored(deck, name);
    const int id = pipeline.find(name);
    const ArrayDeclaration& array = as_declared[id];
    pipeline.output(id, array.is_everywhere() ? array.domain : domains[static_cast<std::size_t>(id)].domain);
  }
}

std::vector<std::string> written_stages(const deck::Deck& deck) {
  // Stages that are written without being asked for are for the HDF5 file, if there is one.
  const deck::KeyDeclaration* const key = deck.schema().find(stages_key);
  const bool is_default = key != nullptr && key->default_text.has_value() && deck.is_set("output.file");
  return key != nullptr && (is_default || deck.is_set(stages_key))
             ? deck.get<std::vector<std::string>>(stages_key)
             : std::vector<std::string>();
}

}  // namespace tessera::app
