// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/run_messages.hpp"

#include <algorithm>

#include "tessera/view/mpi_objects.hpp"

namespace tessera::group {

RunMessages::RunMessages(const Program& program, const ProgramPlan& plan, MPI_Comm communicator)
    : plan_(plan),
      communicator_(communicator),
      memory_(program, plan),
      sends_(plan.sends.size(), MPI_REQUEST_NULL),
      receives_(plan.receives.size(), MPI_REQUEST_NULL) {}

/// Ends to receive a message that has arrived or is waited for.
void RunMessages::receive(std::size_t place) {
  if (receives_[place] == MPI_REQUEST_NULL) return;
  MPI_Status status;
  MPI_Wait(&receives_[place], &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
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

void ItemAgreements::end(std::int64_t item, int said) {
  Slot& slot = slot_of(item);
  slot.mine = said;
  MPI_Iallreduce(&slot.mine, &slot.all, 1, MPI_INT, MPI_BOR, communicator_, &slot.request);
}

int ItemAgreements::before(std::int64_t item) {
  if (item < delay()) return 0;
  Slot& slot = slot_of(item);
  MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
  return slot.all;
}

bool ItemAgreements::may_begin(std::int64_t item) {
  for (Slot& slot : slots_) {
    int is_done = 0;
    if (slot.request != MPI_REQUEST_NULL) MPI_Test(&slot.request, &is_done, MPI_STATUS_IGNORE);
  }
  if (item < delay()) return true;
  const Slot& slot = slot_of(item);
  return slot.request == MPI_REQUEST_NULL && slot.all == 0;
}

int ItemAgreements::finish(std::int64_t count) {
  int all = 0;
  for (std::int64_t item = std::max<std::int64_t>(0, count - delay()); item < count; ++item) {
    Slot& slot = slot_of(item);
    MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
    all |= slot.all;
  }
  return all;
}

}  // namespace tessera::group
