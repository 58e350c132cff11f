// SPDX-License-Identifier: BSD-3-Clause
// The functions for videos in a build without FFmpeg's libraries. They throw InputError.
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/video_backend.hpp"

namespace tessera::io::detail {

const bool has_video = false;

const VideoBackend& video_backend() {
  static const VideoBackend backend = {
      [](const std::string& path, VideoColour, int) -> std::unique_ptr<VideoReading> {
        fail_to_read_without(path, "VIDEO");
      },
      [](const std::string& path, const Box&, ElementType, FrameRate,
         const VideoOptions&) -> std::unique_ptr<VideoWriting> { fail_to_write_without(path, "VIDEO"); }};
  return backend;
}

}  // namespace tessera::io::detail
