// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_items.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::app {

/// A series whose images are computed by one rank each, as a graph of tasks: `list` or `decode`, which finds
/// the images, `read`, one task for each part of the application, and `write`. Files are dealt out to the
/// ranks in turn. Where there is a video, rank 0 begins and ends with each image.
class SeriesRun {
 public:
  /// Finds the images and makes the graph. `job` must outlive this object. Collective. Throws InputError.
  SeriesRun(const PipelineJob& job, int threads);

  /// Looks at all images, as far as this is possible without decoding them. Returns lines for people. Throws
  /// InputError about the first image that cannot be read, unless such images are left out. Collective.
  std::string check();
  /// The graph of the tasks.
  const graph::Graph& graph() const { return graph_; }
  /// Executes the graph. Returns the exit status. Collective. Throws InputError.
  ExitStatus run();

 private:
  /// An image that the source has found: its number, and the frames of a video that its result needs.
  struct Found {
    std::int64_t index = 0;
    std::vector<graph::Lease<graph::PackedImage>> frames = {};
    static auto members(auto& found) { return std::tie(found.index, found.frames); }
  };

  // The tasks.
  bool is_ordered() const { return items_.reads_video() || items_.writes_video(); }
  graph::OnError on_error() const;
  graph::Place place(const char* key, bool needs_one_thread) const;
  std::string reading_task(std::size_t place) const;
  std::int64_t index_of(std::int64_t ordinal) const;
  std::optional<Found> find(std::int64_t ordinal);
  std::optional<Found> decode(std::int64_t index);
  SeriesImage read(SeriesImage image, graph::Lease<graph::Image> to);
  void note(const SeriesImage& image);
  graph::Flow<SeriesImage> add_reading(const graph::Pool<graph::Image>& pool);
  graph::Flow<SeriesImage> add_computation(graph::Flow<SeriesImage> images,
                                           const graph::Pool<graph::Image>& pool);
  void add_writing(const graph::Flow<SeriesImage>& results);
  void add_tasks();
  void configure();

  // The run.
  void limit_memory();
  void begin();
  SeriesOutcome outcome(const graph::Report& report);

  const PipelineJob& job_;
  int threads_;
  /// The number of images that are under way on a rank at the same time.
  std::int64_t window_;
  /// The bytes of the largest image; 0 if there is no limit of memory.
  std::int64_t image_bytes_ = 0;
  Progress progress_;
  /// Progress that prints nothing, for the loops of images.
  Progress silence_;
  StopSignals signals_;
  SharedImages shared_;
  SeriesImages images_;
  SeriesItems items_;
  SeriesProgress done_;
  /// The plan for the frames of the video that is read; null if files are read.
  std::shared_ptr<const SeriesPlan> plan_;
  /// The second frame of the last pair.
  graph::Lease<graph::PackedImage> last_;
  graph::Graph graph_;
};

}  // namespace tessera::app
