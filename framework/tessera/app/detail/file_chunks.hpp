// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/pipeline/planner/bands.hpp"

namespace tessera::app {

/// Returns the rows that the files of a run store together. The chunks of `output.file` come first, beginning
/// with those of the result. The chunks of the input files, which are only read, come last.
std::vector<ChunkRows> file_chunks(const RunSetup& setup);

}  // namespace tessera::app
