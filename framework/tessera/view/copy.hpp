// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// Copies the points of `box` to the array `to`, from the points of the array `from` that lie `shift` further
/// on. Both arrays have elements of `element_size` bytes. The copy is enqueued on `execution`; no point may
/// be both read and written.
void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size, const Point& shift = {});

}  // namespace tessera
