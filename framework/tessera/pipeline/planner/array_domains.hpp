// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/window.hpp"

namespace tessera {

/// The points of one array, which follow from the pipeline alone: no schedule changes them.
struct ArrayDomain {
  /// All points that any rank may compute or read; for a global reduction the points that it reduces.
  Box domain;
  /// The box whose slices the ranks own unless the schedule says otherwise. It lacks the margins that are
  /// only read as neighbours of other points, and it may have points outside the domain.
  Box nominal;
};

/// Returns the domains of all arrays, by id, as far as the window wants them. All outputs of a stage have the
/// same domain. Throws InternalError when a stage leads to no output, or when a stage reads points that its
/// input does not have.
std::vector<ArrayDomain> array_domains(const Algorithm& pipeline, const Window& window = {});

}  // namespace tessera
