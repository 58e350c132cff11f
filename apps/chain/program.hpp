// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"

namespace chain {

/// Returns the description of the program tessera-chain before its deck is read.
tessera::app::PipelineApplication program();

}  // namespace chain
