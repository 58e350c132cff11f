// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/app/detail/plans.hpp"

namespace tessera::app {

/// Reads the plans of all ranks from a file that was written with the option --save-plan. Throws InputError
/// when the file does not hold plans of `pipeline`, when the plans are for devices and this program computes
/// on hosts or the other way round, or when `ranks` is neither 0 nor the number of ranks of the plans.
std::unique_ptr<Plans> read_saved_plans(const Algorithm& pipeline, const std::string& path, int ranks);

}  // namespace tessera::app
