// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tessera/graph/pipeline_task.hpp"

namespace tessera::app {

bool SeriesContext::computes_by_kernels() const {
  return deck.text_of(fmt::format("graph.{}.on", task)) == "kernels";
}

graph::OnError SeriesContext::on_error() const {
  return deck.get<std::string>("on_error") == "skip" ? graph::OnError::skip : graph::OnError::stop;
}

bool SeriesContext::is_stopped() const {
  if (signals.received() == 0) return false;
  signals.accept();
  return true;
}

graph::Pool<graph::Image> add_images(const SeriesContext& context, graph::Graph& graph) {
  return {graph, "images", {.count = static_cast<int>(2 * context.window), .per_item = 2}, [] {
            return std::make_shared<graph::Image>();
          }};
}

graph::Flow<SeriesImage> add_computation(const SeriesContext& context, graph::Graph& graph,
                                         const graph::Flow<SeriesImage>& images,
                                         const graph::Pool<graph::Image>& pool) {
  const HostMode mode = context.computes_by_kernels() ? HostMode::kernels : HostMode::calling_thread;
  return graph.task(
      context.task, {.on_error = context.on_error()},
      [body = graph::PipelineBody(mode)](const SeriesImage& image, graph::Lease<graph::Image> to) mutable {
        return SeriesImage{image.index, body(image.image, std::move(to))};
      },
      images, pool);
}

void make_folder_of(const deck::Deck& deck, const std::string& key, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) deck.fail(key, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

}  // namespace tessera::app
