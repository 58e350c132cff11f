// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace tessera::group {

/// The messages in which the ranks of a stream tell each other about each item while they go on. No rank
/// waits for the others, except that it begins item i only after all ranks have ended item i - `delay`. So
/// all ranks learn of a failure at the same item, and begin no further one.
class ItemAgreements {
 public:
  /// The flags that a rank may give an item; the two may be added.
  static constexpr int failure = 1, stop = 2;

  /// Every rank passes the same `delay`. `communicator` must not be used for anything else at the same time.
  ItemAgreements(MPI_Comm communicator, std::int64_t delay)
      : communicator_(communicator), slots_(static_cast<std::size_t>(delay)) {}

  /// Says what this rank knows about `item`, which it has ended. Ranks must end items in their order.
  void end(std::int64_t item, int said);
  /// Waits until all ranks have ended item `item` - `delay`, and returns what they have said about it
  /// together.
  int before(std::int64_t item);
  /// Lets MPI make progress. Returns whether `before(item)` need not wait, and returns 0.
  bool may_begin(std::int64_t item);
  /// Waits until all ranks have ended the first `count` items, of which the last ones were not asked about.
  /// Returns what they have said about any of these.
  int finish(std::int64_t count);

 private:
  struct Slot {
    int mine = 0, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::int64_t delay() const { return static_cast<std::int64_t>(slots_.size()); }
  Slot& slot_of(std::int64_t item) { return slots_[static_cast<std::size_t>(item % delay())]; }

  MPI_Comm communicator_;
  std::vector<Slot> slots_;
};

}  // namespace tessera::group
