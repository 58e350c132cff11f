// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

/// Returns the bytes per point that a step reads from memory and writes to memory. Arrays of fewer dimensions
/// than the result are left out, because they are small tables.
std::int64_t bytes_in_memory(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  const Algorithm& pipeline = scheduled.pipeline();
  std::set<ArrayId> arrays;
  for (ArrayId part : pipeline.parts(step.stage))
    if (!scheduled[part].is_only_reduced) arrays.insert(part);
  for (ArrayId member : step.members)
    for (ArrayId input : pipeline[member].inputs)
      if (std::ranges::find(step.members, pipeline[input].lead) == step.members.end() &&
          pipeline[input].dimensions >= pipeline[step.stage].dimensions)
        arrays.insert(input);
  std::int64_t bytes = 0;
  for (ArrayId array : arrays) bytes += pipeline[array].element_bytes();
  return bytes;
}

/// Whether the results of a stage are iterates that are read by the next turn of its loop, and by nothing
/// before.
bool waits_for_next_turn(const ScheduledPipeline& scheduled, ArrayId stage) {
  const Algorithm& pipeline = scheduled.pipeline();
  const int loop = pipeline.loop_of(stage);
  if (loop < 0) return false;
  const LoopDeclaration& declared = pipeline.loop(loop);
  const std::vector<ArrayId>& contributes = scheduled[stage].contributes;
  const auto is_reduced_in_tiles = [&](ArrayId consumer) {
    return std::ranges::find(contributes, consumer) != contributes.end();
  };
  return std::ranges::all_of(pipeline.parts(stage), [&](ArrayId part) {
    return scheduled[part].is_only_reduced ||
           (declared.feed_from(part) != nullptr &&
            std::ranges::all_of(scheduled[part].consumers, is_reduced_in_tiles));
  });
}

/// Whether the `points` points that a step computes of a stage leave the cache before they are read. The
/// cache is taken to keep results of up to half of its size, or of a quarter if rows become columns. A result
/// that waits for the next turn of its loop is read only after everything that the step reads and writes has
/// passed through the cache. Therefore all of these bytes together are compared with half of the cache.
bool leaves_cache(const ScheduledPipeline& scheduled, const plan::Compute& step, std::int64_t points) {
  const ArrayDeclaration& stage = scheduled.pipeline()[step.stage];
  const std::int64_t half = scheduled.target().cache_bytes / 2;
  if (waits_for_next_turn(scheduled, step.stage) && points * bytes_in_memory(scheduled, step) > half)
    return true;
  return points * stage.element_bytes() > (stage.kernel->swaps_rows() ? half / 2 : half);
}

/// Whether the result of a stage is written to memory without passing through the caches. This is the case
/// for results that the cache cannot keep. It is not the case for a stage that computes a row of small
/// elements from several rows in memory, because waiting for these rows between such writes costs more than
/// is gained. Fused stages read their rows from scratch instead.
bool writes_past_caches(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  const ArrayDeclaration& stage = scheduled.pipeline()[step.stage];
  const Target& target = scheduled.target();
  if (target.device || target.cache_bytes == 0) return false;
  if (stage.is_reduction() || scheduled[step.stage].is_only_reduced) return false;
  // Reductions that read the result would have to load it from memory again.
  for (ArrayId reduction : scheduled[step.stage].contributes)
    for (ArrayId input : scheduled.pipeline()[reduction].inputs)
      if (!scheduled[input].is_only_reduced) return false;
  std::int64_t points = 0;
  for (const Box& part : step.parts) points += part.size();
  if (!leaves_cache(scheduled, step, points)) return false;
  const Box& first = *std::ranges::find_if_not(step.parts, &Box::empty);
  return stage.kernel->swaps_rows() || step.members.size() > 1 || stage.element_bytes() >= 4 ||
         reads_single_rows(stage, first);
}

/// Whether only reductions read an output of a stage, which is then not kept in memory.
bool has_fleeting_outputs(const ScheduledPipeline& scheduled, ArrayId stage) {
  for (ArrayId part : scheduled.pipeline().parts(stage))
    if (scheduled[part].is_only_reduced) return true;
  return false;
}

/// Throws ScheduleError if a compute node with several members has more tiles or inner tiles than a plan may
/// have boxes for.
void check_number_of_tiles(const ScheduledPipeline& scheduled, const plan::Compute& step) {
  const auto check_number = [&](const char* key, const char* what, std::int64_t tiles) {
    if (tiles <= most_tiles) return;
    throw ScheduleError(fmt::format("schedule.{}.{}", scheduled.pipeline()[step.stage].name, key),
                        fmt::format("{0} so small that a rank has {1} of them, which is more than {2}: use "
                                    "larger {0}",
                                    what, tiles, most_tiles));
  };
  check_number("tile", "tiles", Tiles(step.parts, step.tile).size());
  check_number("inner", "inner tiles", InnerTiles(step.parts, step.tile, step.inner).size());
}

/// Returns the members of a compute node, as member_boxes takes them.
TileMembers tile_members(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& stages,
                         const std::vector<Placement>& placements) {
  TileMembers members{stages, placements, {}};
  for (std::size_t m = 0; m + 1 < stages.size(); ++m)
    if (scheduled[stages[m]].contributes_in == stages.back())
      for (ArrayId reduction : scheduled[stages[m]].contributes)
        members.contributed.push_back({m, scheduled.pipeline()[reduction].reduced});
  return members;
}

/// Chooses the places of the arrays in scratch. The list of arrays must be complete. An array may take the
/// place of another array that is no longer needed.
void place_scratch(const ScheduledPipeline& scheduled, plan::Compute& step) {
  std::vector<std::int64_t> bytes, offsets;
  for (const plan::Scratch& place : step.scratch) bytes.push_back(scratch_bytes(scheduled, step, place));
  step.scratch_bytes = place_by_lifetime(bytes, scratch_lifetimes(scheduled.pipeline(), step), offsets);
  for (std::size_t k = 0; k < offsets.size(); ++k) step.scratch[k].offset = offsets[k];
}

/// Finds the boxes of the members of a compute node, and gives all arrays that lie in scratch their places.
/// These are all outputs of the members, except those outputs of the last member that are kept in memory.
void fuse(const ScheduledPipeline& scheduled, plan::Compute& step) {
  set_member_boxes(scheduled.pipeline(), tile_members(scheduled, step.members, step.placements), step);
  for (std::size_t m = 0; m < step.members.size(); ++m) {
    const bool is_last = m + 1 == step.members.size();
    const std::int64_t rows = is_last ? 0 : rows_of_window(step, m);
    for (ArrayId part : scheduled.pipeline().parts(step.members[m]))
      if (!is_last || scheduled[part].is_only_reduced) step.scratch.push_back({part, 0, rows});
  }
  place_scratch(scheduled, step);
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

std::vector<ArrayId> fused_members(const ScheduledPipeline& scheduled, ArrayId root) {
  const Algorithm& pipeline = scheduled.pipeline();
  auto fused = pipeline.table<bool>();
  fused[root] = true;
  for (ArrayId id : scheduled[root].computed_in_its_tiles) fused[id] = true;
  const IdRange<ArrayId> ids(ArrayId{0}, root + 1);
  for (ArrayId id : ids.descending()) {
    if (!fused[id]) continue;
    for (ArrayId input : pipeline[id].inputs)
      if (is_in_tiles(scheduled[input].placement)) fused[pipeline[input].lead] = true;
  }
  std::vector<ArrayId> members;
  for (ArrayId id : ids)
    if (fused[id]) members.push_back(id);
  return members;
}

std::vector<Placement> placements_of(const ScheduledPipeline& scheduled,
                                     const std::vector<ArrayId>& members) {
  std::vector<Placement> placements;
  for (std::size_t m = 0; m + 1 < members.size(); ++m) placements.push_back(scheduled[members[m]].placement);
  return placements;
}

std::vector<ArrayId> readers_through_tiles(const ScheduledPipeline& scheduled, ArrayId stage,
                                           bool (*is_followed)(Placement)) {
  const Algorithm& pipeline = scheduled.pipeline();
  std::vector<ArrayId> readers, followed = {stage};
  for (std::size_t i = 0; i < followed.size(); ++i)
    for (ArrayId part : pipeline.parts(followed[i]))
      for (ArrayId consumer : scheduled[part].consumers) {
        const bool goes_on = !pipeline[consumer].is_reduction() && is_followed(scheduled[consumer].placement);
        std::vector<ArrayId>& list = goes_on ? followed : readers;
        if (std::ranges::find(list, consumer) == list.end()) list.push_back(consumer);
      }
  return readers;
}

std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                              const Box& tile) {
  return member_boxes(scheduled.pipeline(), tile_members(scheduled, members, {}), {tile});
}

std::int64_t team_scratch_limit(const Target& target) {
  // The bytes that a launch adds for alignment, and for the data that Kokkos keeps in the scratch of a team.
  constexpr std::int64_t overhead = 1024;
  return target.team_scratch_bytes - overhead;
}

TileSize group_tile(const ScheduledPipeline& scheduled, ArrayId root) {
  TileSize tile = scheduled[root].tile;
  if (tile.empty()) tile = {64, 16};
  tile.resize(static_cast<std::size_t>(scheduled[root].distribution.domain().dimensions), 1);
  return tile;
}

std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, ArrayId root,
                                 const std::vector<ArrayId>& members) {
  const Box& domain = scheduled[root].distribution.domain();
  const TileSize size = group_tile(scheduled, root);
  // The tiles at the corners of the domain, and the one in its middle, stand for all tiles.
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
    for (ArrayId part : scheduled.pipeline().parts(members[m]))
      bytes += aligned_bytes(largest[m].size() * scheduled.pipeline()[part].element_bytes());
  return bytes;
}

/// Chooses the tiles and the inner tiles of a compute node on hosts. `box` is as long as the longest part in
/// every dimension.
void settle_host_tiles(const ScheduledPipeline& scheduled, const Box& box, plan::Compute& step) {
  step.tile = host_tile(scheduled, step.members, box);
  if (step.members.size() > 1) step.inner = inner_tile(scheduled, step.members, step.tile, box);
  if (!step.inner.empty()) step.placements = placements_of(scheduled, step.members);
}

plan::Compute tile_stage(const ScheduledPipeline& scheduled, ArrayId root, const std::vector<Box>& parts,
                         std::vector<ArrayId> members) {
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
  if (!scheduled.target().device || is_staged(scheduled.pipeline(), scheduled.target(), root)) {
    settle_host_tiles(scheduled, largest, step);
  } else if (step.members.size() > 1) {
    step.tile = group_tile(scheduled, root);
    step.group = scheduled[root].group;
  } else {
    constexpr std::int64_t all_points = std::int64_t{1} << 40;
    step.tile.assign(static_cast<std::size_t>(largest.dimensions), all_points);
  }
  step.non_temporal = writes_past_caches(scheduled, step);
  const bool is_kept = !has_fleeting_outputs(scheduled, root);
  if (step.members.size() == 1 && is_kept) return step;
  if (step.members.size() > 1) check_number_of_tiles(scheduled, step);
  fuse(scheduled, step);
  check_team_scratch(scheduled, step);
  return step;
}

namespace {

/// Calls visit(box, aligned_x, number, is_first) for the box of member `m` in each inner tile, unless the box
/// is empty. `aligned_x` is the x at which the rows of the member are aligned. The last member is visited in
/// the largest inner tile of each part only, which is the first one.
template <class Visit>
void visit_boxes(const plan::Compute& step, std::size_t m, const Visit& visit) {
  const std::size_t others = step.members.size() - 1;
  if (m == others) {
    for (const Box& part : step.parts) {
      const InnerTiles tiles({part}, step.tile, step.inner);
      const Box inner = tiles.inner(0, tiles.tiles()[0], 0);
      visit(inner, inner[0].begin, 0, true);
    }
    return;
  }
  const InnerTiles tiles(step.parts, step.tile, step.inner);
  const bool is_outer = placement_of(step, m) == Placement::outer_tile;
  for (std::int64_t t = 0; t < tiles.tiles().size(); ++t) {
    const Box tile = tiles.tiles()[t];
    for (std::int64_t number = tiles.first(t); number < tiles.first(t + 1); ++number) {
      const Box& box = step.boxes[static_cast<std::size_t>(number) * others + m];
      const std::int64_t x = (is_outer ? tile : tiles.inner(t, tile, number))[0].begin;
      if (!box.empty()) visit(box, x, number, number == tiles.first(t));
    }
  }
}

}  // namespace

std::int64_t rows_of_window(const plan::Compute& step, std::size_t m) {
  // A window has room for this many more rows for each row that it keeps. Only when this room is used up, it
  // copies the rows that it keeps.
  constexpr std::int64_t rows_per_copied_row = 8;
  if (placement_of(step, m) != Placement::window) return 0;
  std::int64_t needed = 0, kept = 0, highest = 0;
  Box tile;
  visit_boxes(step, m, [&](const Box& box, std::int64_t, std::int64_t number, bool is_first) {
    if (box.dimensions == 1) return;
    tile = is_first ? box : hull(tile, box);
    highest = std::max(highest, tile[1].size());
    needed = std::max(needed, box[1].size());
    const Box rows = computed_box(step, number, is_first, m);
    if (!rows.empty()) kept = std::max(kept, box[1].size() - rows[1].size());
  });
  // More than twice the rows that are needed would not stay in the cache.
  return std::min(highest, needed + std::min(needed, rows_per_copied_row * kept));
}

std::int64_t scratch_bytes(const ScheduledPipeline& scheduled, const plan::Compute& step,
                           const plan::Scratch& place) {
  const Algorithm& pipeline = scheduled.pipeline();
  const std::int64_t size = pipeline[place.array].element_bytes();
  const auto member = std::ranges::find(step.members, pipeline[place.array].lead);
  const auto m = static_cast<std::size_t>(member - step.members.begin());
  std::int64_t bytes = 0;
  visit_boxes(step, m, [&](const Box& box, std::int64_t x, std::int64_t, bool) {
    bytes = std::max(bytes, scheduled.target().device ? box.size() * size
                                                      : scratch_layout(box, place.rows, x, size).bytes);
  });
  return bytes;
}

}  // namespace tessera
