// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

/// What one tile reads, keeps in scratch and writes; scratch, about a third of it, should stay in a
/// second-level cache.
constexpr std::int64_t tile_bytes = 768 * 1024;
/// Wide rows: at the start of each piece of a row the memory has to be waited for.
constexpr std::int64_t row_bytes = 16384;
/// So many tiles per thread even out what the threads do.
constexpr std::int64_t tiles_per_thread = 4;
/// A plan keeps the boxes of every tile: beyond this they would take more memory than images do.
constexpr double most_tiles = 1 << 20;

std::int64_t element_size(const ScheduledPipeline& scheduled, int id) {
  return static_cast<std::int64_t>(size_of(scheduled.pipeline()[id].type));
}

/// Bytes per point of the root that pass through the cache: those of all members and of what they read from
/// memory.
std::int64_t bytes_per_point(const ScheduledPipeline& scheduled, const std::vector<int>& members) {
  std::int64_t bytes = 0;
  std::vector<int> seen = members;
  for (int member : members)
    for (int input : scheduled.pipeline()[member].inputs)
      if (std::find(seen.begin(), seen.end(), input) == seen.end()) seen.push_back(input);
  for (int id : seen) bytes += element_size(scheduled, id);
  return bytes;
}

TileSize automatic_tile(const ScheduledPipeline& scheduled, const std::vector<int>& members, const Box& box,
                        const Target& target) {
  TileSize tile(static_cast<std::size_t>(box.dimensions), 1);
  tile[0] = std::min(box[0].size(), row_bytes / element_size(scheduled, members.back()));
  if (box.dimensions == 1) return tile;
  const std::int64_t row = tile[0] * bytes_per_point(scheduled, members);
  const std::int64_t rows = box.size() / box[0].size();
  const std::int64_t in_cache = tile_bytes / row;
  const std::int64_t balanced = rows / (tiles_per_thread * target.threads);
  tile[1] =
      std::max<std::int64_t>(1, std::min({box[1].size(), in_cache, std::max<std::int64_t>(balanced, 8)}));
  return tile;
}

std::int64_t extent(const TileSize& tile, int d) {
  return d < static_cast<int>(tile.size()) ? tile[static_cast<std::size_t>(d)] : 1;
}

double tile_count(const Box& box, const TileSize& tile) {
  double count = 1;
  for (int d = 0; d < box.dimensions; ++d)
    count *= static_cast<double>((box[d].size() + extent(tile, d) - 1) / extent(tile, d));
  return count;
}

/// All tiles of `box`, x fastest.
std::vector<Box> cut(const Box& box, const TileSize& tile) {
  std::vector<Box> tiles;
  if (box.empty()) return tiles;
  Box current = box;
  const auto place = [&](int d, std::int64_t begin) {
    current[d] = {begin, std::min(begin + extent(tile, d), box[d].end)};
  };
  for (int d = 0; d < box.dimensions; ++d) place(d, box[d].begin);
  for (int d = 0; d < box.dimensions;) {
    tiles.push_back(current);
    for (d = 0; d < box.dimensions; ++d) {
      if (current[d].end < box[d].end) {
        place(d, current[d].end);
        break;
      }
      place(d, box[d].begin);
    }
  }
  return tiles;
}

/// What the members need, given that the last one computes `tile`.
void append_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members, const Box& tile,
                  std::vector<Box>& boxes) {
  std::vector<Box> needs(members.size());
  needs.back() = tile;
  for (std::size_t m = members.size(); m-- > 0;) {
    if (needs[m].empty()) continue;
    const StageDeclaration& stage = scheduled.pipeline()[members[m]];
    bool reads_member = false;
    for (std::size_t k = 0; k < m; ++k)
      reads_member = reads_member ||
                     std::find(stage.inputs.begin(), stage.inputs.end(), members[k]) != stage.inputs.end();
    if (!reads_member) continue;
    const std::vector<Box> required = stage.kernel->required(needs[m]);
    for (std::size_t i = 0; i < required.size(); ++i)
      for (std::size_t k = 0; k < m; ++k)
        if (members[k] == stage.inputs[i]) needs[k] = hull(needs[k], required[i]);
  }
  boxes.insert(boxes.end(), needs.begin(), needs.end());
}

void place_scratch(const ScheduledPipeline& scheduled, plan::Compute& step) {
  const std::size_t members = step.members.size();
  for (std::size_t m = 0; m + 1 < members; ++m) {
    std::int64_t bytes = 0;
    for (std::size_t t = 0; t < step.tile_count(); ++t) {
      const Box& box = step.boxes[t * members + m];
      if (box.empty()) continue;
      const std::int64_t tile_x = step.boxes[t * members + members - 1][0].begin;
      bytes = std::max(bytes, scratch_layout(box, tile_x, element_size(scheduled, step.members[m])).bytes);
    }
    step.scratch_offsets.push_back(step.scratch_bytes);
    step.scratch_bytes += (bytes + 63) / 64 * 64;
  }
}

}  // namespace

std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root) {
  std::vector<bool> fused(static_cast<std::size_t>(root) + 1, false);
  fused.back() = true;
  for (int id = root; id >= 0; --id) {
    if (!fused[static_cast<std::size_t>(id)]) continue;
    for (int input : scheduled.pipeline()[id].inputs)
      if (scheduled[input].placement == Placement::tile) fused[static_cast<std::size_t>(input)] = true;
  }
  std::vector<int> members;
  for (int id = 0; id <= root; ++id)
    if (fused[static_cast<std::size_t>(id)]) members.push_back(id);
  return members;
}

plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const Box& box, const Target& target,
                         std::vector<int> members) {
  plan::Compute step{root, box, std::move(members), {}, {}, 0};
  if (box.empty()) return step;
  if (target.device) {
    step.boxes = {box};
    return step;
  }
  const TileSize& asked = scheduled[root].tile;
  const TileSize tile = asked.empty() ? automatic_tile(scheduled, step.members, box, target) : asked;
  if (const double tiles = tile_count(box, tile); tiles > most_tiles) {
    const std::string& name = scheduled.pipeline()[root].name;
    throw ScheduleError(
        fmt::format("schedule.{}.tile", name),
        fmt::format("tiles so small that a rank has {:.0f} of them, more than {:.0f}: use larger ones", tiles,
                    most_tiles));
  }
  for (const Box& part : cut(box, tile)) append_boxes(scheduled, step.members, part, step.boxes);
  place_scratch(scheduled, step);
  return step;
}

BlockLayout scratch_layout(const Box& box, std::int64_t tile_x, std::int64_t element_size) {
  return padded_layout(box, tile_x, element_size);
}

}  // namespace tessera
