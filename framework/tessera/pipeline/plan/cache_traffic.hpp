// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Returns the bytes that a stage reads and writes for one point, each time that it reads or writes them.
/// Most of them move between a thread and the cache that is nearest to it. `stage` is the id of its first
/// output, and `points` are points of the stage, or of the input of a global reduction: the point in their
/// middle is looked at. Where an index depends on data, the footprint has all points that may be read, and
/// counts as a few of them. If `points` is empty, only what is written counts.
double cache_bytes_per_point(const Algorithm& pipeline, int stage, const Box& points);

}  // namespace tessera
