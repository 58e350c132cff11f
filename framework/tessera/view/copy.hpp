// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// Copies points from the array `from` to the array `to`. Each point p of `box` in `to` gets the value of the
/// point p + `shift` of `from`. The elements of both arrays have `element_size` bytes. The copy is enqueued
/// on `execution`. No element may be both read and written.
void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size, const Point& shift = {});

}  // namespace tessera
