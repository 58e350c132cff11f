// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "tessera/domain/error.hpp"
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

/// Makes the plan instances of a rank, by step; there are none for the start and the stop. The tasks use the
/// same memory one after the other. Collective over all ranks of the program. Throws the exceptions of
/// PlanInstance on all ranks.
std::vector<std::unique_ptr<PlanInstance>> task_instances(const Program& program, const ProgramPlan& plan,
                                                          GroupCommunicators& communicators,
                                                          const Transport& transport);

}  // namespace tessera::group
