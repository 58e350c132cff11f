// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Throws InternalError when the pipeline of this deck lacks the output that the deck needs or, unless the
/// names come from `with_names_of`, a stage, reduction or loop that the application names. A deck that
/// schedules such a name would do nothing.
void check_names_of(const PipelineApplication& application, const deck::Deck& deck,
                    const Algorithm& pipeline);

}  // namespace tessera::app
