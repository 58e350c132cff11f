// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/boundary.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

/// Gives the points of `box` outside `domain` what the boundary conditions say. The array must hold the
/// points that they lead to (with_boundary_sources); points of `box` beyond periodic sides, and within the
/// others, must be there already, as an exchange leaves them. Corners are right for every mixture: dimensions
/// are filled one after the other. Enqueued on `execution`. Elements have `element_size` bytes, at most
/// `largest_element`.
void fill_boundary(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                   const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
                   HostMode mode = HostMode::kernels);

}  // namespace tessera
