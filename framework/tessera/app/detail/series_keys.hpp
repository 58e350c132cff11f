// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Returns whether a key is declared and given.
bool is_given(const deck::Deck& deck, const std::string& key);

/// Returns whether an application can run on a series of images. It cannot if it reads no image, or if it
/// needs further images beside each one that no list names.
bool takes_series(const PipelineApplication& application);

/// Returns whether an application that can run on a series of images can run on a video, too. It cannot if it
/// has lists of images whose key must be given.
bool takes_videos(const PipelineApplication& application);

/// Returns the name of the graph of a series, which is also that of the task that computes the whole
/// pipeline: the name of the program without "tessera-".
std::string task_name(const PipelineApplication& application);

/// Declares the keys of series: `input.files`, `output.files`, `input.video` and `output.video` if the
/// application takes videos, `on_error`, and the block `graph`.
void declare_series_keys(deck::Schema& schema, const PipelineApplication& application);

/// Returns whether all threads compute one image in the task `task`, instead of each thread one.
bool computes_by_kernels(const deck::Deck& deck, const std::string& task);

/// Returns whether a deck names a series of files or a video.
bool is_series(const deck::Deck& deck);

/// Returns whether a deck names a video.
bool is_video(const deck::Deck& deck);

/// Throws InputError when a deck names both a series and a single image, only one of the inputs and outputs
/// of a series, or something that a series does not have, such as checkpoints or further images. The deck
/// must name a series.
void check_series_keys(const PipelineApplication& application, const deck::Deck& deck,
                       const Options& options);

}  // namespace tessera::app
