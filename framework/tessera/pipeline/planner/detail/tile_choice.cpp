// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>

#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

/// The number of bytes that one tile reads, keeps in scratch and writes. About a third of these bytes is
/// scratch, which should stay in a second-level cache.
constexpr std::int64_t tile_bytes = 768 * 1024;
/// The largest number of bytes of a row of a tile. Rows are long, because memory is slow at the start of each
/// row.
constexpr std::int64_t row_bytes = 16384;
/// The wanted number of tiles per thread. With it, all threads are busy for about the same time.
constexpr std::int64_t tiles_per_thread = 4;
/// The number of points whose computation takes as long as to begin a row.
constexpr std::int64_t row_start = 48;
/// The wanted number of tiles makes no tile lower than this number of rows.
constexpr std::int64_t fewest_rows = 8;
/// The largest number of planes of a result that are computed in one tile.
constexpr std::int64_t most_planes = 4;

/// The smallest and the largest number of rows of an inner tile. An inner tile may be low, because windows
/// keep the rows that inner tiles share.
constexpr std::int64_t fewest_inner_rows = 4, most_inner_rows = 16;

/// Returns the bytes of one point of all outputs of a stage. Outputs that only reductions read are left out,
/// because only a strip of their rows is kept.
std::int64_t output_bytes(const ScheduledPipeline& scheduled, ArrayId stage) {
  const ArrayDeclaration& declaration = scheduled.pipeline()[stage];
  if (declaration.is_reduction()) return 0;
  std::int64_t bytes = 0;
  for (ArrayId part : scheduled.pipeline().parts(stage)) {
    if (!scheduled[part].is_only_reduced) bytes += scheduled.pipeline()[part].element_bytes();
  }
  return bytes;
}

/// Returns the bytes per point of the root stage that pass through the cache. These are the bytes of all
/// members and of the arrays that they read from memory. Arrays of one dimension are left out if the root
/// stage has more, because they are small tables.
std::int64_t bytes_per_point(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members) {
  const Algorithm& pipeline = scheduled.pipeline();
  const auto is_table = [&](ArrayId array) {
    return pipeline[array].dimensions == 1 && pipeline[members.back()].dimensions > 1;
  };
  std::int64_t bytes = 0;
  std::vector<ArrayId> seen;
  for (ArrayId member : members) {
    bytes += output_bytes(scheduled, member);
    for (ArrayId part : pipeline.parts(member)) seen.push_back(part);
  }
  for (ArrayId member : members)
    for (ArrayId input : pipeline[member].inputs)
      if (std::find(seen.begin(), seen.end(), input) == seen.end()) {
        seen.push_back(input);
        if (!is_table(input)) bytes += pipeline[input].element_bytes();
      }
  return std::max<std::int64_t>(bytes, 1);
}

/// Returns a tile for a stage whose rows are columns of its input. The tile is narrow, because its rows are
/// written in pieces of one cache line in any case. It is high, so that the points that it reads lie in long
/// rows. It consists of whole blocks of `side` x `side` points where the box is large enough.
TileSize transposing_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                          const Box& box) {
  constexpr std::int64_t side = 64;
  std::int64_t height = box[1].size();
  // The arrays of fused stages should stay in the cache.
  if (members.size() > 1)
    height = std::min(height, tile_bytes / (side * bytes_per_point(scheduled, members)));
  const std::int64_t wanted_tiles = tiles_per_thread * scheduled.target().threads;
  while (height > side && box.size() / (side * height) < wanted_tiles) height /= 2;
  TileSize tile(static_cast<std::size_t>(box.dimensions), 1);
  tile[0] = std::min(box[0].size(), side);
  tile[1] = std::min(box[1].size(), std::max(height / side * side, side));
  return tile;
}

/// Returns the largest number of bytes per point of the root stage that are in use while one member is
/// computed.
std::int64_t live_bytes(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members) {
  const Algorithm& pipeline = scheduled.pipeline();
  std::int64_t most = 1;
  for (ArrayId member : members) {
    std::int64_t bytes = output_bytes(scheduled, member);
    for (ArrayId input : pipeline[member].inputs) bytes += scheduled.pipeline()[input].element_bytes();
    most = std::max(most, bytes);
  }
  return most;
}

/// Returns a tile for several turns of a loop. Each turn needs points beyond the tile from
/// the turn before. Nearly square tiles therefore have the fewest points that are computed twice. Among
/// several widths of tiles that fit into the cache, the cheapest one is chosen.
TileSize turns_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members, const Box& box) {
  constexpr std::int64_t bytes_in_cache = 640 * 1024;
  // The largest numbers of points beyond a tile, on both sides together, that a member computes.
  std::int64_t reach_x = 0, reach_y = 0;
  for (const Box& need : member_boxes(scheduled, members, centre(box, true))) {
    if (need.dimensions != box.dimensions || need.empty()) continue;
    reach_x = std::max(reach_x, need[0].size() - 1);
    reach_y = std::max(reach_y, need[1].size() - 1);
  }
  const std::int64_t points = bytes_in_cache / live_bytes(scheduled, members);
  const std::int64_t balanced_points = box.size() / (tiles_per_thread * scheduled.target().threads);
  TileSize best(static_cast<std::size_t>(box.dimensions), 1);
  double least = 0;
  for (std::int64_t width = 128; width <= 8192; width *= 2) {
    const std::int64_t x = std::min(box[0].size(), width);
    const std::int64_t most = std::clamp<std::int64_t>(
        balanced_points / x, std::min<std::int64_t>(fewest_rows, box[1].size()), box[1].size());
    const std::int64_t y = std::clamp<std::int64_t>(points / (x + reach_x) - reach_y, 1, most);
    const auto computed = static_cast<double>((x + reach_x + row_start) * (y + reach_y));
    const double cost = computed / static_cast<double>(x * y);
    if (least > 0 && cost >= least) continue;
    least = cost;
    best[0] = x;
    best[1] = y;
  }
  return best;
}

/// Whether some member other than the root is an array that one turn of a loop passes to the next.
bool has_turns(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members) {
  const Algorithm& pipeline = scheduled.pipeline();
  return std::any_of(members.begin(), members.end() - 1, [&](ArrayId member) {
    for (ArrayId part : pipeline.parts(member))
      if (pipeline[part].is_bounded()) return true;
    return false;
  });
}

/// Whether some member other than the root has the placement `placement`.
bool has_placement(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                   Placement placement) {
  return std::any_of(members.begin(), members.end() - 1,
                     [&](ArrayId member) { return scheduled[member].placement == placement; });
}

/// The widths of tiles that are tried if the longest rows make tiles too low. They are whole cache lines, so
/// that rows begin where cache lines do.
constexpr std::array<std::int64_t, 4> narrower_widths = {4096, 2048, 1024, 512};
/// Tiles of the longest rows are chosen if they cost at most this many times as much as computing without
/// tiles.
constexpr double little_redundancy = 1.1;

/// Chooses tiles of long rows for a stage, and for the stages that are computed in these tiles.
class RowTiles {
 public:
  RowTiles(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members, const Box& box)
      : scheduled_(scheduled),
        members_(members),
        box_(box),
        // Rows that windows keep are computed again at the edge of a tile only. Tiles are then as high as
        // possible, and only inner tiles need to fit into the cache.
        slides_(has_placement(scheduled, members, Placement::window) &&
                !has_placement(scheduled, members, Placement::outer_tile)) {
    const std::int64_t last = box.dimensions > 2 ? box[box.dimensions - 1].size() : 1;
    if (members.size() > 1 && last <= most_planes) planes_ = last;
    const ArrayDeclaration& root = scheduled.pipeline()[members.back()];
    for (int d = 2; d < box.dimensions && planes_ == 1 && !root.is_reduction(); ++d)
      if (const Range& line = root.whole[static_cast<std::size_t>(d)]; line.size() > most_planes)
        points_of_lines_ *= line.size();
  }

  /// Returns the widest tile that computes few points again, or else the one that computes the fewest points
  /// again among several widths. The points of fused stages mostly serve all planes of a result with few
  /// planes, and separate tiles would compute them again for each plane.
  TileSize choose() const {
    const std::int64_t point = std::max<std::int64_t>(output_bytes(scheduled_, members_.back()), 1);
    const std::int64_t widest = std::min(box_[0].size(), row_bytes / point);
    TileSize best = tile(widest, planes_);
    if (members_.size() == 1 || slides_) return best;
    const double without_tiles = cost_per_point(box_);
    const auto redundancy = [&](const TileSize& size) {
      return cost_per_point(middle(size)) / without_tiles;
    };
    double least = redundancy(best);
    const auto consider = [&](const TileSize& other) {
      const double found = least > little_redundancy ? redundancy(other) : least;
      if (found >= least) return;
      least = found;
      best = other;
    };
    consider(tile(widest, 1));
    for (const std::int64_t width : narrower_widths) {
      if (width >= widest) continue;
      consider(tile(width, planes_));
      consider(tile(width, 1));
    }
    return best;
  }

 private:
  /// Returns the tile of this size in the middle of the box.
  Box middle(const TileSize& size) const {
    Box tile = box_;
    for (int d = 0; d < tile.dimensions; ++d) {
      const std::int64_t extent = std::min(size[static_cast<std::size_t>(d)], box_[d].size());
      tile[d].begin = box_[d].begin + (box_[d].size() - extent) / 2;
      tile[d].end = tile[d].begin + extent;
    }
    return tile;
  }

  /// Returns what it costs to compute all members for one tile (see points_with_row_starts), divided by the
  /// number of its points.
  double cost_per_point(const Box& tile) const {
    const std::vector<Box> needs = member_boxes(scheduled_, members_, tile);
    double points = 0;
    for (std::size_t m = 0; m < members_.size(); ++m)
      points += points_with_row_starts(scheduled_.pipeline()[members_[m]], needs[m]);
    return points / static_cast<double>(tile.size());
  }

  TileSize tile(std::int64_t width, std::int64_t planes) const {
    TileSize size(static_cast<std::size_t>(box_.dimensions), 1);
    if (planes > 1) size.back() = planes;
    size[0] = width;
    if (box_.dimensions == 1) return size;
    const std::int64_t row = width * planes * points_of_lines_;
    const std::int64_t rows = box_.size() / (box_[0].size() * planes * points_of_lines_);
    const std::int64_t rows_in_cache =
        slides_ ? rows : tile_bytes / (row * bytes_per_point(scheduled_, members_));
    const std::int64_t balanced_rows = rows / (tiles_per_thread * scheduled_.target().threads);
    size[1] = std::max<std::int64_t>(
        1, std::min({box_[1].size(), rows_in_cache, std::max<std::int64_t>(balanced_rows, fewest_rows)}));
    return size;
  }

  const ScheduledPipeline& scheduled_;
  const std::vector<ArrayId>& members_;
  const Box& box_;
  /// Whether windows slide through the tiles.
  bool slides_;
  /// The number of planes of a tile.
  std::int64_t planes_ = 1;
  /// The number of points that a tile has beyond y for each of its points (x, y), because the root stage
  /// computes long lines there.
  std::int64_t points_of_lines_ = 1;
};

/// Returns a tile for a stage that computes whole lines along y. A tile of long rows would hold all lines,
/// and one thread would compute them all. Tiles are as narrow as the cache and the number of threads require,
/// but consist of whole cache lines.
TileSize tile_of_lines_along_y(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                               const Box& box) {
  const ArrayDeclaration& root = scheduled.pipeline()[members.back()];
  const std::int64_t unit = std::max<std::int64_t>(1, 64 / root.element_bytes());
  const std::int64_t in_cache = tile_bytes / (root.whole[1].size() * bytes_per_point(scheduled, members));
  const std::int64_t lines = box.size() / box[1].size();
  const std::int64_t balanced = lines / (tiles_per_thread * scheduled.target().threads);
  TileSize tile(static_cast<std::size_t>(box.dimensions), 1);
  tile[0] = std::min(box[0].size(), std::max<std::int64_t>(1, std::min(in_cache, balanced) / unit) * unit);
  return tile;
}

TileSize automatic_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                        const Box& box) {
  const ArrayDeclaration& root = scheduled.pipeline()[members.back()];
  if (root.kernel != nullptr && root.kernel->swaps_rows()) return transposing_tile(scheduled, members, box);
  const bool has_lines_along_y = box.dimensions > 1 && !root.whole[1].empty() && root.whole[0].empty();
  // With other stages in the tile, narrow tiles would compute their points beyond the tile many times.
  if (has_lines_along_y && members.size() == 1 && !root.is_reduction())
    return tile_of_lines_along_y(scheduled, members, box);
  if (box.dimensions > 1 && has_turns(scheduled, members)) return turns_tile(scheduled, members, box);
  return RowTiles(scheduled, members, box).choose();
}

/// Returns `tile` with fewer rows, whose data stay in the cache. Returns `tile` itself if `box` would have
/// more inner tiles than a plan may have boxes for.
TileSize automatic_inner_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                              const TileSize& tile, const Box& box) {
  const ArrayDeclaration& root = scheduled.pipeline()[members.back()];
  if (box.dimensions == 1 || (root.kernel != nullptr && root.kernel->swaps_rows())) return tile;
  std::int64_t row = bytes_per_point(scheduled, members);
  for (int d = 0; d < box.dimensions; ++d)
    if (d != 1) row *= std::min(tile[static_cast<std::size_t>(d)], box[d].size());
  TileSize inner = tile;
  inner[1] = std::min(tile[1], std::clamp(tile_bytes / row, fewest_inner_rows, most_inner_rows));
  return Tiles({box}, inner).size() > most_tiles ? tile : inner;
}

/// Makes a tile as long as a line in each dimension along which the stage `root` computes whole lines.
void keep_lines_whole(const ScheduledPipeline& scheduled, ArrayId root, TileSize& tile) {
  const ArrayDeclaration& declaration = scheduled.pipeline()[root];
  for (std::size_t d = 0; d < tile.size() && !declaration.is_reduction(); ++d)
    if (!declaration.whole[d].empty()) tile[d] = declaration.whole[d].size();
}

/// Returns an automatic tile, enlarged dimension by dimension from the last to the first, until `box` has at
/// most `most_tiles` tiles.
TileSize large_enough(TileSize tile, const Box& box) {
  for (int d = box.dimensions - 1; d >= 0;) {
    if (Tiles({box}, tile).size() <= most_tiles) break;
    auto& size = tile[static_cast<std::size_t>(d)];
    if (size < box[d].size())
      size *= 2;
    else
      --d;
  }
  return tile;
}

}  // namespace

double points_with_row_starts(const ArrayDeclaration& stage, const Box& box) {
  if (box.empty()) return 0;
  const bool has_lines = box.dimensions > 1 && !stage.whole[0].empty();
  const std::int64_t row = box[0].size() * (has_lines ? box[1].size() : 1);
  const std::int64_t rows = box.size() / row;
  return static_cast<double>(rows * (row + row_start));
}

TileSize host_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members, const Box& box) {
  const ArrayId root = members.back();
  TileSize tile = scheduled[root].tile;
  if (tile.empty()) tile = large_enough(automatic_tile(scheduled, members, box), box);
  tile.resize(static_cast<std::size_t>(box.dimensions), 1);
  keep_lines_whole(scheduled, root, tile);
  return tile;
}

TileSize inner_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                    const TileSize& tile, const Box& box) {
  const ArrayId root = members.back();
  TileSize inner = scheduled[root].inner;
  if (inner.empty() && !has_placement(scheduled, members, Placement::window) &&
      !has_placement(scheduled, members, Placement::outer_tile))
    return inner;
  if (inner.empty()) inner = automatic_inner_tile(scheduled, members, tile, box);
  inner.resize(tile.size(), 1);
  keep_lines_whole(scheduled, root, inner);
  for (std::size_t d = 0; d < tile.size(); ++d) inner[d] = std::min(inner[d], tile[d]);
  return inner;
}

}  // namespace tessera
