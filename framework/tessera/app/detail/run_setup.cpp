// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

bool is_image_output(const ArrayDeclaration& array) { return array.is_output && !array.is_everywhere(); }

/// Returns the name of the result of a pipeline. Throws InternalError if it has none, but must have one.
std::string result_of(const PipelineApplication& application, const deck::Deck& deck,
                      const Algorithm& pipeline) {
  std::vector<std::string> images;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (is_image_output(array) && array.name != application.picture) images.push_back(array.name);
  const std::vector<std::string> written = written_stages(deck);
  if (images.size() > 1)
    std::erase_if(images, [&](const std::string& name) {
      return application.result.empty() ? std::ranges::find(written, name) != written.end()
                                        : name != application.result;
    });
  if (images.size() == 1) return images.front();
  if (images.empty() && application.output_is_optional && !has_output(deck)) return "";
  throw InternalError(
      fmt::format("{} has {} outputs that are images, not one", application.program, images.size()));
}

void check_has_loops(const deck::Deck& deck, const Algorithm& pipeline) {
  if (!pipeline.loops().empty()) return;
  for (const char* key : {"output.history", "checkpoint.directory", "checkpoint.every", "checkpoint.interval",
                          "wall_limit", "restart"})
    if (deck.is_set(key)) deck.fail(key, "this pipeline has no loop: leave it out");
}

/// Returns the names that a deck may schedule in `pipeline`, and in the pipelines for other images.
ScheduleNames names_for(const PipelineApplication& application, const deck::Deck& deck,
                        const io::ImageInfo* image, const Algorithm& pipeline,
                        const std::vector<std::string>& numbers) {
  ScheduleNames names = schedule_names(pipeline);
  names.default_compute = application.default_compute;
  std::erase_if(names.outputs,
                [&](const std::string& name) { return std::ranges::find(numbers, name) != numbers.end(); });
  if (application.complete) {
    // The deck chooses the stages that are outputs, so outputs have the same keys as other stages.
    names.stages = joined(std::move(names.stages), names.outputs);
    names.outputs.clear();
  }
  if (application.stages_within) names.within = application.stages_within(pipeline);
  if (application.samples)
    for (const Pipeline& sample : application.samples(*image, deck)) {
      add_names(names, sample);
      if (application.stages_within) names.within.merge(application.stages_within(sample));
    }
  return names;
}

/// Returns the schedule that a deck gives for those of `names` that `pipeline` has.
Schedule schedule_for(const PipelineApplication& application, const deck::Deck& deck,
                      const ScheduleNames& names, const Algorithm& pipeline) {
  Schedule schedule = schedule_from_deck(deck, common_names(names, pipeline), !runs_on_host);
  if (!application.complete) return schedule;
  // An output must be distributed, whatever the deck says about its stage.
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    const auto stage = schedule.stages.find(array.name);
    if (array.is_output && stage != schedule.stages.end() && stage->second.placement != Placement::automatic)
      stage->second.placement = Placement::distributed;
  }
  return schedule;
}

/// Sets the pipeline and the schedule of `asked`, with the rounds of turns that the schedule gives the loops.
void set_rounds(AskedPipeline& asked, const Algorithm& pipeline, const Schedule& schedule) {
  blame_deck(asked.deck, [&] {
    Rounds rounds = in_rounds(pipeline, schedule);
    asked.pipeline = std::make_unique<Algorithm>(std::move(rounds.pipeline));
    asked.schedule = std::move(rounds.schedule);
  });
}

Pipeline built(const PipelineApplication& application, const deck::Deck& deck, const io::ImageInfo* image,
               const std::map<std::string, io::ImageInfo>& different) {
  return image == nullptr    ? application.generate(deck)
         : different.empty() ? application.build(*image, deck)
                             : application.build_with(*image, different, deck);
}

/// Returns what is known from the whole pipeline of an application, and the names that its deck may schedule.
std::pair<AskedPipeline, ScheduleNames> named_pipeline(const PipelineApplication& application,
                                                       const deck::Deck& deck, const io::ImageInfo* image,
                                                       const Pipeline& pipeline) {
  AskedPipeline asked{.deck = deck, .result_name = result_of(application, deck, pipeline)};
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (array.is_output && array.is_everywhere() && array.domain.size() == 1)
      asked.numbers.push_back(array.name);
  check_has_loops(deck, pipeline);
  ScheduleNames names = names_for(application, deck, image, pipeline, asked.numbers);
  asked.deck = load_again(deck, make_schema(application, &names));
  return {std::move(asked), std::move(names)};
}

}  // namespace

AskedPipeline asked_pipeline(const PipelineApplication& application, const deck::Deck& deck,
                             const io::ImageInfo* image,
                             const std::map<std::string, io::ImageInfo>& different) {
  Pipeline pipeline = built(application, deck, image, different);
  auto [asked, names] = named_pipeline(application, deck, image, pipeline);
  if (application.reads_schedule) {
    pipeline = built(application, asked.deck, image, different);
    std::tie(asked, names) = named_pipeline(application, deck, image, pipeline);
  }
  write_stages(pipeline, application, asked.deck, asked.result_name);
  set_rounds(asked, pipeline, schedule_for(application, asked.deck, names, pipeline));
  return std::move(asked);
}

AskedPipeline asked_part(const PipelineApplication& application, const PipelinePart& part,
                         const deck::Deck& deck, const io::ImageInfo& image) {
  auto [asked, names] = named_pipeline(application, deck, &image, application.build(image, deck));
  const Pipeline pipeline = part.build(image, asked.deck);
  if (!is_output(pipeline, part.output))
    throw InternalError(
        fmt::format("PipelineApplication::parts: the part '{}' has no output '{}'", part.task, part.output));
  Schedule schedule = schedule_for(application, asked.deck, names, pipeline);
  schedule.stages[part.output].placement = Placement::distributed;
  set_rounds(asked, pipeline, schedule);
  return std::move(asked);
}

RunSetup::RunSetup(const PipelineJob& job, const deck::Deck& given_deck, const GivenImage* given)
    : Launch(job),
      AskedPipeline{given_deck},
      application(job.application),
      inputs(session.communicator(), application, deck, given) {
  const io::ImageInfo* image = inputs.image();
  if (image != nullptr) check_extents("image", image->domain);
  collectively(session.communicator(), [this] {
    static_cast<AskedPipeline&>(*this) =
        asked_pipeline(application, deck, inputs.image(), inputs.different());
  });
  if (result() != nullptr) check_extents("result", result()->domain);
}

const ArrayDeclaration* AskedPipeline::result() const {
  return result_name.empty() ? nullptr : &(*pipeline)[pipeline->find(result_name)];
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

std::vector<std::string> RunSetup::read_files() const {
  std::vector<std::string> files = deck_files;
  for (const NamedFile& file : inputs.files()) files.push_back(file.path);
  return files;
}

}  // namespace tessera::app
