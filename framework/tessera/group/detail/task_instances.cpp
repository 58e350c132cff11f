// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/task_instances.hpp"

#include <utility>

namespace tessera::group {

void throw_first_error(MPI_Comm communicator, std::exception_ptr& failure) {
  const std::exception_ptr first = std::exchange(failure, nullptr);
  collectively(communicator, [&first] {
    if (first != nullptr) std::rethrow_exception(first);
  });
}

std::vector<std::unique_ptr<PlanInstance>> task_instances(const Program& program, const ProgramPlan& plan,
                                                          GroupCommunicators& communicators,
                                                          const Transport& transport) {
  std::vector<std::unique_ptr<PlanInstance>> instances;
  std::exception_ptr failure;
  ArrayMemory shared;
  shared.at_least = plan.array_bytes;
  for (const RankStep& step : plan.steps) {
    instances.emplace_back();
    if (step.plan == nullptr) continue;
    // If a group has no instance, its ranks go on all the same, as other groups wait for them.
    keep_first_error(failure, [&] {
      instances.back() =
          std::make_unique<PlanInstance>(program.task(step.task).pipeline, *step.plan,
                                         communicators.of(step.ranks), transport, HostMode::kernels, shared);
      // The tasks use the same memory one after the other: a task fills its inputs before it reads them.
      shared = instances.back()->memory();
    });
  }
  throw_first_error(communicators.all().handle(), failure);
  return instances;
}

GroupCommunicators::~GroupCommunicators() {
  for (auto& [ranks, communicator] : groups_) MPI_Comm_free(&communicator);
}

MPI_Comm GroupCommunicators::of(const std::vector<int>& ranks) {
  const auto [found, is_new] = groups_.try_emplace(ranks, MPI_COMM_NULL);
  if (is_new) {
    MPI_Group everyone = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm_group(all_.handle(), &everyone);
    MPI_Group_incl(everyone, static_cast<int>(ranks.size()), ranks.data(), &some);
    // Only the ranks of the group take part, so that other groups can be made at the same time.
    MPI_Comm_create_group(all_.handle(), some, 0, &found->second);
    MPI_Group_free(&some);
    MPI_Group_free(&everyone);
  }
  return found->second;
}

}  // namespace tessera::group
