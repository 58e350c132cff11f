// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_items.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// The items of a series that are computed by tasks on groups of ranks: all have the size and the type of the
/// first one, because the ranks plan once. They have numbers from 0 on without those that are left out.
class StreamItems : public SeriesItems {
 public:
  /// Finds the files, or opens the video. Leaves out images that cannot be read or are not like the first one
  /// if the deck says so. Collective. Throws InputError as SeriesItems does.
  StreamItems(Session& session, const PipelineApplication& application, const deck::Deck& deck);

  /// Returns a number that no item has: the number of items, or a huge one for a video, whose frames are not
  /// counted before they are read.
  std::int64_t no_item() const {
    return reads_video() ? std::numeric_limits<std::int64_t>::max() / 2 : count();
  }
  /// Returns whether this rank has found that the video ends before this frame.
  bool is_beyond_end(std::int64_t number) const { return number >= read_end_; }
  /// Returns a deck that names the files of the first item in place of those of the series.
  deck::Deck deck_of_first() const;
  /// Throws InputError about the first image that cannot be read or is not like the first one, if it is not
  /// left out. Collective.
  void check() const;
  /// Lines about the images that were left out. Only rank 0 has them.
  const std::vector<ImageLine>& left_out() const { return left_out_; }
  /// Returns a line about an item that has failed. It names the file once.
  std::string line_about(std::int64_t number, const std::string& reason) const;
  /// Returns what --check says. Only rank 0 knows it.
  std::string checked_text() const;

  /// Opens the image of an input of the pipeline for one rank, which opens the images of `input` in their
  /// order. Throws InputError, also after the last frame of a video.
  std::unique_ptr<BlockSource> open(const RunSetup& first, std::int64_t number, const std::string& input);
  /// Creates a result. `attributes` are those of HDF5 files. Collective over `communicator`, which is the
  /// same for all results. Throws InputError.
  std::unique_ptr<BlockSink> create_result(MPI_Comm communicator, std::int64_t number,
                                           const ArrayDeclaration& result,
                                           const std::vector<io::FileAttribute>& attributes);

 private:
  /// Looks at the headers of all files. Returns the numbers of the images that can be read and are like the
  /// first one, or no numbers if the error of an image ends the series. Called on rank 0 only.
  std::vector<std::int64_t> good_items();
  std::unique_ptr<BlockSource> open_frame(std::int64_t number);

  std::vector<ImageLine> left_out_;
  /// The first fault of an image, on rank 0.
  std::string fault_;
  /// The video as this rank reads it, the number of its present frame, and that of the first missing one.
  std::optional<io::VideoFrames> frames_;
  std::int64_t read_ = -1, read_end_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace tessera::app
