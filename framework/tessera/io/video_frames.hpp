// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tessera/io/image_info.hpp"
#include "tessera/io/video.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// The frames of a video, one after the other, as images that all ranks of a communicator read together. Rank
/// 0 decodes a frame, keeps it in memory, and sends the other ranks the rows of their blocks.
class VideoFrames {
 public:
  /// `reader` is the video on rank 0, and null on the other ranks. `info` has the type and the points of its
  /// frames, and `path` names it in messages. `communicator` must outlive this object. Collective. Throws
  /// InputError on all ranks if rank 0 has no memory for a frame.
  VideoFrames(MPI_Comm communicator, std::string path, std::unique_ptr<VideoReader> reader, ImageInfo info);

  /// Decodes the next frame. Returns false after the last one. Collective. Throws the exceptions of
  /// VideoReader::read on all ranks.
  bool next();

  /// Returns a source of the present frame, which may be read until the next call of next(). `read` of the
  /// source is collective.
  std::unique_ptr<BlockSource> open();

 private:
  MPI_Comm communicator_;
  std::string path_;
  std::unique_ptr<VideoReader> reader_;
  ImageInfo info_;
  /// The points of the present frame, on rank 0.
  std::vector<std::byte> points_;
};

/// Returns a sink of the next frame of a video, to which all ranks of `communicator` write together. `writer`
/// is the video on rank 0, and null on the other ranks. `domain` and `type` are those of the video, and
/// `path` names it in messages. The frame is appended when all of its points have been written, by `write` or
/// by parts that follow each other along y. `communicator` and `writer` must outlive the sink. Collective.
/// Throws InputError on all ranks if rank 0 has no memory for a frame; writing throws the exceptions of
/// VideoWriter::write on all ranks.
std::unique_ptr<BlockSink> create_frame(MPI_Comm communicator, const std::string& path, VideoWriter* writer,
                                        const Box& domain, ElementType type);

}  // namespace tessera::io
