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

/// Where a stage is computed and stored. In brackets is the name in Distributed Halide (T. Denniston, S.
/// Kamil, S. Amarasinghe, PPoPP 2016), section 3.4.
enum class Placement : std::uint8_t {
  distributed,  ///< Every point once, by its owner; ghosts are exchanged [compute_root + distribute].
  rank,         ///< Each rank computes all that its consumers need [compute_rank].
  replicated,   ///< Every rank computes the whole stage [compute_root].
  tile          ///< In scratch memory, inside each tile of its consumers [compute_at].
};

/// The name of a placement in decks, such as "rank".
std::string_view name_of(Placement placement);

/// The points of one tile per dimension, x first; dimensions without an entry have tiles of one point. An
/// empty one means `auto`: the tile is chosen so that what it reads and keeps in scratch stays in cache.
using TileSize = std::vector<std::int64_t>;

/// How one stage is computed, or how one input is distributed; for an input only the grid counts.
struct StageSchedule {
  /// Where the stage is computed and stored.
  Placement placement = Placement::distributed;
  /// The processor grid; without one it is that of the whole schedule.
  std::optional<GridRequest> grid;
  /// The points of one tile.
  TileSize tile;
  /// Whether the blocks are slices of all points of the stage itself. Else they follow the blocks of the
  /// stage that reads it, and its margins belong to the edge blocks, which is right unless the margin is
  /// large.
  bool align_own = false;

  /// Whether nothing differs from what holds for a stage that the schedule does not name.
  bool is_default() const {
    return placement == Placement::distributed && !grid.has_value() && tile.empty() && !align_own;
  }
};

/// How many turns of a loop belong together. Iterates and the number of turns have the same bits for all
/// choices. See in_rounds.
struct LoopSchedule {
  /// The number of turns after which iterates are exchanged. Their ghosts are deeper by as much, and several
  /// ranks compute points of the turns between.
  int turns_per_exchange = 1;
  /// The number of turns of a tile that are computed while it is in cache: temporal blocking.
  int turns_per_tile = 1;
  /// The number of turns after which conditions and residuals are tested. The loop still ends at the turn at
  /// which its condition first held.
  int turns_per_test = 1;
  /// Whether the ranks agree on the condition of a turn while they compute the next one, which is dropped if
  /// the loop ends. Turns then run one by one.
  bool overlaps_test = false;

  /// The number of turns in one round.
  int turns() const { return std::max({turns_per_exchange, turns_per_tile, turns_per_test}); }
};

/// Whether the inside of a stage is computed while the ghosts that its rim needs are on their way.
enum class Overlap : std::uint8_t {
  automatic,  ///< Where a rank has many points.
  on,         ///< Wherever there is an inside.
  /// Nowhere: a rank waits for all ghosts before it computes.
  off
};

/// How a pipeline is distributed and tiled; it never changes a result.
struct Schedule {
  /// The processor grid of every stage and input that has none of its own.
  GridRequest grid;
  /// How all grids cut the dimensions into blocks.
  Slicing slicing = Slicing::ceil;
  /// Whether computation and exchange overlap.
  Overlap overlap = Overlap::automatic;
  /// The schedules of stages and inputs by name. Stages that are not named are `distributed`, in tiles
  /// `auto`.
  std::map<std::string, StageSchedule, std::less<>> stages;
  /// The schedules of loops by name. Turns of loops that are not named run one by one. in_rounds applies
  /// them, before plans are made.
  std::map<std::string, LoopSchedule, std::less<>> loops = {};
};

/// A schedule does not fit its pipeline or the rank count.
struct ScheduleError : InputError {
  /// An error with the message what() about the key `blamed`.
  ScheduleError(std::string blamed, const std::string& message)
      : InputError(message), key(std::move(blamed)) {}
  /// The key of a deck to blame, such as "schedule.bh.compute"; what() does not repeat it.
  std::string key;
};

}  // namespace tessera
