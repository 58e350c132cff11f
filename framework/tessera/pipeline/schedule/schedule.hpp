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

/// Where a stage is computed and stored (in brackets what Distributed Halide, section 3.4, calls it).
enum class Placement : std::uint8_t {
  distributed,  ///< Every point once, by its owner; ghosts are exchanged [compute_root + distribute].
  rank,         ///< Each rank computes all that its consumers need [compute_rank].
  replicated,   ///< Every rank computes the whole stage [compute_root].
  tile          ///< In scratch memory, inside each tile of its consumers [compute_at].
};

std::string_view name_of(Placement placement);

/// Points of one tile per dimension, x first; dimensions without an entry have tiles of one point. Empty
/// means `auto`: chosen so that what a tile reads and keeps in scratch stays in cache.
using TileSize = std::vector<std::int64_t>;

/// How one stage is computed, or one input distributed (then only the grid counts).
struct StageSchedule {
  Placement placement = Placement::distributed;
  /// The schedule's grid where there is none.
  std::optional<GridRequest> grid;
  TileSize tile;
  /// The blocks are slices of all points of the stage. Else they follow the blocks of what reads it, and
  /// margins belong to the edge blocks: right unless the margin is large.
  bool align_own = false;

  /// It says nothing but what holds anyway.
  bool is_default() const {
    return placement == Placement::distributed && !grid.has_value() && tile.empty() && !align_own;
  }
};

/// How many turns of a loop belong together: iterates and the number of turns have the same bits for all
/// choices. See in_rounds.
struct LoopSchedule {
  /// Iterates are exchanged after so many turns: their ghosts are as much deeper, and points of the turns
  /// between are computed by several ranks.
  int turns_per_exchange = 1;
  /// So many turns of a tile are computed while it is in cache: temporal blocking.
  int turns_per_tile = 1;
  /// Conditions and residuals are looked at after so many turns. The loop ends at the turn at which its
  /// condition first held all the same.
  int turns_per_test = 1;
  /// The ranks agree on the condition of a turn while they compute the next one, which is dropped if the loop
  /// ends. Turns then run one by one.
  bool overlaps_test = false;

  /// In one round.
  int turns() const { return std::max({turns_per_exchange, turns_per_tile, turns_per_test}); }
};

/// Whether the inside of a stage is computed while what its rim needs is on its way.
enum class Overlap : std::uint8_t {
  automatic,  ///< Where a rank has many points.
  on,         ///< Wherever there is an inside.
  off
};

/// How a pipeline is distributed and tiled; it never changes a result.
struct Schedule {
  /// The grid of every stage and input that has none of its own.
  GridRequest grid;
  /// How all grids cut the dimensions.
  Slicing slicing = Slicing::ceil;
  Overlap overlap = Overlap::automatic;
  /// By name; stages that are not named are `distributed` in tiles `auto`.
  std::map<std::string, StageSchedule, std::less<>> stages;
  /// By name; turns of loops that are not named run one by one. Settled by in_rounds, before plans are made.
  std::map<std::string, LoopSchedule, std::less<>> loops = {};
};

/// A schedule does not fit its pipeline or the rank count. `key` is the deck key to blame, such as
/// "schedule.bh.compute"; what() does not repeat it.
struct ScheduleError : InputError {
  ScheduleError(std::string blamed, const std::string& message)
      : InputError(message), key(std::move(blamed)) {}
  std::string key;
};

}  // namespace tessera
