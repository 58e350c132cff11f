// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/window.hpp"

namespace tessera {

/// The points of one array, which follow from the pipeline alone: no schedule changes them.
struct ArrayDomain {
  /// All points that any rank may compute or read; those that a global reduction reduces.
  Box domain;
  /// The box whose slices the ranks own if nothing else is asked for: without the margins that only
  /// neighbours read. It may have other points than the domain.
  Box nominal;
};

/// The domains of all arrays, by id, for what the window wants. All outputs of a stage have the same. Throws
/// InternalError when a stage leads to no output, or reads points that nobody has.
std::vector<ArrayDomain> array_domains(const Algorithm& pipeline, const Window& window = {});

}  // namespace tessera
