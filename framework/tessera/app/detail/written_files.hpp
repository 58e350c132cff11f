// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_records.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/image_outputs.hpp"

namespace tessera::app {

/// The files that a run writes. Places where they cannot be written are found when they are made, before any
/// work.
struct WrittenFiles {
  /// Collective. Throws InputError.
  WrittenFiles(const RunSetup& setup, const LoopHistory& history);

  ImageOutputs outputs;
  RunRecords records;
};

/// Throws InputError when the deck asks for a picture of before and after which `plan` cannot give.
void check_comparison(const RunSetup& setup, const Plan& plan);

}  // namespace tessera::app
