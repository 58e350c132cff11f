// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/graph/pipeline_task.hpp"

namespace tessera::app {
namespace {

/// The body of a task that computes one part of an application.
class PartBody {
 public:
  PartBody(std::size_t part, HostMode mode, const SeriesContext& context)
      : part_(part), body_(mode), context_(context) {}

  SeriesImage operator()(SeriesImage image, graph::Lease<graph::Image> to) {
    const SeriesPlan& plan = *image.plan;
    const PlannedPart& part = plan.parts[part_];
    to->become_output(part.pipeline, plan.needed[plan.inputs.size() + part_]);
    image.images.push_back(std::move(to));
    std::vector<graph::NamedImage> named{{part.pipeline->output, image.last()}};
    for (const std::size_t read : part.reads) named.push_back({plan.image_name(read), *image.images[read]});
    LoopRecorder loops(part.pipeline->algorithm, context_.silence, 0);
    Bindings bindings;
    context_.shared.bind(bindings);
    loops.listen(bindings);
    body_.compute(part.pipeline, named, bindings);
    if (image.unfinished.empty() && !context_.application.may_end_by_turns)
      image.unfinished = loops.unfinished();
    for (io::NumberList& list : loops.history().lists()) image.history.push_back(std::move(list));
    for (std::size_t i = 0; i < image.images.size(); ++i)
      if (plan.parts_until_free[i] <= part_ + 1) image.images[i] = {};
    return image;
  }

 private:
  std::size_t part_;
  graph::PipelineBody body_;
  const SeriesContext& context_;
};

}  // namespace

graph::OnError SeriesContext::on_error() const {
  return deck.get<std::string>("on_error") == "skip" ? graph::OnError::skip : graph::OnError::stop;
}

bool SeriesContext::is_stopped() const { return signals.received() != 0; }

graph::Pool<graph::Image> add_images(const SeriesContext& context, graph::Graph& graph) {
  const int per_item = images_per_item(context.application, context.deck);
  return {graph,
          "images",
          {.count = per_item * static_cast<int>(context.window),
           .per_item = per_item,
           .bytes = context.image_bytes},
          [] { return std::make_shared<graph::Image>(); }};
}

graph::Flow<SeriesImage> add_computation(const SeriesContext& context, graph::Graph& graph,
                                         const graph::Flow<SeriesImage>& images,
                                         const graph::Pool<graph::Image>& pool) {
  graph::Flow<SeriesImage> flow = images;
  std::size_t number = 0;
  for (const PipelinePart& part : parts_of(context.application)) {
    const bool by_kernels = computes_by_kernels(context.deck, part.task);
    flow = graph.task(part.task,
                      {.on = runs_on_host ? graph::Place::threads() : graph::Place::kernels(),
                       .on_error = context.on_error()},
                      PartBody(number++, by_kernels ? HostMode::kernels : HostMode::calling_thread, context),
                      flow, pool);
  }
  return flow;
}

void make_folder_of(const deck::Deck& deck, const std::string& key, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) deck.fail(key, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

}  // namespace tessera::app
