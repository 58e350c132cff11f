// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/graph/image.hpp"
#include "tessera/graph/pool.hpp"

namespace tessera::app {

/// An image of a series on its way through the graph.
struct SeriesImage {
  /// The number of the image in the series, or of the frame in the video.
  std::int64_t index = 0;
  graph::Lease<graph::Image> image;
};

/// Reads, plans and writes the images of a series. Several threads may use it at the same time.
class SeriesImages {
 public:
  /// `threads` is the number of threads that compute one image. All arguments must outlive this object.
  SeriesImages(const PipelineApplication& application, const deck::Deck& deck, int threads);

  /// Returns the plan for an image. `path` is named in errors. Throws InputError when the application does
  /// not accept the image.
  std::shared_ptr<const graph::PlannedPipeline> plan_for(const std::string& path, const io::ImageInfo& info);
  /// Returns the description of the image in a file, which the keys `input.dataset` and `input.page` choose.
  io::ImageInfo inspect(const std::string& path) const;
  /// Reads the image in a file into the memory of `to`. Throws InputError that names the file.
  void read(const std::string& path, graph::Image& to);
  /// Writes the result `image` to a file, in the format of its ending.
  void write(const std::string& path, const graph::Image& image) const;

 private:
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  int threads_;
  graph::PlanCache plans_;
};

}  // namespace tessera::app
