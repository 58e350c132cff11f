// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

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
  /// of a message send and receive it for one item after the other, so that MPI keeps the items apart.
  void begin() { has_failed_ = false; }
  /// Waits until the messages of earlier steps whose memory this step may use are gone, and until the
  /// messages that it reads have arrived.
  void wait_before(int step);
  /// Begins to receive the messages that are awaited from this step on.
  void await(int step);
  /// Sends the messages that follow this step.
  void send(int step);
  /// Waits until all messages that were sent are gone.
  void wait_for_sends();
  /// Lets MPI make progress. Returns whether all messages that were sent are gone.
  bool make_progress();
  /// Returns true if the item of the run has failed on this rank, or on one that has sent a message.
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

/// The communicators of groups of ranks. Equal groups share one.
class GroupCommunicators {
 public:
  /// Makes no communicators of groups yet. Collective.
  explicit GroupCommunicators(MPI_Comm communicator) : all_(communicator) {}
  ~GroupCommunicators();
  GroupCommunicators(const GroupCommunicators&) = delete;
  GroupCommunicators& operator=(const GroupCommunicators&) = delete;

  /// Returns the communicator that has ranks[i] as rank i. Collective over these ranks. This rank is one of
  /// them. All ranks must ask for their groups in the same order.
  MPI_Comm of(const std::vector<int>& ranks);
  /// The communicator of all ranks.
  const Communicator& all() const { return all_; }

 private:
  Communicator all_;
  std::map<std::vector<int>, MPI_Comm> groups_;
};

/// Calls `act`. Keeps an error that all ranks of a group throw together in `failure`, if it is the first one.
/// Other errors are thrown: the other ranks of the group wait for this rank, and the job has to be aborted.
template <class Act>
void keep_first_error(std::exception_ptr& failure, const Act& act) {
  const auto keep = [&failure] {
    if (failure == nullptr) failure = std::current_exception();
  };
  try {
    act();
  } catch (const InputError&) {
    keep();
  } catch (const DivergedError&) {
    keep();
  } catch (const AgreedInternalError&) {
    keep();
  }
}

/// Throws the first error that a rank has kept, on all ranks, and keeps none any more. Collective.
void throw_first_error(MPI_Comm communicator, std::exception_ptr& failure);

/// The objects that a rank needs to run its plan of a program, once or as a stream.
class RankTasks {
 public:
  /// Allocates and prepares everything. The tasks use the same memory one after the other. Collective over
  /// all ranks of the program. Throws the exceptions of PlanInstance on all ranks, and InternalError if the
  /// plan is for another rank or number of ranks.
  RankTasks(const Program& program, ProgramPlan plan, MPI_Comm communicator, const Transport& transport);

  const Program& program() const { return program_; }
  const ProgramPlan& plan() const { return plan_; }
  const RankStep& step(int number) const { return plan_.steps[static_cast<std::size_t>(number)]; }
  GroupCommunicators& communicators() { return communicators_; }
  /// A communicator that only the agreements of streams use.
  MPI_Comm for_agreements() const { return for_agreements_.handle(); }
  /// The memory and the messages of an item. The rank has them for some items at a time.
  RunMessages& messages(std::int64_t item) { return *slot_of(item).messages; }
  /// Runs the task of a step for an item.
  void run(int step, std::int64_t item, const StepObserver& observer) {
    const auto place = static_cast<std::size_t>(step);
    instances_[place]->run(slot_of(item).edges[place].bindings(), observer);
  }

 private:
  struct Slot {
    std::unique_ptr<RunMessages> messages;
    /// The sources and sinks of the tasks, by step.
    std::vector<TaskEdges> edges;
  };
  Slot& slot_of(std::int64_t item) { return slots_[static_cast<std::size_t>(item) % slots_.size()]; }
  void make_instances(const Transport& transport);

  const Program& program_;
  const ProgramPlan plan_;
  GroupCommunicators communicators_;
  Communicator for_agreements_;
  std::vector<Slot> slots_;
  /// The plan instances by step; there are none for the start and the stop.
  std::vector<std::unique_ptr<PlanInstance>> instances_;
};

}  // namespace tessera::group
