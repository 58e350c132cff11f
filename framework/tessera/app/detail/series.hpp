// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/io/video.hpp"

namespace tessera::app {

/// What a series needs of the run that it belongs to.
struct SeriesContext {
  Session& session;
  const PipelineApplication& application;
  const deck::Deck& deck;
  /// The number of worker threads of each rank.
  int threads = 1;
  /// The number of images that are under way on a rank at the same time.
  std::int64_t window = 1;
  /// The bytes that a rank may use; 0 if there is no limit.
  std::int64_t memory = 0;
  /// The bytes of the largest image; 0 if there is no limit of memory.
  std::int64_t image_bytes = 0;
  SeriesImages& images;
  const SharedImages& shared;
  StopSignals& signals;
  /// Progress that prints nothing, for the loops of images.
  Progress& silence;
  /// Is called when an image has been written. Any thread may call it.
  std::function<void(const SeriesImage&)> wrote;

  /// What happens to images that cannot be read, computed or written.
  graph::OnError on_error() const;
  /// Returns whether the sources must end, because a signal was received.
  bool is_stopped() const;
};

/// The images that a program reads, and the results that it writes: files, or the frames of a video. All
/// functions but `add_tasks`, `files`, `index_of` and `file_of` are collective.
class Series {
 public:
  virtual ~Series() = default;
  /// The number of images of all ranks; -1 if it is not known.
  virtual std::int64_t count() const = 0;
  /// Looks at all images, as far as this is possible without decoding them. Returns lines for people. Throws
  /// InputError about the first image that cannot be read, unless such images are left out.
  virtual std::string check() = 0;
  /// Adds the tasks to the graph.
  virtual void add_tasks(graph::Graph& graph) = 0;
  /// Makes the folders and files that must exist before the first result. Throws InputError.
  virtual void begin() = 0;
  /// Returns a line about images that are left out because an earlier run has computed them; empty if none
  /// are. Only rank 0 knows it.
  virtual std::string remark() const { return {}; }
  /// Completes the results after the graph has run.
  virtual void end() = 0;
  /// The paths of all files that are read or written. Only rank 0 needs to know them.
  virtual std::vector<std::string> files() const = 0;
  /// The number in the series of an item of this rank's source.
  virtual std::int64_t index_of(std::int64_t ordinal) const = 0;
  /// The name of an image, for messages. `index` is its number in the series.
  virtual std::string file_of(std::int64_t index) const = 0;
};

/// Returns the name of the task that reads an image which a list names. `name` is that in the pipeline.
inline std::string reading_task(const std::string& name) { return "read " + name; }

/// Adds the pool of images, whose size the window and the number of parts determine.
graph::Pool<graph::Image> add_images(const SeriesContext& context, graph::Graph& graph);

/// Adds the tasks that compute: one for each part of the application.
graph::Flow<SeriesImage> add_computation(const SeriesContext& context, graph::Graph& graph,
                                         const graph::Flow<SeriesImage>& images,
                                         const graph::Pool<graph::Image>& pool);

/// Makes the folder of a file if it is missing. Throws InputError about the deck key `key` if that fails.
void make_folder_of(const deck::Deck& deck, const std::string& key, const std::string& path);

/// Returns the series of the files that the keys `input.files` and `output.files` name. The files are dealt
/// out to the ranks in turn. `context` must outlive the series. Collective. Throws InputError as series_items
/// does.
std::unique_ptr<Series> file_series(const SeriesContext& context);

/// Returns the series of the frames of the video that the key `input.video` names. Rank 0 reads and writes
/// the videos, and all ranks compute frames. A program that takes grey images only gets the luma of a video
/// in colour. `context` must outlive the series. Collective. Throws InputError when the video cannot be read,
/// or when the program does not accept its frames.
std::unique_ptr<Series> video_series(const SeriesContext& context);

/// Returns the type and the points of the frames of a video.
io::ImageInfo info_of(const io::VideoReader& reader);

/// Returns the frame rate of a video, or the usual one if its file does not say it.
io::FrameRate rate_of(const io::VideoReader& reader);

/// Opens a video. If `accept` throws InputError for its frames in colour, the video is opened as grey, and
/// `accept` is called again. Throws the exceptions of VideoReader, and the first one of `accept`. One rank
/// should call it.
std::unique_ptr<io::VideoReader> open_video(const std::string& path,
                                            const std::function<void(const io::ImageInfo&)>& accept);

}  // namespace tessera::app
