// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tessera/app/detail/series.hpp"
#include "tessera/io/video.hpp"

namespace tessera::app {

/// Returns the series of the frames of the video that the key `input.video` names. Rank 0 reads and writes
/// the videos, and all ranks compute frames. A program that takes grey images only gets the luma of a video
/// in colour. `context` must outlive the series. Collective. Throws InputError when the video cannot be read,
/// or when the program does not accept its frames.
std::unique_ptr<Series> video_series(const SeriesContext& context);

/// Returns the type and the points of the frames of a video.
io::ImageInfo info_of(const io::VideoReader& reader);

/// Returns the frame rate of a video, or the usual one if its file does not say it.
io::FrameRate rate_of(const io::VideoReader& reader);

/// Opens a video. If `accept` throws InputError for its frames in colour, the video is opened as grey, and
/// `accept` is called again. Throws the exceptions of VideoReader, and the first one of `accept`. One rank
/// should call it.
std::unique_ptr<io::VideoReader> open_video(const std::string& path,
                                            const std::function<void(const io::ImageInfo&)>& accept);

}  // namespace tessera::app
