// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_images.hpp"

#include <mpi.h>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/hdf5_results.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::app {
namespace {

SeriesImage image_in(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                     graph::Lease<graph::Image> memory) {
  SeriesImage image{index, std::move(plan), {}};
  image.images.push_back(std::move(memory));
  return image;
}

}  // namespace

SeriesImage input_image(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                        graph::Lease<graph::Image> memory) {
  memory->become_input(plan->parts.front().pipeline, plan->needed.front());
  return image_in(index, std::move(plan), std::move(memory));
}

SeriesImage result_image(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                         graph::Lease<graph::Image> memory) {
  memory->become_output(plan->parts.back().pipeline);
  return image_in(index, std::move(plan), std::move(memory));
}

SeriesImages::SeriesImages(const PipelineApplication& application, const deck::Deck& deck,
                           const SharedImages& shared, int threads)
    : application_(application), deck_(deck), shared_(shared), threads_(threads) {}

std::shared_ptr<const SeriesPlan> SeriesImages::plan_for(const std::string& path, const io::ImageInfo& info) {
  return plans_.get(info.domain, info.type, [&] {
    SeriesPlan plan = plan_series(application_, deck_.with("input.file", path, path), info, threads_,
                                  shared_.inputs().different());
    const graph::PlannedPipeline& last = *plan.parts.back().pipeline;
    plan.attributes = result_attributes(application_, deck_, last.algorithm, last.plan);
    return plan;
  });
}

io::ImageInfo SeriesImages::inspect(const std::string& path) const {
  io::ImageChoice choice{.dataset = deck_.text_of("input.dataset")};
  if (deck_.is_set("input.page")) choice.page = static_cast<int>(deck_.get<std::int64_t>("input.page"));
  return io::inspect_image(path, choice);
}

SeriesImage SeriesImages::read(const std::string& path, std::int64_t index, graph::Lease<graph::Image> to) {
  const io::ImageInfo info = inspect(path);
  SeriesImage image = input_image(index, plan_for(path, info), std::move(to));
  io::open_image(MPI_COMM_SELF, path, info)->read(image.last().points());
  return image;
}

void SeriesImages::write(const SeriesItem& item, const SeriesImage& image) const {
  const std::string& path = item.output;
  const HostBlock points = image.last().points();
  const std::string key = output_key_of(path);
  const auto notes = [&]() -> io::FileNotes {
    io::FileNotes made{image.history, image.plan->attributes};
    made.attributes.push_back({"input", item.input});
    return made;
  };
  const auto create = [&]() -> std::unique_ptr<BlockSink> {
    if (key == "output.flo") return io::create_flo(MPI_COMM_SELF, path, points.box, points.type);
    if (key == "output.png") return io::create_png(MPI_COMM_SELF, path, points.box, points.type);
    if (key == "output.tiff") return io::create_tiff(MPI_COMM_SELF, path, points.box, points.type);
    if (key == "output.file")
      return std::move(io::create_hdf5(MPI_COMM_SELF, path, {{application_.output, points.type, points.box}},
                                       hdf5_storage(deck_), notes)
                           .front());
    return io::create_raw(MPI_COMM_SELF, path, points.box, points.type);
  };
  create()->write(points);
}

}  // namespace tessera::app
