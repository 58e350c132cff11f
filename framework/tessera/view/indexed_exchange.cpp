// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/indexed_exchange.hpp"

#include <algorithm>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/launch.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {
namespace {

/// A kernel that packs the elements with the indices `indices`.
template <class T>
struct PackElements {
  Kokkos::View<const T*, MemorySpace> array;
  Kokkos::View<const std::int64_t*, MemorySpace> indices;
  Kokkos::View<T*, MemorySpace> packed;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { packed(i) = array(indices(i)); }
};

}  // namespace

template <class T>
IndexedExchange<T>::IndexedExchange(MPI_Comm communicator, int tag, const IndexLists& lists, Array array,
                                    std::int64_t first_ghost, const Transport& transport)
    : transport_(transport),
      array_(std::move(array)),
      first_ghost_(first_ghost),
      indices_("tessera: sent indices", static_cast<std::size_t>(lists.sent_count())),
      sent_("tessera: sent elements", static_cast<std::size_t>(lists.sent_count())),
      received_count_(lists.received_count()) {
  const auto host = Kokkos::create_mirror_view(indices_);
  std::int64_t* next = host.data();
  for (const SentElements& elements : lists.sent) next = std::ranges::copy(elements.indices, next).out;
  Kokkos::deep_copy(indices_, host);
  if (!sends_in_place()) {
    host_sent_ = HostArray("tessera: sent elements", sent_.extent(0));
    host_received_ = HostArray("tessera: received elements", static_cast<std::size_t>(received_count_));
  }
  make_requests(communicator, tag, lists);
}

template <class T>
void IndexedExchange<T>::make_requests(MPI_Comm communicator, int tag, const IndexLists& lists) {
  T* sent = sends_in_place() ? sent_.data() : host_sent_.data();
  T* received = sends_in_place() ? array_.data() + first_ghost_ : host_received_.data();
  const auto bytes = [](std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(T)); };
  for (const SentElements& elements : lists.sent) {
    const auto count = static_cast<std::int64_t>(elements.indices.size());
    const LargeMessage message(bytes(count));
    MPI_Send_init(sent, message.count(), message.type(), elements.partner, tag, communicator,
                  &sends_.emplace_back());
    sent += count;
  }
  for (const ReceivedElements& elements : lists.received) {
    const LargeMessage message(bytes(elements.count));
    MPI_Recv_init(received, message.count(), message.type(), elements.partner, tag, communicator,
                  &receives_.emplace_back());
    received += elements.count;
  }
}

template <class T>
IndexedExchange<T>::~IndexedExchange() {
  free_all(sends_);
  free_all(receives_);
}

template <class T>
void IndexedExchange<T>::start(const ExecutionSpace& execution) {
  if (!receives_.empty()) start_all(receives_);
  if (sends_.empty()) return;
  for_each_index(execution, HostMode::kernels, "tessera: pack elements",
                 static_cast<std::int64_t>(sent_.extent(0)), PackElements<T>{array_, indices_, sent_});
  if (!sends_in_place())
    compat::copy_bytes(execution, reinterpret_cast<std::byte*>(host_sent_.data()),
                       reinterpret_cast<const std::byte*>(sent_.data()),
                       static_cast<std::size_t>(sent_bytes()));
  compat::fence(execution);
  start_all(sends_);
}

template <class T>
void IndexedExchange<T>::finish(const ExecutionSpace& execution) {
  wait_all(receives_);
  if (!sends_in_place() && received_count_ > 0)
    compat::copy_bytes(execution, reinterpret_cast<std::byte*>(array_.data() + first_ghost_),
                       reinterpret_cast<const std::byte*>(host_received_.data()),
                       static_cast<std::size_t>(received_count_) * sizeof(T));
  wait_all(sends_);
}

template class IndexedExchange<double>;
template class IndexedExchange<std::int64_t>;

namespace {

constexpr int index_tag = 0;

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
  // The number of elements that this rank gets from each rank, and that it sends to each rank.
  const std::vector<std::int64_t> to_receive = counts_by_owner(bounds, needed, rank_in(communicator));
  std::vector<std::int64_t> to_send(to_receive.size());
  MPI_Alltoall(to_receive.data(), 1, MPI_INT64_T, to_send.data(), 1, MPI_INT64_T, communicator);
  IndexLists lists;
  for (std::size_t rank = 0; rank < to_receive.size(); ++rank) {
    const int partner = static_cast<int>(rank);
    if (to_send[rank] > 0)
      lists.sent.push_back({partner, std::vector<std::int64_t>(static_cast<std::size_t>(to_send[rank]))});
    if (to_receive[rank] > 0) lists.received.push_back({partner, to_receive[rank]});
  }
  const auto bytes = [](std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(std::int64_t));
  };
  // Each rank tells the owners of the elements which indices it needs.
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
  wait_all(requests);
  return lists;
}

}  // namespace tessera
