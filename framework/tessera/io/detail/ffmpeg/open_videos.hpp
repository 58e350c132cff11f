// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/io/detail/video_backend.hpp"

namespace tessera::io::detail {

/// Opens a video with FFmpeg (see VideoReader).
std::unique_ptr<VideoReading> open_with_ffmpeg(const std::string& path, VideoColour colour, int threads);

/// Begins a video with FFmpeg (see VideoWriter).
std::unique_ptr<VideoWriting> create_with_ffmpeg(const std::string& path, const Box& domain, ElementType type,
                                                 FrameRate rate, const VideoOptions& options);

}  // namespace tessera::io::detail
