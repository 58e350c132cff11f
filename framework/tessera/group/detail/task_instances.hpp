// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/detail/run_messages.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera::group {

/// The communicators of groups of ranks. Equal groups share one.
class GroupCommunicators {
 public:
  /// Makes no communicators of groups yet. Collective.
  explicit GroupCommunicators(MPI_Comm communicator) : all_(communicator) {}
  ~GroupCommunicators();
  GroupCommunicators(const GroupCommunicators&) = delete;
  GroupCommunicators& operator=(const GroupCommunicators&) = delete;

  /// Returns the communicator in which ranks[i] is rank i. Collective over these ranks, of which this rank is
  /// one. All ranks must ask for their groups in the same order.
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

/// What a rank needs to run its plan of a program, once or as a stream.
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
  /// The agreements of a stream that begins to run. They stay until the next one begins.
  ItemAgreements& begin_agreements() {
    return agreements_.emplace(for_agreements_.handle(), plan_.most_items);
  }
  /// The memory and the messages of an item, of which the rank keeps those of some items at a time.
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
  std::optional<ItemAgreements> agreements_;
};

}  // namespace tessera::group
