// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tessera/group/detail/rank_memory.hpp"

namespace tessera::group {

/// The memory of a rank for one run of a program, and the messages of this run. In a stream several runs are
/// under way, each for one item. A rank that has no points to send, because the item has failed, sends a
/// message without bytes in the place of each message.
class RunMessages {
 public:
  /// Allocates the memory. The arguments must outlive the object.
  RunMessages(const Program& program, const ProgramPlan& plan, MPI_Comm communicator);

  /// The memory.
  const RankMemory& memory() const { return memory_; }
  /// Begins the messages of a new run, after all messages of the last one are gone. In a stream, both ranks
  /// of a message send and receive it for one item after the other, so that MPI keeps those of items apart.
  void begin() { has_failed_ = false; }
  /// Waits until the messages of earlier steps are gone whose memory this step may use, and until those have
  /// arrived that it reads.
  void wait_before(int step);
  /// Begins to receive the messages that are awaited from this step on.
  void await(int step);
  /// Sends the messages that follow this step.
  void send(int step);
  /// Waits until all messages that were sent are gone.
  void wait_for_sends();
  /// Lets MPI make progress. Returns whether all messages that were sent are gone.
  bool make_progress();
  /// Whether the item of the run has failed on this rank, or on one that has sent a message.
  bool has_failed() const { return has_failed_; }
  /// Says that the item has failed.
  void fail() { has_failed_ = true; }

 private:
  void receive(std::size_t place);

  const ProgramPlan& plan_;
  MPI_Comm communicator_;
  RankMemory memory_;
  /// The requests of the messages, in the order of ProgramPlan::sends and ProgramPlan::receives.
  std::vector<MPI_Request> sends_, receives_;
  bool has_failed_ = false;
};

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
