// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/written_stages.hpp"
#include "tessera/app/image_outputs.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/nearest.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns the advice for a name that the pipeline lacks: the name that was probably meant, or all names.
std::string hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string meant = suggestion(name, known);
  return meant.empty() ? fmt::format(": the names are {}", fmt::join(known, ", ")) : meant;
}

/// Throws InternalError if one of `names` is not in `known`. `field` is the member of PipelineApplication
/// that holds `names`.
void check(const char* field, const std::string& kind, const std::vector<std::string>& names,
           const std::vector<std::string>& known) {
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InternalError(fmt::format("PipelineApplication::{}: the pipeline has no {} '{}'{}", field, kind,
                                      name, known.empty() ? ": leave it out" : hint(name, known)));
}

std::vector<std::string> names_where(const Algorithm& pipeline, bool (*belongs)(const ArrayDeclaration&)) {
  std::vector<std::string> names;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (belongs(array)) names.push_back(array.name);
  return names;
}

/// Throws InternalError if `pipeline`, which is made from `deck`, lacks the output that the deck needs.
/// Unless the names come from `with_names_of`, also throws it if the pipeline lacks a stage, reduction or
/// loop that the application names, because a schedule for such a name would have no effect.
void check_names_of(const PipelineApplication& application, const deck::Deck& deck,
                    const Algorithm& pipeline) {
  const auto outputs = names_where(pipeline, [](const ArrayDeclaration& array) { return array.is_output; });
  if (!application.output_is_optional || has_output(deck))
    check("output", "output", {application.output_of(pipeline)}, outputs);
  if (application.has_names_of_samples) return;
  const auto computed =
      names_where(pipeline, [](const ArrayDeclaration& array) { return !array.is_input(); });
  check("stages", "stage", application.stages, computed);
  check("reductions", "reduction", application.reductions, computed);
  check("writable_stages", "stage", application.writable_stages.names, computed);
  std::vector<std::string> loops;
  for (const LoopDeclaration& loop : pipeline.loops()) loops.push_back(loop.name);
  check("loops", "loop", application.loops, loops);
}

/// Returns the schedule that a deck gives for those names of an application that `pipeline` has.
Schedule schedule_for(const PipelineApplication& application, const deck::Deck& deck,
                      const Algorithm& pipeline) {
  Schedule schedule = schedule_from_deck(deck, common_names(names_of(application), pipeline), !runs_on_host);
  if (!application.complete) return schedule;
  // Where the deck says what the outputs are, its schedule holds for whatever it asks for. Stages that are
  // outputs in this run are computed by their owners.
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    const auto stage = schedule.stages.find(array.name);
    if (array.is_output && stage != schedule.stages.end() &&
        stage->second.placement != tessera::Placement::automatic)
      stage->second.placement = tessera::Placement::distributed;
  }
  return schedule;
}

AskedPipeline rounds_of(const Algorithm& pipeline, const Schedule& schedule, const deck::Deck& deck) {
  AskedPipeline asked;
  blame_deck(deck, [&] {
    Rounds rounds = in_rounds(pipeline, schedule);
    asked = {std::move(rounds.pipeline), std::move(rounds.schedule)};
  });
  return asked;
}

}  // namespace

AskedPipeline asked_pipeline(const PipelineApplication& application, const deck::Deck& deck,
                             const io::ImageInfo* image,
                             const std::map<std::string, io::ImageInfo>& different) {
  Pipeline pipeline = image == nullptr    ? application.generate(deck)
                      : different.empty() ? application.build(*image, deck)
                                          : application.build_with(*image, different, deck);
  check_names_of(application, deck, pipeline);
  write_stages(pipeline, application, deck);
  return rounds_of(pipeline, schedule_for(application, deck, pipeline), deck);
}

AskedPipeline asked_part(const PipelineApplication& application, const PipelinePart& part,
                         const deck::Deck& deck, const io::ImageInfo& image) {
  const Pipeline pipeline = part.build(image, deck);
  const bool has_output = std::ranges::any_of(pipeline.arrays(), [&](const ArrayDeclaration& array) {
    return array.is_output && array.name == part.output;
  });
  if (!has_output)
    throw InternalError(
        fmt::format("PipelineApplication::parts: the part '{}' has no output '{}'", part.task, part.output));
  Schedule schedule = schedule_for(application, deck, pipeline);
  schedule.stages[part.output].placement = tessera::Placement::distributed;
  return rounds_of(pipeline, schedule, deck);
}

RunSetup::RunSetup(Session& given_session, const PipelineApplication& given_application,
                   const ProgramBuild& given_build, const Options& given_options,
                   const deck::Deck& given_deck, const std::vector<std::string>& given_deck_files,
                   const GivenImage* given)
    : session(given_session),
      application(given_application),
      build(given_build),
      options(given_options),
      deck(given_deck),
      deck_files(given_deck_files),
      inputs(session.communicator(), application, deck, given) {
  const io::ImageInfo* image = inputs.image();
  if (image != nullptr) check_extents("image", image->domain);
  collectively(session.communicator(), [this] { make_pipeline(); });
  if (result() != nullptr) check_extents("result", result()->domain);
}

void RunSetup::make_pipeline() {
  AskedPipeline asked = asked_pipeline(application, deck, inputs.image(), inputs.different());
  pipeline = std::make_unique<Algorithm>(std::move(asked.pipeline));
  schedule = std::move(asked.schedule);
}

const ArrayDeclaration* RunSetup::result() const {
  const bool has_none = application.output_is_optional && !has_output(deck) && !is_series(deck);
  return has_none ? nullptr : &(*pipeline)[pipeline->find(application.output_of(*pipeline))];
}

/// Throws InputError when a side of `domain` is longer than 2^30 points. Coordinates have 32 bits, and must
/// also represent the points beyond the image that stages read.
void RunSetup::check_extents(const char* what, const Box& domain) const {
  constexpr std::int64_t largest = std::int64_t(1) << 30;
  for (int d = 0; d < domain.dimensions; ++d) {
    if (domain[d].size() <= largest) continue;
    const std::string message =
        fmt::format("the {} is {}, but no side may be longer than {}", what, to_string(domain), largest);
    if (inputs.image() != nullptr) deck.fail(application.input_key, message);
    throw InputError(message);
  }
}

std::vector<std::string> RunSetup::deck_and_plan_files() const {
  std::vector<std::string> files = deck_files;
  if (!options.plan.empty()) files.push_back(options.plan);
  return files;
}

std::vector<std::string> RunSetup::read_files() const {
  std::vector<std::string> files = deck_and_plan_files();
  for (const NamedFile& file : inputs.files()) files.push_back(file.path);
  return files;
}

}  // namespace tessera::app
