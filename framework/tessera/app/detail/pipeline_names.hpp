// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Throws InternalError if `pipeline`, which is made from `deck`, lacks the output that the deck needs.
/// Unless the names come from `with_names_of`, also throws it if the pipeline lacks a stage, reduction or
/// loop that the application names, because a schedule for such a name would have no effect.
void check_names_of(const PipelineApplication& application, const deck::Deck& deck,
                    const Algorithm& pipeline);

}  // namespace tessera::app
