// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

namespace {

/// The dimensions in the order in which inner tiles follow each other.
constexpr std::array walking_order = {1, 0, 2, 3};
static_assert(walking_order.size() == max_dimensions);

std::int64_t pieces(const Range& range, std::int64_t size) { return (range.size() + size - 1) / size; }

}  // namespace

InnerTiles::InnerTiles(const std::vector<Box>& parts, const TileSize& tile, const TileSize& inner)
    : tiles_(parts, tile), inner_(inner) {
  if (inner_.empty()) return;
  first_.reserve(static_cast<std::size_t>(tiles_.size()) + 1);
  first_.push_back(0);
  for (std::int64_t t = 0; t < tiles_.size(); ++t) {
    const Box box = tiles_[t];
    std::int64_t count = 1;
    for (int d = 0; d < box.dimensions; ++d) count *= pieces(box[d], inner_[static_cast<std::size_t>(d)]);
    first_.push_back(first_.back() + count);
  }
}

Box InnerTiles::inner_tile(const Box& tile, std::int64_t number) const {
  Box box = tile;
  for (const int d : walking_order) {
    if (d >= box.dimensions) continue;
    const std::int64_t size = inner_[static_cast<std::size_t>(d)], count = pieces(tile[d], size);
    box[d].begin += number % count * size;
    box[d].end = std::min(box[d].begin + size, tile[d].end);
    number /= count;
  }
  return box;
}

std::vector<Box> InnerTiles::walk(std::int64_t tile) const {
  const Box points = tiles_[tile];
  std::vector<Box> boxes;
  for (std::int64_t number = first(tile); number < first(tile + 1); ++number)
    boxes.push_back(inner(tile, points, number));
  return boxes;
}

Box rows_to_compute(const Box& before, const Box& now) {
  if (before.empty() || now.empty() || before.dimensions != now.dimensions) return now;
  if (now.dimensions == 1) return before == now ? Box{{now[0].end, now[0].end}} : now;
  Box same_rows = before;
  same_rows[1] = now[1];
  if (!(same_rows == now) || now[1].begin < before[1].begin || now[1].end < before[1].end) return now;
  Box rows = now;
  rows[1].begin = std::max(now[1].begin, before[1].end);
  return rows;
}

}  // namespace tessera
