// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Throws InternalError when an application names an output, or what else it names without `with_names_of`,
/// that the pipeline of this deck lacks: a deck that schedules it would do nothing.
void check_names_of(const PipelineApplication& application, const deck::Deck& deck,
                    const Algorithm& pipeline);

}  // namespace tessera::app
