// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/rank_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera::group {

RunMessages::RunMessages(const Program& program, const ProgramPlan& plan, MPI_Comm communicator)
    : plan_(plan),
      communicator_(communicator),
      memory_(program, plan),
      sends_(plan.sends.size(), MPI_REQUEST_NULL),
      receives_(plan.receives.size(), MPI_REQUEST_NULL) {}

/// Ends the receive of a message, and waits for the message if it has not arrived.
void RunMessages::receive(std::size_t place) {
  if (receives_[place] == MPI_REQUEST_NULL) return;
  MPI_Status status;
  MPI_Wait(&receives_[place], &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  // Ranks send empty messages after a failure.
  if (bytes == 0) has_failed_ = true;
}

void RunMessages::wait_before(int step) {
  for (std::size_t i = 0; i < sends_.size(); ++i)
    if (plan_.sends[i].steps.last < step) MPI_Wait(&sends_[i], MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < receives_.size(); ++i)
    if (plan_.receives[i].first_use == step) receive(i);
}

void RunMessages::await(int step) {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const Parcel& parcel = plan_.receives[i];
    if (parcel.steps.first != step) continue;
    const LargeMessage message(parcel.bytes);
    MPI_Irecv(memory_.message(parcel), message.count(), message.type(), parcel.partner, parcel.array,
              communicator_, &receives_[i]);
  }
}

void RunMessages::send(int step) {
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    const Parcel& parcel = plan_.sends[i];
    if (parcel.steps.first != step) continue;
    if (!has_failed_) memory_.pack(parcel);
    const LargeMessage message(parcel.bytes);
    // In a stream the send ends when the partner has begun to receive, so that no rank gets far ahead.
    (plan_.is_stream ? MPI_Issend : MPI_Isend)(memory_.message(parcel), has_failed_ ? 0 : message.count(),
                                               message.type(), parcel.partner, parcel.array, communicator_,
                                               &sends_[i]);
  }
}

void RunMessages::wait_for_sends() {
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
}

bool RunMessages::make_progress() {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (receives_[i] == MPI_REQUEST_NULL) continue;
    int has_arrived = 0;
    MPI_Request_get_status(receives_[i], &has_arrived, MPI_STATUS_IGNORE);
    if (has_arrived != 0) receive(i);
  }
  int are_gone = 1;
  if (!sends_.empty())
    MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &are_gone, MPI_STATUSES_IGNORE);
  return are_gone != 0;
}

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
