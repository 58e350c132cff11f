// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/boundary.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

/// Fills the points of `box` outside `domain` with the values that the boundary conditions give them. The
/// array must hold the points from which the conditions take these values (see with_boundary_sources). Points
/// that are outside the domain only in periodic dimensions must already have their values.
/// Corners are right for every mixture of conditions, because one dimension is filled after the other.
///
/// The work is enqueued on `execution`. On hosts, small fills are done when the call returns. Throws
/// InternalError when `element_size`, in bytes, is greater than largest_element.
void fill_boundary(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                   const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
                   HostMode mode = HostMode::kernels);

}  // namespace tessera
