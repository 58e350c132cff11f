// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// Copies the points of `box` between two arrays of elements of `element_size` bytes (1, 2, 4 or 8) that both
/// hold it. Enqueued on `execution`; the arrays must not overlap.
void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size);

/// Gives the points of `box` outside `domain` the value of the nearest point of the domain, which `box` must
/// hold (replicated border). Corners are right: dimensions are filled one after the other.
void fill_clamped(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                  const Box& domain, std::int64_t element_size);

/// The hull of `box` and of the points of `domain` that fill_clamped copies into it.
Box with_clamp_sources(const Box& box, const Box& domain);

}  // namespace tessera
