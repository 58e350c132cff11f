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
  /// Begins the messages of a new run, after all messages of the last one are gone. In a stream, `item` is
  /// the number of its item: messages of an item have other tags than those of the next one.
  void begin(std::int64_t item) {
    has_failed_ = false;
    parity_ = static_cast<int>(item % 2);
  }
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
  int tag(const Parcel& parcel) const { return 2 * parcel.array + parity_; }

  const ProgramPlan& plan_;
  MPI_Comm communicator_;
  int parity_ = 0;
  RankMemory memory_;
  /// The requests of the messages, in the order of ProgramPlan::sends and ProgramPlan::receives.
  std::vector<MPI_Request> sends_, receives_;
  bool has_failed_ = false;
};

}  // namespace tessera::group
