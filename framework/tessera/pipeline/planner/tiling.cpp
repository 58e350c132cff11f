// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/planner/detail/tile_choice.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

/// Whether a row of the stage is computed from one row of each input.
bool reads_single_rows(const ArrayDeclaration& stage, Box row) {
  for (int d = 1; d < row.dimensions; ++d) row[d].end = row[d].begin + 1;
  std::vector<Box> needs(stage.inputs.size());
  stage.kernel->required(row, needs.data());
  return std::ranges::all_of(needs,
                             [](const Box& need) { return need.empty() || need.size() == need[0].size(); });
}

/// Whether the result of a stage is written to memory without passing through the caches. This is the case
/// for results that are larger than half of the cache, or than a quarter if rows become columns. It is not
/// the case for a stage that computes a row from several rows in memory, because waiting for these rows
/// between such writes costs more than is gained. Fused stages read their rows from scratch instead.
bool writes_past_caches(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  const ArrayDeclaration& stage = scheduled.pipeline()[step.stage];
  const Target& target = scheduled.target();
  if (target.device || target.cache_bytes == 0) return false;
  if (stage.reduction != nullptr || stage.output_count > 1 || scheduled[step.stage].is_only_reduced)
    return false;
  // Reductions that read the result would have to load it from memory again.
  for (int reduction : scheduled[step.stage].contributes)
    if (!scheduled[scheduled.pipeline()[reduction].inputs.front()].is_only_reduced) return false;
  const bool swaps_rows = stage.kernel->swaps_rows();
  std::int64_t points = 0;
  for (const Box& part : step.parts) points += part.size();
  if (points * scheduled.pipeline()[step.stage].element_bytes() <= target.cache_bytes / (swaps_rows ? 4 : 2))
    return false;
  const Box& first = *std::ranges::find_if_not(step.parts, &Box::empty);
  return swaps_rows || step.members.size() > 1 || reads_single_rows(stage, first);
}

bool has_fleeting_outputs(const ScheduledPipeline& scheduled, int stage) {
  for (int part : scheduled.pipeline().parts(stage))
    if (scheduled[part].is_only_reduced) return true;
  return false;
}

/// Chooses the places of the arrays in scratch. `member_points` has the largest number of points of each
/// member. All outputs of the members lie in scratch, except those outputs of the last member that are kept
/// in memory. An array may take the place of another array that is no longer needed.
void place_scratch(const ScheduledPipeline& scheduled, const std::vector<std::int64_t>& member_points,
                   plan::Compute& step) {
  std::vector<std::int64_t> bytes, offsets;
  for (std::size_t m = 0; m < step.members.size(); ++m)
    for (int part = 0; part < scheduled.pipeline()[step.members[m]].output_count; ++part) {
      const int array = step.members[m] + part;
      if (m + 1 == step.members.size() && !scheduled[array].is_only_reduced) continue;
      step.scratch.push_back({array, 0});
      bytes.push_back(member_points[m] * scheduled.pipeline()[array].element_bytes());
    }
  step.scratch_bytes = place_by_lifetime(bytes, scratch_lifetimes(scheduled.pipeline(), step), offsets);
  for (std::size_t k = 0; k < offsets.size(); ++k) step.scratch[k].offset = offsets[k];
}

/// Returns a number of points that is large enough for the layout of a box in scratch, whichever output of
/// the member the layout is for.
std::int64_t scratch_points(const ScheduledPipeline& scheduled, int member, const Box& box,
                            std::int64_t tile_x) {
  if (scheduled.target().device) return box.size();
  std::int64_t points = 0;
  for (int part = 0; part < scheduled.pipeline()[member].output_count; ++part) {
    const std::int64_t size = scheduled.pipeline()[member + part].element_bytes();
    points = std::max(points, (padded_layout(box, tile_x, size).bytes + size - 1) / size);
  }
  return points;
}

void fuse(const ScheduledPipeline& scheduled, plan::Compute& step) {
  const Tiles tiles(step.parts, step.tile);
  const std::size_t others = step.members.size() - 1;
  std::vector<std::int64_t> most_points(step.members.size(), 0);
  // The first tile of a part is its largest.
  for (const Box& part : step.parts) {
    const Box tile = Tiles({part}, step.tile)[0];
    most_points[others] =
        std::max(most_points[others], scratch_points(scheduled, step.stage, tile, tile[0].begin));
  }
  step.boxes.reserve(static_cast<std::size_t>(tiles.size()) * others);
  for (std::int64_t t = 0; t < tiles.size() && others > 0; ++t) {
    const Box tile = tiles[t];
    const std::vector<Box> boxes = member_boxes(scheduled, step.members, tile);
    for (std::size_t m = 0; m < others; ++m)
      if (!boxes[m].empty())
        most_points[m] =
            std::max(most_points[m], scratch_points(scheduled, step.members[m], boxes[m], tile[0].begin));
    step.boxes.insert(step.boxes.end(), boxes.begin(), boxes.end() - 1);
  }
  place_scratch(scheduled, most_points, step);
}

/// Throws ScheduleError if the tiles of a fusable group need more scratch than a team has. The need is known
/// only when the boxes of all tiles are known.
void check_team_scratch(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  const std::int64_t most = team_scratch_limit(scheduled.target());
  if (step.group < 0 || step.scratch_bytes <= most) return;
  const std::string& name = scheduled.pipeline()[step.stage].name;
  throw ScheduleError(fmt::format("schedule.{}.tile", name),
                      fmt::format("tiles of '{}' need up to {} bytes of scratch with the stages that are "
                                  "computed in them, but a team has {}: use smaller ones",
                                  name, step.scratch_bytes, most));
}

}  // namespace

std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root) {
  std::vector<bool> fused(static_cast<std::size_t>(root) + 1, false);
  fused.back() = true;
  for (int id : scheduled[root].computed_in_its_tiles) fused[static_cast<std::size_t>(id)] = true;
  for (int id = root; id >= 0; --id) {
    if (!fused[static_cast<std::size_t>(id)]) continue;
    for (int input : scheduled.pipeline()[id].inputs)
      if (scheduled[input].placement == Placement::tile)
        fused[static_cast<std::size_t>(scheduled.pipeline()[input].lead)] = true;
  }
  std::vector<int> members;
  for (int id = 0; id <= root; ++id)
    if (fused[static_cast<std::size_t>(id)]) members.push_back(id);
  return members;
}

std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                              const Box& tile) {
  std::vector<Box> boxes(members.size());
  std::vector<Box> needs;
  boxes.back() = tile;
  for (std::size_t m = 0; m + 1 < members.size(); ++m)
    if (scheduled[members[m]].contributes_in == members.back())
      for (int reduction : scheduled[members[m]].contributes)
        boxes[m] = hull(boxes[m], intersection(tile, scheduled.pipeline()[reduction].reduced));
  for (std::size_t m = members.size(); m-- > 1;) {
    if (boxes[m].empty()) continue;
    const ArrayDeclaration& stage = scheduled.pipeline()[members[m]];
    Box points = scheduled.pipeline().within_bounds(members[m], boxes[m]);
    if (points.empty()) continue;
    if (m + 1 < members.size()) {
      points = stage.with_whole_lines(points);
      boxes[m] = hull(boxes[m], points);
    }
    needs.resize(stage.inputs.size());
    bool is_known = false;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < stage.inputs.size(); ++i) {
        const ArrayDeclaration& input = scheduled.pipeline()[stage.inputs[i]];
        if (input.lead != members[k]) continue;
        if (!is_known) stage.kernel->required(points, needs.data());
        is_known = true;
        boxes[k] =
            hull(boxes[k],
                 input.is_bounded ? with_boundary_sources(needs[i], input.domain, input.boundary) : needs[i]);
      }
  }
  const Box first = scheduled.pipeline().within_bounds(members[0], boxes[0]);
  if (members.size() > 1 && !first.empty())
    boxes[0] = hull(boxes[0], scheduled.pipeline()[members[0]].with_whole_lines(first));
  return boxes;
}

std::int64_t team_scratch_limit(const Target& target) {
  // The bytes that a launch adds for alignment, and for the data that Kokkos keeps in the scratch of a team.
  constexpr std::int64_t overhead = 1024;
  return target.team_scratch_bytes - overhead;
}

TileSize group_tile(const ScheduledPipeline& scheduled, int root) {
  TileSize tile = scheduled[root].tile;
  if (tile.empty()) tile = {64, 16};
  tile.resize(static_cast<std::size_t>(scheduled[root].distribution.domain().dimensions), 1);
  return tile;
}

std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, int root,
                                 const std::vector<int>& members) {
  const Box& domain = scheduled[root].distribution.domain();
  const TileSize size = group_tile(scheduled, root);
  const int corners = 1 << domain.dimensions;
  std::vector<Box> largest(members.size());
  for (int corner = 0; corner <= corners; ++corner) {
    Box tile = domain;
    for (int d = 0; d < domain.dimensions; ++d) {
      // One more point allows for tiles at places where the members need larger boxes.
      const std::int64_t points = std::min(size[static_cast<std::size_t>(d)] + 1, domain[d].size());
      const std::int64_t room = domain[d].size() - points;
      tile[d].begin += corner == corners ? room / 2 : (corner >> d & 1) * room;
      tile[d].end = tile[d].begin + points;
    }
    const std::vector<Box> boxes = member_boxes(scheduled, members, tile);
    for (std::size_t m = 0; m < members.size(); ++m) {
      largest[m].dimensions = std::max(largest[m].dimensions, boxes[m].dimensions);
      for (int d = 0; d < boxes[m].dimensions; ++d)
        largest[m][d].end = std::max(largest[m][d].end, boxes[m][d].size());
    }
  }
  std::int64_t bytes = 0;
  for (std::size_t m = 0; m + 1 < members.size(); ++m)
    for (int part = 0; part < scheduled.pipeline()[members[m]].output_count; ++part)
      bytes += aligned_bytes(largest[m].size() * scheduled.pipeline()[members[m] + part].element_bytes());
  return bytes;
}

plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const std::vector<Box>& parts,
                         std::vector<int> members) {
  plan::Compute step;
  step.stage = root;
  step.members = std::move(members);
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(step.parts),
               [](const Box& part) { return !part.empty(); });
  if (step.parts.empty()) return step;
  // In every dimension, this box is as long as the longest part, so that one tile size serves all parts.
  Box largest = step.parts.front();
  for (const Box& part : step.parts)
    for (int d = 0; d < largest.dimensions; ++d)
      largest[d].end = std::max(largest[d].end, largest[d].begin + part[d].size());
  if (!scheduled.target().device) {
    step.tile = host_tile(scheduled, root, step.members, largest);
  } else if (step.members.size() > 1) {
    step.tile = group_tile(scheduled, root);
    step.group = scheduled[root].group;
  } else {
    for (int d = 0; d < largest.dimensions; ++d) step.tile.push_back(std::int64_t{1} << 40);
  }
  step.non_temporal = writes_past_caches(scheduled, step);
  const bool is_kept = !has_fleeting_outputs(scheduled, root);
  if (step.members.size() == 1 && is_kept) return step;
  if (const std::int64_t tiles = Tiles(step.parts, step.tile).size();
      step.members.size() > 1 && tiles > most_tiles) {
    const std::string& name = scheduled.pipeline()[root].name;
    throw ScheduleError(
        fmt::format("schedule.{}.tile", name),
        fmt::format("tiles so small that a rank has {} of them, more than {}: use larger ones", tiles,
                    most_tiles));
  }
  fuse(scheduled, step);
  check_team_scratch(scheduled, step);
  return step;
}

}  // namespace tessera
