// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Throws InputError if a deck or the command line asks for something that series on groups of ranks do not
/// have, such as videos, the workers of tasks of other series, or the measuring of tasks.
void check_stream_keys(const PipelineApplication& application, const deck::Deck& deck,
                       const Options& options);

/// Returns the number of images of which a rank has memory at most in a series on groups of ranks.
int stream_window(const deck::Deck& deck);

}  // namespace tessera::app
