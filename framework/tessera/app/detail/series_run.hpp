// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/series_items.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// The further images of a series, such as the kernel of convolutions. Each file is read once, and all images
/// of the series are computed with it.
class SharedImages {
 public:
  /// Reads the further images that the deck names. Every rank reads all points. Collective. Throws
  /// InputError.
  SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck);

  /// Returns the files, and the descriptions of the images.
  const ImageInputs& inputs() const { return inputs_; }
  /// Returns the bytes of the points of all images.
  std::int64_t bytes() const;
  /// Adds the images to `bindings` as sources of a pipeline's inputs. Several threads may read these sources
  /// at the same time.
  void bind(Bindings& bindings) const;

 private:
  /// An image in memory.
  class Points final : public BlockSource {
   public:
    Points(ElementType type, const Box& box)
        : bytes_(static_cast<std::size_t>(box.size()) * size_of(type)),
          block_(packed_block(bytes_.data(), type, box)) {}
    void read(const HostBlock& to) override { copy_part(block_, to, to.box); }
    const HostBlock& block() const { return block_; }
    std::int64_t bytes() const { return std::ssize(bytes_); }

   private:
    std::vector<std::byte> bytes_;
    HostBlock block_;
  };

  ImageInputs inputs_;
  std::map<std::string, std::unique_ptr<Points>> images_;
};

/// An image of a series on its way through the graph.
struct SeriesImage {
  /// The number of the image in the series, or of the frame in the video.
  std::int64_t index = 0;
  /// The plan for images of this shape.
  std::shared_ptr<const SeriesPlan> plan = {};
  /// The images that were read, and the outputs of the parts that have been computed. Those that no later
  /// part reads have been given back.
  std::vector<graph::Lease<graph::Image>> images = {};
  /// A line about the first loop whose condition does not hold at its end; empty if there is none.
  std::string unfinished = {};
  /// The frames of a video that have not been read into `images` yet, by their places.
  std::vector<graph::Lease<graph::PackedImage>> frames = {};
  /// The residuals of each turn of the loops, as HDF5 results have them.
  std::vector<io::NumberList> history = {};

  /// The members that a source sends to other ranks.
  static auto members(auto& image) { return std::tie(image.index, image.frames); }
  /// Returns what was read or computed last.
  const graph::Image& last() const { return *images.back(); }
};

/// A series whose images are computed by one rank each, as a graph of tasks: `list` or `decode`, which finds
/// the images; `read`; one task for each part of the application; and `write`. Files are dealt out to the
/// ranks in turn. If a video is read or written, rank 0 finds all images, and decodes and encodes the frames.
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
  // The tasks.
  bool is_ordered() const { return items_.reads_video() || items_.writes_video(); }
  graph::OnError on_error() const { return items_.skips() ? graph::OnError::skip : graph::OnError::stop; }
  graph::Place place_for_files(const char* key, bool needs_one_thread) const;
  std::string reading_task(std::size_t place) const;
  std::int64_t index_of(std::int64_t ordinal) const;
  std::optional<SeriesImage> find(std::int64_t ordinal);
  std::optional<SeriesImage> decode(std::int64_t index);
  std::unique_ptr<BlockSource> open(const SeriesItem& item, SeriesImage& image);
  SeriesImage read(SeriesImage image, graph::Lease<graph::Image> to);
  SeriesImage compute(std::size_t number, graph::PipelineBody& body, SeriesImage image,
                      graph::Lease<graph::Image> to);
  void write(const SeriesImage& image);
  void note(const SeriesImage& image);
  graph::Flow<SeriesImage> add_reading(const graph::Pool<graph::Image>& pool);
  graph::Flow<SeriesImage> add_computation(graph::Flow<SeriesImage> images,
                                           const graph::Pool<graph::Image>& pool);
  void add_writing(const graph::Flow<SeriesImage>& results);
  void add_tasks();
  void configure();

  // The run.
  std::shared_ptr<const SeriesPlan> plan_for(const std::string& path, const io::ImageInfo& info);
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
  graph::PlanCache<SeriesPlan> plans_;
  SeriesItems items_;
  SeriesProgress done_;
  /// The plan for the frames of the video that is read; null if files are read.
  std::shared_ptr<const SeriesPlan> plan_;
  /// The second frame of the last pair.
  graph::Lease<graph::PackedImage> last_;
  graph::Graph graph_;
};

}  // namespace tessera::app
