// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io::detail {

/// Decodes the frames of one video stream, in the order in which they are shown.
class VideoDecoder {
 public:
  /// Opens the file. Throws InputError when it is missing or unreadable, is not a video, or has a compression
  /// that FFmpeg cannot decode.
  VideoDecoder(const std::string& path, int threads);

  /// Decodes the next frame, which is valid until the next call. Returns null after the last frame. Throws
  /// InputError when the file is damaged or ends too early.
  const AVFrame* next();

  /// The number of frames that were decoded.
  std::int64_t frames() const { return frames_; }
  /// The number of frames according to the header, or -1.
  std::int64_t expected_frames() const;
  FrameRate rate() const;
  std::string codec() const { return avcodec_get_name(stream_->codecpar->codec_id); }

 private:
  void open_container();
  void choose_stream();
  void open_codec(int threads);
  void give_packet();
  bool read_packet();
  std::string problem_at_end() const;
  [[noreturn]] void fail_at_frame(const std::string& reason) const;

  std::string path_;
  FfmpegErrors errors_;  // declared before what it watches, so that it is destroyed last
  FfmpegContainer container_;
  FfmpegCodec codec_;
  FfmpegPacket packet_;
  FfmpegFrame frame_;
  AVStream* stream_ = nullptr;
  std::int64_t frames_ = 0;
  std::int64_t packets_ = 0;
  /// The number of packets without those that the container cuts off at the beginning or the end.
  std::int64_t shown_packets_ = 0;
  /// The position in the file after the last packet; at first after the header.
  std::int64_t position_ = 0;
  /// Why the file could not be read to its end. The frames before the damage are still to be decoded.
  std::string damage_;
};

}  // namespace tessera::io::detail
