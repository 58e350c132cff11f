// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::app {
namespace {

[[noreturn]] void fail(const PipelinePart& part, const std::string& message) {
  throw InternalError(fmt::format("PipelineApplication::parts: the part '{}' {}", part.task, message));
}

/// Returns the plan of a part. If the part is the whole pipeline, the name of its output is empty.
std::shared_ptr<const graph::PlannedPipeline> planned_part(
    const PipelineApplication& application, const PipelinePart& part, const deck::Deck& deck,
    const io::ImageInfo& image, int threads, const std::map<std::string, io::ImageInfo>& different) {
  AskedPipeline asked = application.parts.empty() ? asked_pipeline(application, deck, &image, different)
                                                  : asked_part(application, part, deck, image);
  const bool is_picture = !application.picture.empty() && writes_picture(deck);
  const std::string& result = is_picture ? application.picture : asked.result_name;
  const bool is_last = application.parts.empty() || part.task == application.parts.back().task;
  if (is_last && !part.output.empty() && part.output != result)
    fail(part, fmt::format("is the last one, but its output is not '{}'", result));
  Target target;
  target.threads = computes_by_kernels(deck, part.task) ? threads : 1;
  target.device = !runs_on_host;
  if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
  graph::PlannedPipeline planned{.output = part.output.empty() ? result : part.output};
  blame_deck(asked.deck, [&] { planned.plan = make_plan(*asked.pipeline, asked.schedule, target, 1, 0); });
  planned.algorithm = std::move(*asked.pipeline);
  return std::make_shared<const graph::PlannedPipeline>(std::move(planned));
}

/// Returns those further images that may differ from `image`. Throws InputError if another further image
/// differs.
std::map<std::string, io::ImageInfo> different_images(const PipelineApplication& application,
                                                      const deck::Deck& deck, const io::ImageInfo& image,
                                                      const std::map<std::string, io::ImageInfo>& shared) {
  std::map<std::string, io::ImageInfo> different = shared;
  for (const FurtherImage& further : application.further_images) {
    const auto found = different.find(further.name);
    if (further.may_differ || found == different.end()) continue;
    const std::string text =
        difference_text("the image", found->second, deck.text_of(application.input_key), image);
    if (!text.empty()) deck.fail(further.file_key(), text);
    different.erase(found);
  }
  return different;
}

/// Adds the images that the last part of `plan` reads, besides `shared`, to the plan: their numbers, and the
/// points that they need in memory. `names` are the names of all images so far.
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

int images_per_item(const PipelineApplication& application, const deck::Deck& deck) {
  return static_cast<int>(parts_of(application).size() + input_names(application, deck).size());
}

std::vector<PipelinePart> parts_of(const PipelineApplication& application) {
  if (!application.parts.empty()) return application.parts;
  return {{task_name(application), {}, application.build}};
}

SeriesPlan plan_series(const PipelineApplication& application, const deck::Deck& deck,
                       const io::ImageInfo& image, int threads,
                       const std::map<std::string, io::ImageInfo>& shared) {
  SeriesPlan plan;
  plan.inputs = input_names(application, deck);
  plan.needed.resize(plan.inputs.size());
  plan.parts_until_free.assign(plan.inputs.size(), 0);
  std::vector<std::string> names = plan.inputs;
  const std::vector<PipelinePart> parts = parts_of(application);
  const auto different = different_images(application, deck, image, shared);
  for (const PipelinePart& part : parts) {
    plan.parts.push_back({planned_part(application, part, deck, image, threads, different)});
    connect(plan, part, names, shared);
    names.push_back(plan.parts.back().pipeline->output);
    plan.needed.emplace_back();
    plan.parts_until_free.push_back(0);
  }
  if (std::ranges::find(plan.parts.front().reads, 0U) == plan.parts.front().reads.end())
    fail(parts.front(), "does not read 'input'");
  plan.parts_until_free.back() = parts.size() + 1;
  return plan;
}

SeriesNeeds::SeriesNeeds(const PipelineApplication& application, const deck::Deck& deck, int ranks,
                         std::int64_t shared)
    : deck_(deck), shared_bytes_(shared), images_per_item_(images_per_item(application, deck)) {
  // Rank 0 decodes the frames of all ranks, and keeps their results until it has written the earlier ones.
  frames_per_item_ =
      (reads_video(deck) ? std::ssize(input_names(application, deck)) : 0) + (writes_video(deck) ? 1 : 0);
  frames_per_item_ *= ranks;
  for (const PipelinePart& part : parts_of(application))
    parts_.push_back({fmt::format("graph.{}.workers", part.task), computes_by_kernels(deck, part.task)});
}

void SeriesNeeds::add(const SeriesPlan& plan) {
  const std::size_t read = plan.inputs.size();
  for (std::size_t i = 0; i < plan.needed.size(); ++i) {
    if (i < read && plan.needed[i].empty()) continue;
    const graph::PlannedPipeline& planned = *plan.parts[i < read ? 0 : i - read].pipeline;
    const auto layout = layout_in_memory(planned.algorithm, planned.plan, plan.image_name(i), plan.needed[i]);
    image_bytes_ = std::max(image_bytes_, layout.bytes);
  }
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const graph::PlannedPipeline& planned = *plan.parts[i].pipeline;
    std::vector<std::string> bound{planned.output};
    for (const std::size_t image : plan.parts[i].reads) bound.push_back(plan.image_name(image));
    // Plans for devices compute in memory of their own.
    if (planned.plan.target.device) bound.clear();
    std::vector<std::int64_t>& bytes = parts_[i].bytes;
    bytes.push_back(bytes_besides(planned.algorithm, planned.plan, bound));
    std::ranges::sort(bytes, std::greater());
    if (bytes.size() > graph::PipelineBody::most_instances) bytes.pop_back();
  }
}

std::int64_t SeriesNeeds::bytes(std::int64_t window, int threads) const {
  const std::string count = "graph.images.count";
  std::int64_t images = deck_.is_set(count) ? deck_.get<std::int64_t>(count) : images_per_item_ * window;
  images += frames_per_item_ * window;
  std::int64_t bytes = shared_bytes_ + image_bytes_ * images;
  for (const Part& part : parts_) {
    std::int64_t workers = part.is_by_kernels ? 1 : std::min<std::int64_t>(threads, window);
    if (deck_.is_set(part.workers_key))
      workers = std::min(workers, deck_.get<std::int64_t>(part.workers_key));
    bytes += workers * std::accumulate(part.bytes.begin(), part.bytes.end(), std::int64_t{0});
  }
  return bytes;
}

std::int64_t SeriesNeeds::window_for(std::int64_t memory, std::int64_t most, int threads) const {
  const bool is_given = deck_.is_set("graph.window");
  std::int64_t window = most;
  if (!is_given)
    while (window > 1 && bytes(window, threads) > memory) --window;
  if (const std::int64_t needed = bytes(window, threads); needed > memory)
    deck_.fail(
        "memory",
        fmt::format("{} at a time {} {} on a rank, which may use {}: raise it{}", counted(window, "image"),
                    window == 1 ? "needs" : "need", human_bytes(needed), human_bytes(memory),
                    window == 1 ? ", or write items.across=ranks" : ", or write a smaller graph.window"));
  return window;
}

}  // namespace tessera::app
