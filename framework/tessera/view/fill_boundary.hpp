// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/boundary.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

/// Fills the points of `box` outside `domain` as the boundary conditions say. The array must hold the points
/// that the conditions lead to, see with_boundary_sources. Points beyond periodic sides, and inside the
/// domain in the other dimensions, must be there already, as an exchange leaves them. Corners are right for
/// every mixture of conditions, because dimensions are filled one after the other. The work is enqueued on
/// `execution`; on hosts small fills are done when the call returns. Throws InternalError when
/// `element_size`, in bytes, is more than largest_element.
void fill_boundary(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                   const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
                   HostMode mode = HostMode::kernels);

}  // namespace tessera
