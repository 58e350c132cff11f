// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/app/detail/plans.hpp"

namespace tessera::app {

/// The plans of a file that --save-plan wrote. Throws InputError when it holds none of this pipeline and kind
/// of program, or for another number of ranks than `ranks` (0: any).
std::unique_ptr<Plans> read_saved_plans(const Algorithm& pipeline, const std::string& path, int ranks);

}  // namespace tessera::app
