// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// The number of frames per second, as a fraction. An example is 30000 / 1001.
struct FrameRate {
  /// The numerator of the fraction.
  std::int64_t numerator = 25;
  /// The denominator of the fraction.
  std::int64_t denominator = 1;

  /// Returns true when numerators and denominators are equal. Fractions are not reduced for this.
  bool operator==(const FrameRate&) const = default;
};

/// The channels that are read from a video: those that it has, or only its luma.
enum class VideoColour : std::uint8_t {
  as_stored,  ///< grey frames remain grey; RGB remains RGB; YCbCr becomes RGB
  grey        ///< the samples of grey frames, and the luma samples of YCbCr frames, as they are stored
};

/// A description of a video file.
struct VideoInfo {
  /// The type of the samples: uint8 if they have 8 bits, and uint16 if they have 9 to 16 bits.
  ElementType type = ElementType::uint8;
  /// The number of bits of a sample. The samples are not scaled: if there are 10 bits, they are 0 to 1023.
  int bits = 8;
  /// All points of a frame: (x, y), or (x, y, channel) with the channels red, green and blue, each of which
  /// is a plane. All ranges begin at 0.
  Box domain;
  /// The number of frames according to the header of the file, which may be an estimate. The number is -1 if
  /// it is unknown. Only reading all frames gives the true number.
  std::int64_t frames = -1;
  /// The number of frames per second, on average. The fraction is 0/1 if the file does not say it.
  FrameRate rate = {0, 1};
  /// FFmpeg's name of the compression, such as "ffv1", "h264" or "rawvideo".
  std::string codec;
};

/// Reads the frames of a video from the first one to the last one. Frames are numbered from 0. A reader is
/// used by one thread at a time, and is not collective: a rank reads the video for itself.
///
/// The file is a Y4M, Matroska (MKV, WebM), MP4, QuickTime (MOV) or AVI file with any compression that FFmpeg
/// can decode. If it has several video streams, FFmpeg chooses one. A rotation that the file asks for is
/// ignored. Samples of grey and RGB frames are those of the file, bit by bit. YCbCr frames are converted to
/// RGB with as many bits, with the matrix and the range that the file names, or else those of ITU-R BT.601
/// and the limited range.
///
/// A file that ends too early is an error, and so is damage that FFmpeg finds by the structure of the file or
/// by checksums: no frames are left out or filled with other points. Files without checksums may have damage
/// that nobody can find. An MP4 file of fragments, or a Matroska file of unknown length, that ends between
/// two frames is a shorter video.
class VideoReader {
 public:
  virtual ~VideoReader() = default;

  /// Returns the description of the video.
  virtual const VideoInfo& info() const = 0;

  /// Decodes the next frame, in the order in which frames are shown, and stores those of its points that lie
  /// in the box of `frame`. Returns false, and stores nothing, after the last frame. Throws InputError which
  /// names the frame when the file is damaged or ends too early, or when the frame has another size or other
  /// samples than the first one. Throws InternalError when `frame` has another element type or other points
  /// than the video.
  virtual bool read(const HostBlock& frame) = 0;
};

/// Opens the video at `path` and decodes its first frame. The codec uses `threads` threads, at least 1, which
/// changes no bit of the frames. Throws InputError when the file is not such a video, has no frame or a
/// damaged one, or has frames with transparency, a palette, or samples other than integers of 8 to 16 bits,
/// and when `colour` asks for grey, and the frames are RGB.
std::unique_ptr<VideoReader> open_video(const std::string& path, VideoColour colour = VideoColour::as_stored,
                                        int threads = 1);

/// The compression of a video that is written.
enum class VideoCodec : std::uint8_t {
  by_ending,  ///< Y4M for a name that ends with .y4m, FFV1 for .mkv, and H.264 for .mp4
  y4m,        ///< no compression and no loss, for grey frames; the name ends with .y4m
  ffv1,       ///< no loss, for grey and RGB frames; the name ends with .mkv
  h264        ///< loses details and colours, for frames of uint8; the name ends with .mp4 or .mkv
};

/// The choices for writing a video.
struct VideoOptions {
  /// The compression.
  VideoCodec codec = VideoCodec::by_ending;
  /// The number of threads of the codec, at least 1. The bits of FFV1 and Y4M files do not depend on it.
  int threads = 1;
};

/// Writes the frames of a video from the first one to the last one. Frames are numbered from 0. A writer is
/// used by one thread at a time, and is not collective: one rank writes the video. The file has a temporary
/// name until `finish`. The same frames give the same bytes.
///
/// FFV1 in Matroska and Y4M keep every bit. H.264 does not: frames are converted to YCbCr (ITU-R BT.709,
/// limited range) with a quarter of the colour samples, and compressed with the quality crf 18.
class VideoWriter {
 public:
  /// Removes the file, unless `finish` has completed it.
  virtual ~VideoWriter() = default;

  /// Appends a frame, all points of the video. Throws InputError which names the frame when the file cannot
  /// be written; there may have been no space for an earlier frame. Throws InternalError when
  /// `frame` has another type or other points than the video, and after `finish` or an error.
  virtual void write(const HostBlock& frame) = 0;

  /// The number of frames that were written.
  virtual std::int64_t frames() const = 0;

  /// Completes the file and gives it its final name. Throws InputError when the file cannot be written, or
  /// when it has no frame. Throws InternalError when it is called twice, or after an error.
  virtual void finish() = 0;
};

/// Begins the video at `path`. `domain` has the points of each frame: (x, y), or (x, y, channel) with red,
/// green and blue. Throws InputError when the file cannot be created, when the ending of its name is not
/// .y4m, .mkv or .mp4 or does not fit the codec, when the codec cannot hold such frames or FFmpeg lacks it,
/// and when the frame rate is not positive, or is 1000 or more for an .mkv file.
std::unique_ptr<VideoWriter> create_video(const std::string& path, const Box& domain, ElementType type,
                                          FrameRate rate, const VideoOptions& options = {});

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

/// Returns a sink of the next frame of a video. All ranks of `communicator` write it together. `writer`
/// is the video on rank 0, and null on the other ranks. `domain` and `type` are those of the video, and
/// `path` names it in messages. The frame is appended when all of its points have been written, by `write` or
/// by parts that follow each other along y. `communicator` and `writer` must outlive the sink. Collective.
/// Throws InputError on all ranks if rank 0 has no memory for a frame; writing throws the exceptions of
/// VideoWriter::write on all ranks.
std::unique_ptr<BlockSink> create_frame(MPI_Comm communicator, const std::string& path, VideoWriter* writer,
                                        const Box& domain, ElementType type);

}  // namespace tessera::io
