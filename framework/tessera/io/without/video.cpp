// SPDX-License-Identifier: BSD-3-Clause
// The functions for videos in a build without FFmpeg's libraries. The constructors throw InputError.
#include "tessera/io/video.hpp"

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/built_formats.hpp"

namespace tessera::io {

const bool detail::has_video = false;

class VideoReader::Content {};

VideoReader::VideoReader(const std::string& path, VideoColour, int) {
  detail::fail_to_read_without(path, "VIDEO");
}
VideoReader::~VideoReader() = default;
const VideoInfo& VideoReader::info() const { throw InternalError("a video reader without FFmpeg"); }
bool VideoReader::read(const HostBlock&) { throw InternalError("a video reader without FFmpeg"); }

class VideoWriter::Content {};

VideoWriter::VideoWriter(const std::string& path, const Box&, ElementType, FrameRate, const VideoOptions&) {
  detail::fail_to_write_without(path, "VIDEO");
}
VideoWriter::~VideoWriter() = default;
void VideoWriter::write(const HostBlock&) { throw InternalError("a video writer without FFmpeg"); }
void VideoWriter::finish() { throw InternalError("a video writer without FFmpeg"); }

}  // namespace tessera::io
