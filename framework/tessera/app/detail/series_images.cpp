// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_images.hpp"

#include <mpi.h>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::app {

SeriesImages::SeriesImages(const PipelineApplication& application, const deck::Deck& deck, int threads)
    : application_(application), deck_(deck), threads_(threads) {}

std::shared_ptr<const graph::PlannedPipeline> SeriesImages::plan_for(const std::string& path,
                                                                     const io::ImageInfo& info) {
  return plans_.get(info.domain, info.type, [&] {
    const deck::Deck deck = deck_.with("input.file", path, path);
    AskedPipeline asked = asked_pipeline(application_, deck, &info);
    Target target;
    target.threads = threads_;
    target.device = !runs_on_host;
    if (!target.device) target.cache_bytes = cache_to_write_past(threads_);
    graph::PlannedPipeline planned{.output = application_.output};
    blame_deck(deck, [&] { planned.plan = make_plan(asked.pipeline, asked.schedule, target, 1, 0); });
    planned.algorithm = std::move(asked.pipeline);
    return planned;
  });
}

io::ImageInfo SeriesImages::inspect(const std::string& path) const {
  io::ImageChoice choice{.dataset = deck_.text_of("input.dataset")};
  if (deck_.is_set("input.page")) choice.page = static_cast<int>(deck_.get<std::int64_t>("input.page"));
  return io::inspect_image(path, choice);
}

void SeriesImages::read(const std::string& path, graph::Image& to) {
  const io::ImageInfo info = inspect(path);
  to.become_input(plan_for(path, info));
  io::open_image(MPI_COMM_SELF, path, info)->read(to.points());
}

void SeriesImages::write(const std::string& path, const graph::Image& image) const {
  const HostBlock points = image.points();
  const std::string key = output_key_of(path);
  const auto create = [&]() -> std::unique_ptr<BlockSink> {
    if (key == "output.png") return io::create_png(MPI_COMM_SELF, path, points.box, points.type);
    if (key == "output.tiff") return io::create_tiff(MPI_COMM_SELF, path, points.box, points.type);
    if (key == "output.file")
      return io::create_hdf5(MPI_COMM_SELF, path, application_.output, points.box, points.type);
    return io::create_raw(MPI_COMM_SELF, path, points.box, points.type);
  };
  create()->write(points);
}

}  // namespace tessera::app
