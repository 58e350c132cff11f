// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_records.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/image_outputs.hpp"

namespace tessera::app {

/// The files that a run writes. They are created together, so that a file that cannot be written is noticed
/// before any work.
struct WrittenFiles {
  /// Creates the files. Collective. Throws InputError when one cannot be written, or is used twice.
  WrittenFiles(const RunSetup& setup, const LoopHistory& history);

  ImageOutputs outputs;
  RunRecords records;
};

/// Throws InputError when the deck asks for a picture that compares input and result, but `plan` has bands,
/// or a loop changes the input.
void check_comparison(const RunSetup& setup, const Plan& plan);

}  // namespace tessera::app
