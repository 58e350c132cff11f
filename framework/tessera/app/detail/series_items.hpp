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
#include "tessera/app/detail/series_records.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/video.hpp"

namespace tessera::app {

/// Throws InputError if a program does not take images of this description.
using AcceptImage = std::function<void(const io::ImageInfo&)>;

/// Returns a function that accepts the frames of a video together with the further images that are read once.
/// The arguments must outlive it. Collective.
AcceptImage accepting(Session& session, const PipelineApplication& application, const deck::Deck& deck);

/// Opens the video at `path`. If `accept` throws InputError for its frames in colour, the video is opened as
/// grey, and `accept` is called again. Throws the exceptions of VideoReader, and the first one of `accept`.
/// One rank should call it.
std::unique_ptr<io::VideoReader> open_video(const std::string& path, const AcceptImage& accept);

/// Calls `act`, and returns what it returns. Keeps the text of the first error in `kept`.
template <class Act>
auto keeping_error(std::string& kept, const Act& act) {
  try {
    return act();
  } catch (const std::exception& error) {
    if (kept.empty()) kept = error.what();
    throw;
  }
}

/// Looks at a file of an item. `place` is its place in the list of input_names.
using LookAtFile = std::function<void(std::size_t place, const std::string& path, const io::ImageInfo& info)>;

/// Returns the key in a ledger of an item whose result is whole. The key has the state of the result, and the
/// state of the files that were read for it.
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
  /// The number of results, without those that are left out before the run; -1 if it is not known. Only rank
  /// 0 knows it for a video.
  std::int64_t count() const { return count_; }
  /// The approximate number of results that each rank writes; not positive if it is not known.
  std::int64_t count_of_rank() const {
    return writes_video() ? count_ : (count_ + session_.rank_count() - 1) / session_.rank_count();
  }
  /// Returns the number in the series of the item `index`, which counts only items that are not left out.
  std::int64_t number_of(std::int64_t index) const {
    return kept_.empty() ? index : kept_[static_cast<std::size_t>(index)];
  }
  /// Returns an item: the name of its image, for messages, and the path of its result, which is the video of
  /// all results if there is one.
  SeriesItem item(std::int64_t index) const {
    return reads_video() ? frame_item(deck_, index) : items_[static_cast<std::size_t>(number_of(index))];
  }
  /// The paths of all files that are read or written, except the results of the frames of a video.
  std::vector<std::string> files() const;
  /// Returns the number of all images of the series as a text; "some" if it is not known.
  std::string count_text() const {
    return count_ < 0 ? "some" : std::to_string(reads_video() ? count_ : std::ssize(items_));
  }
  /// Prints the first lines of a run on these images, which are computed as `how` says.
  void say_start(Progress& progress, const std::string& how) const;
  /// Whether images with errors are left out. Otherwise they end the series.
  bool skips() const { return deck_.text_of("on_error") == "skip"; }

  /// Returns the description of the image of an item. Calls `look` for each of its files. Throws InputError
  /// if one of them cannot be read or is not like the first one.
  io::ImageInfo inspect(const SeriesItem& item, const LookAtFile& look) const;
  /// Calls `look` with the number of each item. If `look` throws InputError, the item is left out, and the
  /// returned lines have one about it. If items with errors end the series, throws the first error.
  std::vector<ImageLine> left_out_by(const std::function<void(std::int64_t index)>& look) const;

  /// The description of the frames of the video that is read; null if files are read.
  const GivenImage* frame() const { return frame_ ? &*frame_ : nullptr; }
  /// Decodes the next frame on rank 0. Returns an empty lease after the last one.
  graph::Lease<graph::PackedImage> next_frame();
  /// Returns the frames of the video, for all ranks together, in place of next_frame. Collective. Throws
  /// InputError.
  std::unique_ptr<io::VideoFrames> common_frames();

  /// Throws InputError if the results become frames of a video, and `result`, the result of `item`, is not
  /// like the first result.
  void expect(const SeriesItem& item, const ArrayDeclaration& result);
  /// Makes what must exist before the first result: folders and the ledger, or the video, whose frames are
  /// like the results that `expect` got on rank 0. If `makes_video` is false, `create` makes the video. Later
  /// calls do nothing. Collective. Throws InputError.
  void begin(bool makes_video = true);
  /// Creates the result of an item, after `begin`, for the ranks of `communicator`, which is the same for all
  /// results, and the folder of the result of a frame. An HDF5 file holds what `notes` returns. Collective
  /// over `communicator`. Throws InputError, also if the result of a frame is a file that is read. Several
  /// threads may create files for MPI_COMM_SELF.
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

 protected:
  /// Leaves out all items except those with these numbers.
  void keep(std::vector<std::int64_t> numbers) {
    kept_ = std::move(numbers);
    count_ = std::ssize(kept_);
  }

  Session& session_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;

 private:
  void open(const AcceptImage& accept);
  std::vector<std::string> results() const;
  std::unique_ptr<io::VideoWriter> created_video() const;
  std::vector<std::string> results_of_frames() const;

  std::vector<std::string> names_;
  /// The files of further images.
  std::vector<NamedFile> shared_;
  std::vector<SeriesItem> items_;
  /// The numbers of the items that are not left out; empty if all are computed.
  std::vector<std::int64_t> kept_;
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
