// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

// Stages that threads of the host compute although the target is a device, such as calls of a library that
// has no functions for devices. The arrays of such a stage are copied to host memory before the stage is
// computed, and the results are copied back. The host memory is called staging memory.
namespace tessera {

/// Whether a target computes the stage `stage` in staging memory. Targets that are hosts never do.
bool is_staged(const Algorithm& pipeline, const Target& target, int stage);

/// An array of a staged stage, and where its buffer is copied to.
struct StagedArray {
  /// The id of the array.
  int array = 0;
  /// Whether the stage computes the array. Otherwise the stage reads the array.
  bool is_computed = false;
  /// Where the copy of the buffer begins, in bytes from the start of the staging memory.
  std::int64_t offset = 0;
};

/// Returns the arrays of the staged stage `stage`, each of them once. The buffers of `plan` must have their
/// sizes. Loops may swap buffers, but only those of the same size.
std::vector<StagedArray> staged_arrays(const Algorithm& pipeline, const Plan& plan, int stage);

/// Returns the bytes of staging memory that the staged stage `stage` needs.
std::int64_t staging_bytes(const Algorithm& pipeline, const Plan& plan, int stage);

}  // namespace tessera
