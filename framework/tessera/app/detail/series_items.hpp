// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/video.hpp"

namespace tessera::app {

/// Throws InputError if a program does not take images of this description.
using AcceptImage = std::function<void(const io::ImageInfo&)>;

/// Returns what accepts the frames of a video together with the further images that are read once. The
/// arguments must outlive it. Collective.
AcceptImage accepting(Session& session, const PipelineApplication& application, const deck::Deck& deck);

/// Opens the video at `path`. If `accept` throws InputError for its frames in colour, the video is opened as
/// grey, and `accept` is called again. Throws the exceptions of VideoReader, and the first one of `accept`.
/// One rank should call it.
std::unique_ptr<io::VideoReader> open_video(const std::string& path, const AcceptImage& accept);

/// Returns the key in a ledger of an item whose result is whole. It has the states of the result, and of the
/// files from which it was made.
std::string ledger_key(const SeriesItem& item);

/// Notes the present state of the files that are read in `items`, and takes out those items whose results are
/// whole by the ledger. The last of them stays, and is computed again, so that there is an image that can be
/// read. Returns the number of items that were taken out. One rank should call it.
std::int64_t leave_out_whole(const Ledger& ledger, std::vector<SeriesItem>& items);

/// The images and results of a series: files, or the frames of a video, which rank 0 reads and writes.
class SeriesItems {
 public:
  /// Finds the files that are read, without those whose results an earlier run has written, or opens the
  /// video with `accept`. The other arguments must outlive this object. Collective. Throws InputError as
  /// series_items and open_video do.
  SeriesItems(Session& session, const PipelineApplication& application, const deck::Deck& deck,
              const AcceptImage& accept);

  /// The names in the pipeline of the images that are read for each result.
  const std::vector<std::string>& names() const { return names_; }
  bool reads_video() const { return frame_.has_value(); }
  bool writes_video() const { return app::writes_video(deck_); }
  /// The number of results; -1 if it is not known. Only rank 0 knows it for a video.
  std::int64_t count() const { return count_; }
  /// About the number of results that each rank writes; not positive if it is not known.
  std::int64_t count_of_rank() const {
    return writes_video() ? count_ : (count_ + session_.rank_count() - 1) / session_.rank_count();
  }
  /// Returns an item: the name of its image, for messages, and the path of its result, which is the video of
  /// all results if there is one.
  SeriesItem item(std::int64_t index) const {
    return reads_video() ? frame_item(deck_, index) : items_[static_cast<std::size_t>(index)];
  }
  /// The paths of all files that are read or written, except the results of the frames of a video.
  std::vector<std::string> files() const;
  /// Returns the number of results as a text; "some" if it is not known.
  std::string count_text() const { return count_ >= 0 ? std::to_string(count_) : "some"; }
  /// Returns a line about results of an earlier run; empty if there are none.
  std::string remark() const { return ledger_ ? ledger_->remark(left_out_, "result") : ""; }

  /// The description of the frames of the video that is read; null if files are read.
  const GivenImage* frame() const { return frame_ ? &*frame_ : nullptr; }
  /// Decodes the next frame on rank 0; an empty lease after the last one.
  graph::Lease<graph::PackedImage> next_frame();
  /// Returns the frames of the video, for all ranks together, in place of next_frame. Collective. Throws
  /// InputError.
  std::unique_ptr<io::VideoFrames> common_frames();

  /// Throws InputError if the results become frames of a video, and `result`, which is that of `item`, is not
  /// like the first one.
  void expect(const SeriesItem& item, const ArrayDeclaration& result);
  /// Makes what must exist before the first result: folders, the ledger, or, unless `create` is to do so, the
  /// video, whose frames are like what `expect` got on rank 0. Later calls do nothing. Collective. Throws
  /// InputError.
  void begin(bool makes_video = true);
  /// Makes the folder of the result of a frame. Throws InputError, also if that is a file that is read.
  void prepare(const SeriesItem& item) const;
  /// Creates the result of an item, after `begin`, for the ranks of `communicator`, which is the same for all
  /// results. An HDF5 file holds what `notes` returns. Collective over `communicator`. Throws InputError.
  std::unique_ptr<BlockSink> create(MPI_Comm communicator, const SeriesItem& item,
                                    const ArrayDeclaration& result, std::function<io::FileNotes()> notes);
  /// Appends a frame to the video of the results. Only rank 0 may call it.
  void write_frame(graph::PackedImage frame);
  /// Returns the first error of the video of the results, which ends the series also if images with errors
  /// are left out; empty if there is none. If all ranks compute a frame together, all of them know its error.
  const std::string& video_error() const { return video_error_; }
  /// Notes that the result of an item is whole. One rank should call it for each item.
  void wrote(const SeriesItem& item) const {
    if (ledger_) ledger_->add(ledger_key(item));
  }
  /// Completes the results. A video without frames is removed. `is_stopped` says whether a signal has ended
  /// the series. Collective.
  void end(bool is_stopped);

 private:
  void open(const AcceptImage& accept);
  std::vector<std::string> results() const;
  std::unique_ptr<io::VideoWriter> created_video() const;
  std::vector<std::string> results_of_frames() const;

  Session& session_;
  const deck::Deck& deck_;
  std::vector<std::string> names_;
  /// The files of further images.
  std::vector<NamedFile> shared_;
  std::vector<SeriesItem> items_;
  std::int64_t count_ = -1;
  std::optional<GivenImage> frame_;
  std::unique_ptr<io::VideoReader> reader_;
  /// The ledger of a series of files, which lies beside its results.
  std::optional<Ledger> ledger_;
  /// The number of items whose results are whole.
  std::int64_t left_out_ = 0;
  /// The type and the extents that all results share if they are frames of a video.
  std::optional<io::ImageInfo> result_;
  std::unique_ptr<io::VideoWriter> writer_;
  std::string video_error_;
  /// The frames per second of this video.
  io::FrameRate rate_;
  bool has_begun_ = false;
};

}  // namespace tessera::app
