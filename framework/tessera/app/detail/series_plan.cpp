// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::app {
namespace {

[[noreturn]] void fail(const PipelinePart& part, const std::string& message) {
  throw InternalError(fmt::format("PipelineApplication::parts: the part '{}' {}", part.task, message));
}

std::shared_ptr<const graph::PlannedPipeline> planned_part(
    const PipelineApplication& application, const PipelinePart& part, const deck::Deck& deck,
    const io::ImageInfo& image, int threads, const std::map<std::string, io::ImageInfo>& shared) {
  AskedPipeline asked = application.parts.empty() ? asked_pipeline(application, deck, &image, shared)
                                                  : asked_part(application, part, deck, image);
  Target target;
  target.threads = computes_by_kernels(deck, part.task) ? threads : 1;
  target.device = !runs_on_host;
  if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
  graph::PlannedPipeline planned{.output = part.output};
  blame_deck(deck, [&] { planned.plan = make_plan(asked.pipeline, asked.schedule, target, 1, 0); });
  planned.algorithm = std::move(asked.pipeline);
  return std::make_shared<const graph::PlannedPipeline>(std::move(planned));
}

/// Finds the images that the last part of `plan` reads, besides `shared`. `names` are the names of all images
/// so far.
void connect(SeriesPlan& plan, const PipelinePart& part, const std::vector<std::string>& names,
             const std::map<std::string, io::ImageInfo>& shared) {
  PlannedPart& planned = plan.parts.back();
  const Algorithm& algorithm = planned.pipeline->algorithm;
  for (const ArrayDeclaration& array : algorithm.arrays()) {
    if (!array.is_input() || shared.contains(array.name)) continue;
    const auto found = std::ranges::find(names, array.name);
    if (found == names.end())
      fail(part, fmt::format("reads '{}': neither the image nor an earlier part has this name", array.name));
    const auto image = static_cast<std::size_t>(found - names.begin());
    if (image >= plan.inputs.size()) {
      const Algorithm& writer = plan.parts[image - plan.inputs.size()].pipeline->algorithm;
      const ArrayDeclaration& written = writer[writer.find(array.name)];
      if (!(written.domain == array.domain) || written.type != array.type)
        fail(part,
             fmt::format("reads '{}' as {} of {}, but it is {} of {}", array.name, to_string(array.domain),
                         name_of(array.type), to_string(written.domain), name_of(written.type)));
    }
    const Box points = points_in_memory(algorithm, planned.pipeline->plan, array.name);
    if (points.empty()) continue;
    planned.reads.push_back(image);
    plan.needed[image] = hull(plan.needed[image], points);
    plan.parts_until_free[image] = plan.parts.size();
  }
}

}  // namespace

const ArrayDeclaration& SeriesPlan::result() const {
  const graph::PlannedPipeline& last = *parts.back().pipeline;
  return last.algorithm[last.algorithm.find(last.output)];
}

std::vector<std::string> input_names(const PipelineApplication& application, const deck::Deck& deck) {
  std::vector<std::string> names{"input"};
  for (const ImageList& list : application.image_lists)
    for (std::size_t i = 0; i < count_of(deck, list); ++i) names.push_back(list.input(i));
  return names;
}

std::string input_key_of(const PipelineApplication& application, const deck::Deck& deck, std::size_t place) {
  std::size_t listed = 1;
  for (const ImageList& list : application.image_lists) {
    if (place < listed) break;
    listed += count_of(deck, list);
    if (place < listed && deck.is_set(list.key)) return list.key;
  }
  return "input.files";
}

std::vector<PipelinePart> parts_of(const PipelineApplication& application) {
  if (!application.parts.empty()) return application.parts;
  return {{task_name(application), application.output, application.build}};
}

SeriesPlan plan_series(const PipelineApplication& application, const deck::Deck& deck,
                       const io::ImageInfo& image, int threads,
                       const std::map<std::string, io::ImageInfo>& shared) {
  SeriesPlan plan;
  plan.inputs = input_names(application, deck);
  plan.needed.resize(plan.inputs.size());
  plan.parts_until_free.assign(plan.inputs.size(), 0);
  std::vector<std::string> names = plan.inputs;
  std::vector<PipelinePart> parts = parts_of(application);
  const bool is_picture = !application.picture.empty() && writes_picture(deck);
  const std::string& result = is_picture ? application.picture : application.output;
  if (application.parts.empty()) parts.front().output = result;
  for (const PipelinePart& part : parts) {
    plan.parts.push_back({planned_part(application, part, deck, image, threads, shared)});
    connect(plan, part, names, shared);
    names.push_back(part.output);
    plan.needed.emplace_back();
    plan.parts_until_free.push_back(0);
  }
  if (std::ranges::find(plan.parts.front().reads, 0U) == plan.parts.front().reads.end())
    fail(parts.front(), "does not read 'input'");
  if (parts.back().output != result)
    fail(parts.back(), fmt::format("is the last one, but its output is not '{}'", result));
  plan.parts_until_free.back() = parts.size() + 1;
  return plan;
}

}  // namespace tessera::app
