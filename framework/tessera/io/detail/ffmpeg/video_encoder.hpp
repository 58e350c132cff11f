// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"
#include "tessera/io/detail/ffmpeg/video_samples.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io::detail {

/// How a video is written: FFmpeg's names of the container and the encoder, and the pixel formats.
struct VideoEncoding {
  const char* container = nullptr;
  const char* encoder = nullptr;
  /// The format that holds the samples as they are given.
  AVPixelFormat given = AV_PIX_FMT_NONE;
  /// The format that the encoder takes.
  AVPixelFormat encoded = AV_PIX_FMT_NONE;
};

/// Returns the encoding for frames of `domain` and `type` in a file with the name `path`. Throws InputError
/// when `codec` or the ending of the name is not suitable for them.
VideoEncoding choose_encoding(const std::string& path, const Box& domain, ElementType type, VideoCodec codec);

/// Encodes frames into a file that has a temporary name.
class VideoEncoder {
 public:
  /// Begins `file`. `domain` has the points of each frame, in ranges that begin at 0. Throws InputError when
  /// FFmpeg lacks the encoder, when the encoder refuses the frames, and when the file cannot be written.
  VideoEncoder(const UnfinishedFile& file, const VideoEncoding& encoding, const Box& domain, FrameRate rate,
               int threads);

  /// Encodes the next frame. Throws InputError which names the frame when the file cannot be written.
  void write(const HostBlock& frame);
  /// Writes what the encoder still has, and the end of the file.
  void finish();

  /// The number of frames that were written.
  std::int64_t frames() const { return frames_; }

 private:
  void open_codec(const AVCodec& codec, int threads);
  void open_container(const std::string& temporary_path);
  void encode(const AVFrame* frame);
  void write_packet();
  void check_written(int error);

  std::string path_;
  VideoEncoding encoding_;
  AVRational rate_;
  FfmpegErrors errors_;  // declared before what it watches, so that it is destroyed last
  FfmpegContainer container_;
  FfmpegCodec codec_;
  FfmpegPacket packet_;
  FfmpegFrame frame_;
  std::optional<FrameConverter> converter_;
  std::int64_t frames_ = 0;
};

}  // namespace tessera::io::detail
