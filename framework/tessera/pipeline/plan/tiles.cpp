// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/tiles.hpp"

#include <algorithm>

namespace tessera {

Tiles::Tiles(const std::vector<Box>& parts, const TileSize& tile) : tile_(tile) {
  for (const Box& box : parts) {
    if (box.empty()) continue;
    Part part{box, count_, {1, 1, 1, 1}};
    std::int64_t tiles = 1;
    for (int d = 0; d < box.dimensions; ++d) {
      const std::int64_t size = tile[static_cast<std::size_t>(d)];
      part.count[d] = (box[d].size() + size - 1) / size;
      tiles *= part.count[d];
    }
    parts_.push_back(part);
    count_ += tiles;
  }
}

Box Tiles::operator[](std::int64_t number) const {
  std::size_t p = 0;
  while (p + 1 < parts_.size() && parts_[p + 1].first <= number) ++p;
  const Part& part = parts_[p];
  number -= part.first;
  Box box = part.box;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t size = tile_[static_cast<std::size_t>(d)];
    box[d].begin += number % part.count[d] * size;
    box[d].end = std::min(box[d].begin + size, part.box[d].end);
    number /= part.count[d];
  }
  return box;
}

std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step) {
  std::vector<Lifetime> lifetimes;
  for (const plan::Scratch& place : step.scratch) {
    Lifetime lifetime;
    for (std::size_t m = 0; m < step.members.size(); ++m) {
      const int member = step.members[m];
      if (pipeline[place.array].lead == member) lifetime.first = lifetime.last = static_cast<int>(m);
      const auto& inputs = pipeline[member].inputs;
      if (std::find(inputs.begin(), inputs.end(), place.array) != inputs.end())
        lifetime.last = static_cast<int>(m);
      const bool outlives_inner_tiles = m < step.placements.size() && step.placements[m] != Placement::tile;
      if (pipeline[place.array].lead == member && outlives_inner_tiles) {
        lifetime = {0, static_cast<int>(step.members.size()) - 1};
        break;
      }
    }
    lifetimes.push_back(lifetime);
  }
  return lifetimes;
}

}  // namespace tessera
