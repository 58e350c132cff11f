// SPDX-License-Identifier: BSD-3-Clause
// Videos in a build without FFmpeg's libraries: every call throws InputError.
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/video_backend.hpp"

namespace tessera::io {
namespace {

constexpr const char* any_video = "video";

}  // namespace

const bool detail::has_video = false;

VideoReader::VideoReader(const std::string& path, VideoColour, int) {
  detail::fail_to_read_without(path, "VIDEO");
}
VideoReader::~VideoReader() = default;
const VideoInfo& VideoReader::info() const { detail::fail_to_read_without(any_video, "VIDEO"); }
bool VideoReader::read(const HostBlock&) { detail::fail_to_read_without(any_video, "VIDEO"); }

VideoWriter::VideoWriter(const std::string& path, const Box&, ElementType, FrameRate, const VideoOptions&) {
  detail::fail_to_write_without(path, "VIDEO");
}
VideoWriter::~VideoWriter() = default;
void VideoWriter::write(const HostBlock&) { detail::fail_to_write_without(any_video, "VIDEO"); }
void VideoWriter::finish() { detail::fail_to_write_without(any_video, "VIDEO"); }

}  // namespace tessera::io
