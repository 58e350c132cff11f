// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/task_instances.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera::group {

void throw_first_error(MPI_Comm communicator, std::exception_ptr& failure) {
  const std::exception_ptr first = std::exchange(failure, nullptr);
  collectively(communicator, [&first] {
    if (first != nullptr) std::rethrow_exception(first);
  });
}

RankTasks::RankTasks(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                     const Transport& transport)
    : program_(program), plan_(std::move(plan)), communicators_(communicator), for_agreements_(communicator) {
  const Communicator& all = communicators_.all();
  collectively(communicator, [&] {
    if (all.size() != plan_.rank_count || all.rank() != plan_.rank)
      throw InternalError(fmt::format("a program plan for rank {} of {} on rank {} of {}", plan_.rank,
                                      plan_.rank_count, all.rank(), all.size()));
    for (int i = 0; i < plan_.slots; ++i) {
      Slot& slot = slots_.emplace_back();
      slot.messages = std::make_unique<RunMessages>(program_, plan_, all.handle());
      for (const RankStep& step : plan_.steps)
        slot.edges.push_back(
            step.plan == nullptr ? TaskEdges() : TaskEdges(program_, step.task, {&slot.messages->memory()}));
    }
  });
  make_instances(transport);
}

void RankTasks::make_instances(const Transport& transport) {
  std::exception_ptr failure;
  ArrayMemory shared;
  shared.at_least = plan_.array_bytes;
  for (const RankStep& step : plan_.steps) {
    instances_.emplace_back();
    if (step.plan == nullptr) continue;
    // If a group has no instance, its ranks go on all the same, as other groups wait for them.
    keep_first_error(failure, [&] {
      instances_.back() =
          std::make_unique<PlanInstance>(program_.task(step.task).pipeline, *step.plan,
                                         communicators_.of(step.ranks), transport, HostMode::kernels, shared);
      // The tasks use the same memory one after the other: a task fills its inputs before it reads them.
      shared = instances_.back()->memory();
    });
  }
  throw_first_error(communicators_.all().handle(), failure);
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
