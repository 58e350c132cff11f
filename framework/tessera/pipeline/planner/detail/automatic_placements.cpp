// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <set>

#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/planner/detail/placements.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

// Costs are counted in bytes that a thread reads or writes in a cache. A thread moves some 60 bytes per
// nanosecond.

/// The cost of a byte in memory, and of a byte of an array that stays in the last cache. An array stays there
/// if a rank has at most `last_cache` bytes of it.
constexpr double memory_byte = 8, cached_byte = 4;
constexpr std::int64_t last_cache = std::int64_t{32} << 20;
/// The cost of a step of a plan, at whose beginning and end all threads wait for each other.
constexpr double step_cost = 256 * 1024;
/// The cost of an exchange. Ranks wait for each other in it.
constexpr double exchange_cost = 1024 * 1024;
/// The cost of computing one stage for one inner tile, which does not depend on the number of points, and the
/// additional cost of moving its window on.
constexpr double call_cost = 8 * 1024, window_cost = 8 * 1024;
/// The number of inner tiles whose points are counted. Further inner tiles are taken to cost as much as the
/// counted ones after the first do on average.
constexpr std::size_t sampled_inner_tiles = 4;
/// A stage is computed in tiles if this saves at least this share of the cost in memory of storing the stage.
/// A smaller saving is not worth the larger scratch, and computing hides a part of the time for memory.
constexpr double least_saving = 0.3;
/// Windows are chosen if the estimated cost is at most this share of the cost without windows.
constexpr double share_with_windows = 0.97;

class PlacementChooser {
 public:
  /// `stored` is the pipeline with all automatic stages distributed. They get their placements in it.
  PlacementChooser(ScheduledPipeline& stored, const Schedule& schedule)
      : stored_(stored), pipeline_(stored.pipeline()) {
    for (ArrayId id : stored.ids())
      is_automatic_.push_back(schedule.stage(pipeline_[pipeline_[id].lead].name).placement ==
                              Placement::automatic);
  }

  /// Decides which stages are computed in tiles, and then which of these are computed in windows.
  void choose() {
    for (ArrayId id : stored_.ids().descending())
      if (is_automatic(id) && pipeline_[id].kernel != nullptr) choose_tiles(id);
    std::set<ArrayId> done;
    for (ArrayId id : stored_.ids().descending())
      if (pipeline_[id].kernel != nullptr && !is_in_tiles(placement(id)) && !done.contains(id)) {
        const std::set<ArrayId> roots = connected_roots(id);
        choose_windows(roots);
        done.insert(roots.begin(), roots.end());
      }
  }

 private:
  bool is_automatic(ArrayId id) const { return is_automatic_[id]; }
  Placement placement(ArrayId id) const { return stored_[id].placement; }
  const Box& domain(ArrayId id) const { return stored_[id].distribution.domain(); }

  void place(ArrayId stage, Placement placement) {
    for (ArrayId part : pipeline_.parts(stage)) stored_[part].placement = placement;
  }

  /// Adds the stages in whose tiles a stage would be computed to `roots`. Returns false if the stage has to
  /// be stored, because a global reduction or a stage that is computed once for all inner tiles reads it, or
  /// because nothing reads it.
  bool add_roots(ArrayId stage, std::set<ArrayId>& roots) const {
    const std::vector<ArrayId> readers = readers_through_tiles(stored_, stage, [](Placement placement) {
      return is_in_tiles(placement) && placement != Placement::outer_tile;
    });
    const bool may_be_in_tiles = !readers.empty() && std::ranges::none_of(readers, [this](ArrayId reader) {
      return pipeline_[reader].is_reduction() || placement(reader) == Placement::outer_tile;
    });
    if (may_be_in_tiles) roots.insert(readers.begin(), readers.end());
    return may_be_in_tiles;
  }

  /// Decides whether a stage is computed in tiles or distributed.
  void choose_tiles(ArrayId stage) {
    std::set<ArrayId> roots;
    if (domain(stage).empty() || !may_be_in_tiles(pipeline_, stage) || !add_roots(stage, roots)) return;
    const double waiting = step_cost + (stored_.is_exchanged(stage) ? exchange_cost : 0);
    const double cost_if_stored = least_cost(roots) + cost(stage) + waiting;
    const double needed_saving = least_saving * cost_in_memory(fused_members(stored_, stage));
    place(stage, Placement::tile);
    if (least_cost(roots) > cost_if_stored - needed_saving) place(stage, Placement::distributed);
  }

  /// Returns `root` and all stages that share a stage in their tiles with it, directly or through further
  /// stages.
  std::set<ArrayId> connected_roots(ArrayId root) const {
    std::set<ArrayId> roots = {root};
    for (std::size_t before = 0; before < roots.size();) {
      before = roots.size();
      for (ArrayId known : std::set<ArrayId>(roots))
        for (ArrayId member : fused_members(stored_, known))
          if (member != known) add_roots(member, roots);
    }
    return roots;
  }

  /// Chooses which stages in the tiles of `roots` are computed in windows.
  void choose_windows(const std::set<ArrayId>& roots) {
    const double without = cost(roots);
    place_automatic(roots, Placement::window);
    double with = cost(roots);
    for (ArrayId stage : stored_.ids().descending()) {
      if (!is_automatic(stage) || placement(stage) != Placement::window || pipeline_[stage].lead != stage)
        continue;
      if (std::set<ArrayId> readers; !add_roots(stage, readers) || !roots.contains(*readers.begin()))
        continue;
      place(stage, Placement::tile);
      const double without_this_window = cost(roots);
      if (without_this_window > with)
        place(stage, Placement::window);
      else
        with = without_this_window;
    }
    if (with > share_with_windows * without) place_automatic(roots, Placement::tile);
  }

  void place_automatic(const std::set<ArrayId>& roots, Placement placement) {
    for (ArrayId root : roots)
      for (ArrayId member : fused_members(stored_, root))
        if (member != root && is_automatic(member)) place(member, placement);
  }

  /// Returns the smaller one of two costs: with all automatic stages in tiles, and with all of them in
  /// windows. Afterwards these stages have the placement `tile`.
  double least_cost(const std::set<ArrayId>& roots) {
    place_automatic(roots, Placement::window);
    const double with = cost(roots);
    place_automatic(roots, Placement::tile);
    return std::min(with, cost(roots));
  }

  double cost(const std::set<ArrayId>& roots) const {
    double sum = 0;
    for (ArrayId root : roots) sum += cost(root);
    return sum;
  }

  /// Returns the estimated cost of computing all points of a stage with the stages in its tiles.
  double cost(ArrayId root) const {
    const std::vector<ArrayId> members = fused_members(stored_, root);
    return cost_in_memory(members) + cost_in_tiles(members) * static_cast<double>(domain(root).size());
  }

  /// Returns the cost of reading the arrays in memory that the members read, and of writing the results of
  /// the last one.
  double cost_in_memory(const std::vector<ArrayId>& members) const {
    std::set<ArrayId> read;
    for (ArrayId member : members)
      for (ArrayId input : pipeline_[member].inputs)
        if (!is_in_tiles(placement(input))) read.insert(input);
    double bytes = 0;
    for (ArrayId input : read) bytes += bytes_in_memory(input);
    // The line of a cache that a store changes is read first.
    for (ArrayId part : pipeline_.parts(members.back())) bytes += 2 * bytes_in_memory(part);
    return bytes;
  }

  double bytes_in_memory(ArrayId id) const {
    const std::int64_t bytes = domain(id).size() * pipeline_[id].element_bytes();
    return static_cast<double>(bytes) *
           (bytes / stored_[id].distribution.rank_count() <= last_cache ? cached_byte : memory_byte);
  }

  /// Returns the cost of computing all members for one point of the last one.
  double cost_in_tiles(const std::vector<ArrayId>& members) const {
    // The middle tile of the block of rank 0 stands for all tiles, and its first column of inner tiles for
    // all columns of this tile.
    const Box& all = domain(members.back());
    if (all.empty()) return 0;
    const Box block = stored_[members.back()].distribution.owned(0);
    const Box& box = block.empty() ? all : block;
    const TileSize tile = host_tile(stored_, members, box);
    const Tiles tiles({box}, tile);
    const Box middle = tiles[tiles.size() / 2];
    const TileSize inner = members.size() > 1 ? inner_tile(stored_, members, tile, box) : TileSize();
    std::vector<Box> walk = InnerTiles({middle}, tile, inner).walk(0);
    const double columns = keep_column(walk);
    const auto placements = inner.empty() ? std::vector<Placement>() : placements_of(stored_, members);
    return columns * cost_of_column(members, placements, walk) / static_cast<double>(middle.size());
  }

  /// Keeps the first column of `walk`: the inner tiles that differ from the first one in dimension 1 only.
  /// Removes all other columns. Returns how many columns `walk` had.
  static double keep_column(std::vector<Box>& walk) {
    const auto all = static_cast<double>(walk.size());
    const auto is_elsewhere = [first = walk.front()](Box box) {
      if (box.dimensions > 1) box[1] = first[1];
      return !(box == first);
    };
    walk.erase(std::ranges::find_if(walk, is_elsewhere), walk.end());
    return all / static_cast<double>(walk.size());
  }

  /// Returns the cost of computing all members for the inner tiles `column`, which lie one below the other.
  double cost_of_column(const std::vector<ArrayId>& members, const std::vector<Placement>& placements,
                        std::vector<Box> column) const {
    const std::size_t all = column.size();
    column.resize(std::min(all, sampled_inner_tiles));
    const std::vector<Box> boxes = member_boxes(pipeline_, {members, placements, {}}, column);
    std::vector<double> bytes;
    for (ArrayId member : members) bytes.push_back(cache_bytes_per_point(pipeline_, member, domain(member)));
    double first = 0, others = 0;
    for (std::size_t t = 0; t < column.size(); ++t)
      for (std::size_t m = 0; m < members.size(); ++m) {
        const Box& box = boxes[t * members.size() + m];
        const bool is_window = m < placements.size() && placements[m] == Placement::window;
        const Box computed =
            is_window && t > 0 ? rows_to_compute(boxes[(t - 1) * members.size() + m], box) : box;
        (t == 0 ? first : others) += points_with_row_starts(pipeline_[members[m]], computed) * bytes[m] +
                                     call_cost + (is_window ? window_cost : 0);
      }
    if (all == 1) return first;
    return first + others / static_cast<double>(column.size() - 1) * static_cast<double>(all - 1);
  }

  ScheduledPipeline& stored_;
  const Algorithm& pipeline_;
  IdVector<ArrayId, bool> is_automatic_;
};

/// Gives the placement `tile` to the automatic stages of fusable groups that a kernel can compute together
/// under this schedule, and the placement `distributed` to all other automatic stages.
Schedule with_groups(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                     int rank_count, const Window& window) {
  std::vector<ArrayId> grouped;
  for (const FusableGroup& group : pipeline.groups())
    for (ArrayId stage : group.stages)
      if (stage != group.stages.back() && may_be_in_tiles(pipeline, stage)) grouped.push_back(stage);
  Schedule chosen = schedule;
  for (auto& [name, stage] : chosen.stages)
    if (stage.placement == Placement::automatic)
      stage.placement =
          std::ranges::count(grouped, pipeline.find(name)) > 0 ? Placement::tile : Placement::distributed;
  const ScheduledPipeline trial(pipeline, chosen, target, rank_count, window);
  for (auto& [name, stage] : chosen.stages)
    if (stage.placement == Placement::tile && schedule.stages.at(name).placement == Placement::automatic)
      if (!is_in_tiles(trial[pipeline.find(name)].placement)) stage.placement = Placement::distributed;
  return chosen;
}

}  // namespace

bool has_automatic_placements(const Schedule& schedule) {
  return std::ranges::any_of(
      schedule.stages, [](const auto& entry) { return entry.second.placement == Placement::automatic; });
}

Schedule with_chosen_placements(const Algorithm& pipeline, Schedule schedule, const Target& target,
                                int rank_count, const Window& window) {
  if (target.device) return with_groups(pipeline, schedule, target, rank_count, window);
  Schedule all_stored = schedule;
  for (auto& [name, stage] : all_stored.stages)
    if (stage.placement == Placement::automatic) stage.placement = Placement::distributed;
  Target any_host;  // so that all ranks choose the same placements
  any_host.device = false;
  any_host.threads = 2;
  ScheduledPipeline stored(pipeline, all_stored, any_host, rank_count, window);
  PlacementChooser(stored, schedule).choose();
  for (auto& [name, stage] : schedule.stages)
    if (stage.placement == Placement::automatic) stage.placement = stored[pipeline.find(name)].placement;
  return schedule;
}

}  // namespace tessera
