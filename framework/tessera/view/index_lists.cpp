// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/index_lists.hpp"

#include "tessera/domain/error.hpp"
#include "tessera/view/large_message.hpp"

namespace tessera {
namespace {

constexpr int index_tag = 0;

int own_rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

/// Returns the number of indices of `needed` that each rank owns.
std::vector<std::int64_t> counts_by_owner(const std::vector<std::int64_t>& bounds,
                                          const std::vector<std::int64_t>& needed, int own_rank) {
  std::vector<std::int64_t> counts(bounds.size() - 1);
  std::size_t owner = 0;
  for (const std::int64_t index : needed) {
    while (owner < counts.size() && index >= bounds[owner + 1]) ++owner;
    if (owner == counts.size() || index < bounds[owner])
      throw InternalError("index_lists: the needed indices are not in the order of their owners");
    ++counts[owner];
  }
  if (counts[static_cast<std::size_t>(own_rank)] != 0)
    throw InternalError("index_lists: a rank needs its own elements");
  return counts;
}

}  // namespace

std::int64_t IndexLists::sent_count() const {
  std::int64_t count = 0;
  for (const SentElements& elements : sent) count += static_cast<std::int64_t>(elements.indices.size());
  return count;
}

std::int64_t IndexLists::received_count() const {
  std::int64_t count = 0;
  for (const ReceivedElements& elements : received) count += elements.count;
  return count;
}

IndexLists index_lists(MPI_Comm communicator, const std::vector<std::int64_t>& bounds,
                       const std::vector<std::int64_t>& needed) {
  const std::vector<std::int64_t> asked = counts_by_owner(bounds, needed, own_rank_of(communicator));
  std::vector<std::int64_t> wanted(asked.size());
  MPI_Alltoall(asked.data(), 1, MPI_INT64_T, wanted.data(), 1, MPI_INT64_T, communicator);
  IndexLists lists;
  for (std::size_t rank = 0; rank < asked.size(); ++rank) {
    const int partner = static_cast<int>(rank);
    if (wanted[rank] > 0)
      lists.sent.push_back({partner, std::vector<std::int64_t>(static_cast<std::size_t>(wanted[rank]))});
    if (asked[rank] > 0) lists.received.push_back({partner, asked[rank]});
  }
  const auto bytes = [](std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(std::int64_t));
  };
  std::vector<MPI_Request> requests(lists.sent.size());
  for (std::size_t i = 0; i < lists.sent.size(); ++i) {
    SentElements& elements = lists.sent[i];
    const LargeMessage message(bytes(static_cast<std::int64_t>(elements.indices.size())));
    MPI_Irecv(elements.indices.data(), message.count(), message.type(), elements.partner, index_tag,
              communicator, &requests[i]);
  }
  const std::int64_t* indices = needed.data();
  for (const ReceivedElements& elements : lists.received) {
    const LargeMessage message(bytes(elements.count));
    MPI_Send(indices, message.count(), message.type(), elements.partner, index_tag, communicator);
    indices += elements.count;
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return lists;
}

}  // namespace tessera
