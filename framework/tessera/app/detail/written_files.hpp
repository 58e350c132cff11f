// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/image_outputs.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// The files that a run writes, except checkpoints. They are created together, so that a file that cannot be
/// written is noticed before any computation.
struct WrittenFiles {
  /// Creates the files. Collective. Throws InputError when a file cannot be written, or when the run uses
  /// the same file for two purposes. `threads` threads of each rank encode files that are compressed.
  WrittenFiles(const RunSetup& setup, const LoopHistory& history, int threads);

  /// The paths of all of them.
  std::vector<std::string> paths() const;

  ImageOutputs outputs;
  Records records;
};

/// Throws InputError when the deck asks for a picture that compares input and result, but the picture cannot
/// be made because `plan` has bands or because a loop changes the input.
void check_comparison(const RunSetup& setup, const Plan& plan);

/// Returns the way in which the keys `output.chunks` and `output.compression` ask to store HDF5 results.
io::Hdf5Storage hdf5_storage(const deck::Deck& deck);

/// Returns the attributes of an HDF5 result that tell how it came about, except times: the program, its
/// version and libraries, the deck, and the ranks and threads of `plan`, which is a plan of `pipeline`, and
/// the grid of the array `result`.
std::vector<io::FileAttribute> result_attributes(const PipelineApplication& application,
                                                 const deck::Deck& deck, const Algorithm& pipeline,
                                                 const std::string& result, const Plan& plan);

}  // namespace tessera::app
