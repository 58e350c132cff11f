// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/io/video.hpp"

namespace tessera::io::detail {

/// The functions behind open_video and create_video, with the same exceptions.
struct VideoBackend {
  std::unique_ptr<VideoReader> (*open)(const std::string& path, VideoColour colour, int threads);
  std::unique_ptr<VideoWriter> (*create)(const std::string& path, const Box& domain, ElementType type,
                                         FrameRate rate, const VideoOptions& options);
};

/// True if this Tessera was built with FFmpeg's libraries.
extern const bool has_video;

}  // namespace tessera::io::detail

extern "C" {
/// Returns the functions of the library that uses FFmpeg.
const tessera::io::detail::VideoBackend* tessera_ffmpeg_backend();
}
