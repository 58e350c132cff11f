// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/app/detail/plans.hpp"

namespace tessera::app {

/// Returns the plans of a file that --save-plan wrote. Throws InputError when they are not plans of this
/// pipeline and kind of program, or when they are for another number of ranks than `ranks` (0: any number).
std::unique_ptr<Plans> read_saved_plans(const Algorithm& pipeline, const std::string& path, int ranks);

}  // namespace tessera::app
