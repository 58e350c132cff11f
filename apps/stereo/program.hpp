// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/pipeline_application.hpp"

namespace stereo {

/// Returns the description of the program.
tessera::app::PipelineApplication program();

}  // namespace stereo
