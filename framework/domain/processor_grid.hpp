// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

/// A processor grid as a schedule asks for it: one entry per dimension, x first; 0 means `auto`. Dimensions
/// without an entry are not distributed. An empty request means the default, slices along y: [1, auto].
struct GridRequest {
  std::vector<int> entries;

  /// Text as in a deck: "[1, auto]".
  std::string text() const;
  bool operator==(const GridRequest&) const = default;
};

/// A grid of ranks; rank r sits at position (r mod size[0], r / size[0] mod size[1], ...), as in Distributed
/// Halide (section 3.2).
struct ProcessorGrid {
  int dimensions = 0;
  int size[max_dimensions] = {1, 1, 1, 1};

  int rank_count() const;
  std::string text() const;
  bool operator==(const ProcessorGrid&) const = default;
};

/// Fills in the `auto` entries of `request` so that the grid has exactly `rank_count` ranks and cuts the
/// least surface of `box`, among those that leave no rank idle if there are any; of equal ones the grid that
/// keeps rows whole. Throws InputError when no choice of
/// the `auto` entries multiplies to `rank_count`, or the request has more entries than `box` has dimensions.
ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count);

}  // namespace tessera
