// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/video.hpp"

#include "tessera/io/detail/video_backend.hpp"

namespace tessera::io {

VideoReader::VideoReader(const std::string& path, VideoColour colour, int threads)
    : reading_(detail::video_backend().open(path, colour, threads)) {}
VideoReader::~VideoReader() = default;
const VideoInfo& VideoReader::info() const { return reading_->info(); }
bool VideoReader::read(const HostBlock& frame) { return reading_->read(frame); }

VideoWriter::VideoWriter(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
                         const VideoOptions& options)
    : writing_(detail::video_backend().create(path, domain, type, rate, options)) {}
VideoWriter::~VideoWriter() = default;
void VideoWriter::write(const HostBlock& frame) { writing_->write(frame); }
void VideoWriter::finish() { writing_->finish(); }

}  // namespace tessera::io
