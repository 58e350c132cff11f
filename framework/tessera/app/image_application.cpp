// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_application.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"

namespace tessera::app {
namespace {

/// Returns the extents of a domain as text, such as "600 x 400 x 3".
std::string extents_text(const Box& domain) {
  std::string text = std::to_string(domain[0].size());
  for (int d = 1; d < domain.dimensions; ++d) text += fmt::format(" x {}", domain[d].size());
  return text;
}

bool is_met(const ImageNeeds& needs, const io::ImageInfo& image) {
  const auto& types = needs.types;
  const bool has_type = types.empty() || std::ranges::find(types, image.type) != types.end();
  const std::int64_t has_planes = image.domain.dimensions == 2 ? 0 : image.domain[2].size();
  return has_type && (!needs.planes || *needs.planes == has_planes) &&
         image.domain[0].size() >= needs.least_width && image.domain[1].size() >= needs.least_height;
}

/// Returns the needs of an application as text, such as "uint8 or float32, without planes, with 4 x 4 points
/// or more".
std::string text_of(const ImageNeeds& needs) {
  std::string text;
  for (std::size_t i = 0; i < needs.types.size(); ++i)
    text += std::string(i == 0                        ? ""
                        : i + 1 == needs.types.size() ? " or "
                                                      : ", ")
                .append(name_of(needs.types[i]));
  const auto add = [&text](const std::string& need) { text += (text.empty() ? "" : ", ") + need; };
  if (needs.planes && *needs.planes == 0) add("without planes");
  if (needs.planes && *needs.planes > 0) add(fmt::format("with {} planes", *needs.planes));
  if (needs.least_width > 1 || needs.least_height > 1)
    add(fmt::format("with {} x {} points or more", needs.least_width, needs.least_height));
  return text;
}

/// Returns whether the last dimension of an HDF5 data set, which is read as x, more likely is that of the
/// channels.
bool has_channels_last(const io::ImageInfo& image) {
  constexpr std::int64_t most_channels = 4;
  const Box& domain = image.domain;
  return image.format == io::ImageFormat::hdf5 && domain.dimensions == 3 &&
         domain[0].size() <= most_channels && domain[1].size() > most_channels &&
         domain[2].size() > most_channels;
}

/// Returns the number of the loop that computes an array, or that changes it from turn to turn, or -1.
int changing_loop(const Algorithm& pipeline, ArrayId id) {
  if (const int loop = pipeline.loop_of(id); loop >= 0) return loop;
  const auto feeds = [id](const LoopDeclaration& loop) {
    return std::ranges::find(loop.feeds, id, &LoopDeclaration::Feed::to) != loop.feeds.end();
  };
  const auto found = std::ranges::find_if(pipeline.loops(), feeds);
  return found == pipeline.loops().end() ? -1 : static_cast<int>(found - pipeline.loops().begin());
}

constexpr const char* stages_key = "output.stages";

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

void check_image(const io::ImageInfo& image, const deck::Deck& deck, const ImageNeeds& needs) {
  if (const int dimensions = image.domain.dimensions; dimensions > 3)
    deck.fail(needs.key, fmt::format("the image has {} dimensions: give one of 2 or 3", dimensions));
  if (has_channels_last(image))
    deck.fail(
        needs.key,
        fmt::format("the data set has the shape ({}, {}, {}), which looks like (rows, columns, channels): "
                    "store the channels first, as numpy.moveaxis(a, -1, 0) does",
                    image.domain[2].size(), image.domain[1].size(), image.domain[0].size()));
  if (!is_met(needs, image))
    deck.fail(needs.key, fmt::format("the image is {} of {}: give one of {}", extents_text(image.domain),
                                     name_of(image.type), text_of(needs)));
}

bool has_output(const deck::Deck& deck) {
  const std::vector<std::string> keys = output_keys();
  return is_given(deck, "output.comparison") ||
         std::ranges::any_of(keys, [&](const std::string& key) { return is_given(deck, key); });
}

bool writes_picture(const deck::Deck& deck) {
  return is_given(deck, "output.png") || is_given(deck, "output.video") ||
         (is_given(deck, "output.files") && output_key_of(deck.text_of("output.files")) == "output.png");
}

std::map<std::string, std::string> stages_of_steps(const Algorithm& pipeline,
                                                   const std::vector<std::string>& steps) {
  std::map<std::string, std::string> within;
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    if (std::ranges::find(steps, array.name) != steps.end()) continue;
    for (const std::string& step : steps)
      if (std::string& known = within[array.name];
          array.name.starts_with(step + "_") && step.size() > known.size())
        known = step;
  }
  std::erase_if(within, [](const auto& stage) { return stage.second.empty(); });
  return within;
}

void WritableStages::add(const Algorithm& pipeline) {
  for (ArrayId id : pipeline.ids()) {
    const ArrayDeclaration& array = pipeline[id];
    const int loop = changing_loop(pipeline, id);
    if (array.is_output && !array.is_everywhere())
      add_result(array.name);
    else if (array.is_output)
      add_number(array.name);
    else if (loop >= 0)
      add_of_loop(array.name, pipeline.loop(loop).name);
    else if (array.is_input())
      add_input(array.name);
    else if (array.is_value())
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

bool is_output(const Algorithm& pipeline, const std::string& name) {
  return std::ranges::any_of(pipeline.arrays(), [&name](const ArrayDeclaration& array) {
    return array.is_output && array.name == name;
  });
}

void declare_written_stages(deck::Schema& schema, const PipelineApplication& application) {
  std::optional<std::string> by_default;
  if (!application.written_stages.empty())
    by_default = fmt::format("[{}]", fmt::join(application.written_stages, ", "));
  schema.add("Files", {{.name = stages_key,
                        .type = deck::ValueType::choices,
                        .help = "Stages whose arrays are written into output.file, too, in data sets of "
                                "their names: all points that the result needs, from the point that the "
                                "attribute 'origin' has (slowest dimension first), or else from 0",
                        .default_text = by_default}});
}

void write_stages(Pipeline& pipeline, const PipelineApplication& application, const deck::Deck& deck,
                  const std::string& result) {
  const std::vector<std::string> names = written_stages(deck);
  if (names.empty()) return;
  // The points that are written are found before stages become outputs and before the pipeline is scheduled.
  // Therefore, these points depend neither on the schedule nor on the other stages that are written. Arrays
  // that are outputs already have all of their points.
  const Pipeline as_declared = pipeline;
  const IdVector<ArrayId, ArrayDomain> domains = array_domains(as_declared);
  WritableStages writable;
  writable.add(as_declared);
  for (const std::string& name : names) {
    // The result is written anyway, also if the program names it among the stages that are written by
    // default.
    const bool is_usual =
        std::ranges::find(application.written_stages, name) != application.written_stages.end();
    if ((name != result || is_usual) && is_output(as_declared, name)) continue;
    if (const std::string reason = writable.reason_against(name); !reason.empty())
      deck.fail(stages_key, reason);
    if (!application.complete) check_is_stored(deck, name);
    const ArrayId id = pipeline.find(name);
    const ArrayDeclaration& array = as_declared[id];
    pipeline.output(id, array.is_everywhere() ? array.domain : domains[id].domain);
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
