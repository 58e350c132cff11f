// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/series.hpp"

namespace tessera::app {

/// Returns the series of the frames of the video that the key `input.video` names. Rank 0 reads and writes
/// the videos, and all ranks compute frames. A program that takes grey images only gets the luma of a video
/// in colour. `context` must outlive the series. Collective. Throws InputError when the video cannot be read,
/// or when the program does not accept its frames.
std::unique_ptr<Series> video_series(const SeriesContext& context);

}  // namespace tessera::app
