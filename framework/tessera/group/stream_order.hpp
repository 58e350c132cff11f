// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <vector>

#include "tessera/group/program.hpp"
#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// The place of a task in the order in which ranks compute the tasks of the items of a stream. A rank works
/// in rounds, in each of which its tasks take turns. In round r a task computes item r - `round`.
struct StreamTurn {
  /// The rounds by which the task is later than the first one of the program.
  int round = 0;
  /// The place in the round, which no other task has.
  int turn = 0;

  /// Compares the rounds, and then the places in the round.
  friend auto operator<=>(const StreamTurn&, const StreamTurn&) = default;
};

/// The order in which ranks compute the tasks of the items of a stream.
struct StreamOrder {
  /// The turns of all tasks, by their numbers. There are none if the program runs once.
  std::vector<StreamTurn> turns = {};
  /// The number of items for which a rank has memory at most.
  int window = 1;
};

/// Returns the order that a schedule of a program gives for a stream. It follows the starts of the tasks and
/// the period; without a period each item comes after the one before it. Each task comes after those that it
/// depends on. No rank needs memory for more than `window` items: rounds are as long as this needs, and
/// each item comes after the one before it if `window` is 1.
StreamOrder stream_order(const Program& program, const GroupSchedule& schedule, int window);

/// Returns the number of items that are begun and not yet ended when the first one of several turns, in
/// which a rank works on an item, comes and the last one is still to come.
int items_between(const StreamTurn& first, const StreamTurn& last);

}  // namespace tessera::group
