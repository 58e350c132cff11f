// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/lifetimes.hpp"

#include <algorithm>
#include <numeric>

#include "tessera/view/block_layout.hpp"

namespace tessera {
namespace {}  // namespace

std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets) {
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  offsets.assign(bytes.size(), 0);
  std::int64_t total = 0;
  // The pieces that are placed already, in the order of their offsets.
  std::vector<std::size_t> placed;
  for (const std::size_t piece : order) {
    std::int64_t offset = 0;
    for (const std::size_t other : placed) {
      const bool meet =
          lifetimes[other].first <= lifetimes[piece].last && lifetimes[piece].first <= lifetimes[other].last;
      if (meet && offset < offsets[other] + aligned_bytes(bytes[other]) &&
          offsets[other] < offset + aligned_bytes(bytes[piece]))
        offset = offsets[other] + aligned_bytes(bytes[other]);
    }
    offsets[piece] = offset;
    total = std::max(total, offset + aligned_bytes(bytes[piece]));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), piece,
                                   [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; }),
                  piece);
  }
  return total;
}

}  // namespace tessera
