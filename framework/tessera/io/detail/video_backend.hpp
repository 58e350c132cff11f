// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/io/video.hpp"

namespace tessera::io::detail {

/// A video that is read (see VideoReader).
class VideoReading {
 public:
  virtual ~VideoReading() = default;
  virtual const VideoInfo& info() const = 0;
  virtual bool read(const HostBlock& frame) = 0;
};

/// A video that is written (see VideoWriter).
class VideoWriting {
 public:
  virtual ~VideoWriting() = default;
  virtual void write(const HostBlock& frame) = 0;
  virtual void finish() = 0;
};

/// The functions that open videos. They throw the same exceptions as the constructors of VideoReader and
/// VideoWriter.
struct VideoBackend {
  std::unique_ptr<VideoReading> (*open)(const std::string& path, VideoColour colour, int threads);
  std::unique_ptr<VideoWriting> (*create)(const std::string& path, const Box& domain, ElementType type,
                                          FrameRate rate, const VideoOptions& options);
};

/// Whether this Tessera was built with FFmpeg's libraries.
extern const bool has_video;

}  // namespace tessera::io::detail

extern "C" {
/// Returns the functions of the library that uses FFmpeg.
const tessera::io::detail::VideoBackend* tessera_ffmpeg_backend();
}
