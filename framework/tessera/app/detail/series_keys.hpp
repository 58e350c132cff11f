// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Returns whether an application can run on a series of images. It cannot if it reads no image, or if it
/// needs further images beside each one.
bool takes_series(const PipelineApplication& application);

/// Returns the name of the task that computes in the graph of a series: the name of the program without
/// "tessera-".
std::string task_name(const PipelineApplication& application);

/// Declares the keys of series: `input.files`, `output.files`, `input.video`, `output.video`, `on_error`, and
/// the block `graph`.
void declare_series_keys(deck::Schema& schema, const PipelineApplication& application);

/// Returns whether a deck names a series of files or a video.
bool is_series(const deck::Deck& deck);

/// Throws InputError when a deck names both a series and a single image, only one of the inputs and outputs
/// of a series, or something that a series does not have, such as checkpoints. The deck must name a series.
void check_series_keys(const deck::Deck& deck, const Options& options);

}  // namespace tessera::app
