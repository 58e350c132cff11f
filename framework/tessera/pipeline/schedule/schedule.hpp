// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// Where a stage is computed and stored. The names in brackets are those of Distributed Halide (T. Denniston,
/// S. Kamil, S. Amarasinghe, PPoPP 2016), section 3.4.
enum class Placement : std::uint8_t {
  distributed,  ///< Each point is computed by its owner; ghosts are exchanged [compute_root + distribute].
  rank,         ///< Each rank computes all points that its own stages read [compute_rank].
  replicated,   ///< Every rank computes the whole stage [compute_root].
  tile,         ///< The points that a tile of a consumer reads are computed in scratch memory [compute_at].
  window,       ///< As `tile`, but rows that the inner tile before has computed are kept [store_at].
  outer_tile,  ///< As `tile`, but all inner tiles of a tile share points that are computed once [compute_at].
  /// The one of `distributed`, `tile` and `window` that the planner expects to be the fastest. Schedules may
  /// have this placement, but plans have the chosen one.
  automatic
};

/// Whether stages of this placement are computed in scratch memory, in the tiles of their consumers.
constexpr bool is_in_tiles(Placement placement) {
  return placement == Placement::tile || placement == Placement::window || placement == Placement::outer_tile;
}

/// The name of a placement in decks, such as "rank".
inline std::string_view name_of(Placement placement) {
  constexpr std::string_view names[] = {"distributed", "rank",       "replicated", "tile",
                                        "window",      "outer_tile", "auto"};
  return names[static_cast<std::size_t>(placement)];
}

/// The number of points of a tile in each dimension, x first. In dimensions without an entry, a tile has one
/// point. An empty TileSize means `auto`: the planner chooses tiles whose data stay in cache.
using TileSize = std::vector<std::int64_t>;

/// How one stage is computed, or how one input is distributed.
struct StageSchedule {
  /// Where the stage is computed and stored. It has no effect on inputs.
  Placement placement = Placement::distributed;
  /// The processor grid of an input or of a `distributed` stage. If it is not set, Schedule::grid is used.
  std::optional<GridRequest> grid;
  /// The size of a tile. It has no effect on inputs.
  TileSize tile;
  /// The size of the inner tiles into which each tile is cut if other stages are computed in the tiles. A
  /// thread computes the inner tiles of a tile one after the other, along dimension 1 first. An inner tile is
  /// never larger than a tile. An empty size means `auto`: tiles are cut only if a stage with the placement
  /// `window` or `outer_tile` is computed in them. The size has no effect on inputs and on devices.
  TileSize inner;
  /// If true, the processor grid divides all points of the stage. If false, the blocks follow those of the
  /// stage that reads this one, and points beyond them belong to the blocks at the edge. Set it if many
  /// points lie beyond.
  bool align_own = false;

  /// Whether all members have their defaults, which hold for stages that the schedule does not name.
  bool is_default() const {
    return placement == Placement::distributed && !grid.has_value() && tile.empty() && inner.empty() &&
           !align_own;
  }
};

/// How many turns of a loop run together as one round (see in_rounds). The result and the number of turns are
/// the same for all values of the members, bit for bit. An *iterate* is an array that the loop carries from
/// turn to turn.
struct LoopSchedule {
  /// The number of turns after which the ranks exchange the ghosts of iterates. With k turns, the ghosts are
  /// k times as deep. In the turns between two exchanges, several ranks compute the same points.
  int turns_per_exchange = 1;
  /// The number of turns that are computed on a tile while its data are in cache. This is known as temporal
  /// blocking.
  int turns_per_tile = 1;
  /// The number of turns after which the ranks test the conditions and the residuals of these turns. The loop
  /// nevertheless ends at the first turn after which its condition holds.
  int turns_per_test = 1;
  /// Whether the ranks agree on the condition of a turn, or of a round, while they compute the next turn or
  /// round. The next turn or round is dropped if the loop ends.
  bool overlaps_test = false;

  /// The number of turns in one round.
  int turns() const { return std::max({turns_per_exchange, turns_per_tile, turns_per_test}); }
};

/// Whether a rank computes the points of a stage that need no ghosts while it waits for the messages with the
/// ghosts that the other points need.
enum class Overlap : std::uint8_t {
  automatic,  ///< Only for stages that have many points per rank.
  on,         ///< For all stages.
  /// For no stage: a rank waits for all ghosts before it computes.
  off
};

/// How a pipeline is distributed and tiled; it never changes a result.
struct Schedule {
  /// The processor grid of all stages and inputs that have no StageSchedule::grid.
  GridRequest grid;
  /// How processor grids cut the dimensions into blocks.
  Slicing slicing = Slicing::ceil;
  /// Whether computation and exchange overlap.
  Overlap overlap = Overlap::automatic;
  /// The schedules of stages and inputs, by name. For stages and inputs that are not named, all members of
  /// StageSchedule have their defaults.
  std::map<std::string, StageSchedule, std::less<>> stages;
  /// The schedules of loops, by name. Turns of loops that are not named run one by one. These schedules only
  /// have an effect if in_rounds is called before plans are made.
  std::map<std::string, LoopSchedule, std::less<>> loops = {};

  /// Returns the schedule of the stage or input with this name.
  const StageSchedule& stage(std::string_view name) const {
    static const StageSchedule unnamed;
    const auto found = stages.find(name);
    return found == stages.end() ? unnamed : found->second;
  }
  /// Returns the schedule of the loop with this name.
  const LoopSchedule& loop(std::string_view name) const {
    static const LoopSchedule unnamed;
    const auto found = loops.find(name);
    return found == loops.end() ? unnamed : found->second;
  }
};

/// An error that is thrown if a schedule does not fit the pipeline or the number of ranks.
struct ScheduleError : InputError {
  /// Makes an error about the deck key `blamed`. what() returns `message`.
  ScheduleError(std::string blamed, const std::string& message)
      : InputError(message), key(std::move(blamed)) {}
  /// The deck key that causes the error, such as "schedule.bh.compute". The text of what() does not contain
  /// this key.
  std::string key;
};

}  // namespace tessera
