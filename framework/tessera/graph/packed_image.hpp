// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tessera/graph/transfer.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::graph {

/// An image, or a part of one, that can be sent to another rank or kept: its samples without padding.
struct PackedImage {
  /// The number of the image in its series.
  std::int64_t index = 0;
  /// The samples, x fastest.
  std::vector<std::byte> samples;

  /// The members, for Transfer.
  static auto members(auto& image) { return std::tie(image.index, image.samples); }
};

/// Returns a copy of the samples of a block.
PackedImage packed(std::int64_t index, const HostBlock& points);

/// Copies the samples to a block, which has the type and the points of the one that was packed. Throws
/// InternalError if there are more or fewer samples.
void unpack(const PackedImage& image, const HostBlock& points);

}  // namespace tessera::graph
