// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <string_view>

#include "tessera/view/collectively.hpp"

#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

namespace tessera {
namespace {

/// Returns the address of the first point of `box` in an array.
std::byte* first_byte(const ArrayReference& array, const Box& box, std::int64_t element_size) {
  std::int64_t offset = 0;
  for (int d = 0; d < box.dimensions; ++d) offset += box[d].begin * array.strides[d];
  return array.origin + offset * element_size;
}

/// Returns the number of bytes from the first to the last point of `box` in an array, including padding.
std::int64_t range_bytes(const ArrayReference& array, const Box& box, std::int64_t element_size) {
  std::int64_t elements = 1;
  for (int d = 0; d < box.dimensions; ++d) elements += (box[d].size() - 1) * array.strides[d];
  return elements * element_size;
}

}  // namespace

Exchange::Exchange(MPI_Comm communicator, int tag, const std::vector<ExchangeField>& fields,
                   const Transport& transport, HostMode mode)
    : transport_(transport), mode_(mode) {
  const auto sends = by_partner(fields, true);
  const auto receives = by_partner(fields, false);
  if (transport.shared_windows && runs_on_host && transport.device_addresses &&
      some_rank_packs(communicator, sends))
    node_ = std::make_unique<NodeMemory>(communicator);
  // The buffer of the parcels that are received belongs to this rank alone. If there is no memory for it, all
  // ranks have to know before they make the shared buffers.
  bool has_memory = true;
  try {
    make_parcels(received_, receives, false);
  } catch (const std::exception&) {
    if (!node_) throw;
    has_memory = false;
  }
  make_parcels(sent_, sends, true, has_memory);
  if (node_) tell_offsets(tag);
  list_copies(sent_, sends, true);
  list_copies(received_, receives, false);
  for (const ExchangeField& field : fields)
    for (const Message& copy : field.lists.copies)
      sent_.copies.add(field.from, field.to, copy.box, copy.shift, field.element_size);
  sent_.copies.commit();
  received_.copies.commit();
  make_requests(communicator, tag);
  if (node_) make_receipts(tag);
}

bool Exchange::needs_no_packing(const std::vector<Item>& items) const {
  return items.size() == 1 && items.front().message->in_place && transport_.device_addresses;
}

bool Exchange::some_rank_packs(MPI_Comm communicator, const std::vector<std::vector<Item>>& sends) const {
  return on_any_rank(communicator, std::ranges::any_of(sends, [this](const std::vector<Item>& items) {
                       return !needs_no_packing(items);
                     }));
}

Exchange::~Exchange() {
  // While an exception unwinds the stack, partners may not give their receipts.
  if (node_ && std::uncaught_exceptions() > 0) return;
  for (auto* receipts : {&receipts_awaited_, &receipts_given_}) wait_all(*receipts);
  for (auto* requests : {&receipts_awaited_, &receipts_given_, &sent_.requests, &received_.requests})
    free_all(*requests);
}

std::vector<std::vector<Exchange::Item>> Exchange::by_partner(const std::vector<ExchangeField>& fields,
                                                              bool sends) {
  std::map<int, std::vector<Item>> items;
  for (const ExchangeField& field : fields)
    for (const Message& message : sends ? field.lists.sends : field.lists.receives)
      items[message.partner].push_back({&field, &message});
  std::vector<std::vector<Item>> lists;
  for (auto& [partner, list] : items) lists.push_back(std::move(list));
  return lists;
}

void Exchange::make_parcels(Side& side, const std::vector<std::vector<Item>>& items_by_partner, bool sends,
                            bool has_memory) {
  std::int64_t bytes = 0;
  for (const auto& items : items_by_partner) {
    Parcel& parcel = side.parcels.emplace_back();
    const auto& [field, message] = items.front();
    parcel.partner = message->partner;
    parcel.offset = bytes;
    parcel.shared = !needs_no_packing(items) && is_shared(parcel.partner);
    if (needs_no_packing(items)) {
      const ArrayReference& array = sends ? field->from : field->to;
      const Box box = sends ? message->source() : message->box;
      parcel.in_place = first_byte(array, box, field->element_size);
      parcel.bytes = range_bytes(array, box, field->element_size);
      continue;
    }
    for (const Item& item : items) parcel.bytes += packed_bytes(item.message->box, item.field->element_size);
    if (parcel.shared && !sends) continue;  // will be unpacked from the buffer of the partner
    bytes += aligned_bytes(parcel.bytes);
  }
  allocate_buffers(side, bytes, sends, has_memory);
}

void Exchange::allocate_buffers(Side& side, std::int64_t bytes, bool sends, bool has_memory) {
  const auto size = static_cast<std::size_t>(bytes);
  if (node_ && sends)
    side.buffer = Buffer(node_->allocate(bytes, has_memory), size);
  else
    side.buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"), size);
  if (!transport_.device_addresses)
    side.host = HostBuffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"), size);
}

void Exchange::tell_offsets(int tag) {
  std::vector<MPI_Request> requests;
  for (const Parcel& parcel : sent_.parcels)
    if (parcel.shared)
      MPI_Isend(&parcel.offset, 1, MPI_INT64_T, node_->node_rank(parcel.partner), tag, node_->node(),
                &requests.emplace_back());
  for (Parcel& parcel : received_.parcels)
    if (parcel.shared)
      MPI_Irecv(&parcel.offset, 1, MPI_INT64_T, node_->node_rank(parcel.partner), tag, node_->node(),
                &requests.emplace_back());
  wait_all(requests);
}

void Exchange::list_copies(Side& side, const std::vector<std::vector<Item>>& items_by_partner,
                           bool sends) const {
  for (std::size_t i = 0; i < items_by_partner.size(); ++i) {
    Parcel& parcel = side.parcels[i];
    parcel.first_copy = parcel.last_copy = side.copies.size();
    if (parcel.in_place != nullptr) continue;
    std::byte* place =
        (parcel.shared && !sends ? node_->of(parcel.partner) : side.buffer.data()) + parcel.offset;
    for (const auto& [field, message] : items_by_partner[i]) {
      const ArrayReference packed = dense_reference(place, message->box, field->element_size);
      if (sends)
        side.copies.add(field->from, packed, message->box, message->shift, field->element_size);
      else
        side.copies.add(packed, field->to, message->box, {}, field->element_size);
      place += packed_bytes(message->box, field->element_size);
    }
    parcel.last_copy = side.copies.size();
  }
}

void Exchange::make_requests(MPI_Comm communicator, int tag) {
  for (const Parcel& parcel : received_.parcels) {
    const LargeMessage message(parcel.shared ? 0 : parcel.bytes);
    MPI_Recv_init(address(received_, parcel), message.count(), message.type(), parcel.partner, tag,
                  communicator, &received_.requests.emplace_back());
  }
  for (const Parcel& parcel : sent_.parcels) {
    const LargeMessage message(parcel.shared ? 0 : parcel.bytes);
    MPI_Send_init(address(sent_, parcel), message.count(), message.type(), parcel.partner, tag, communicator,
                  &sent_.requests.emplace_back());
  }
}

void Exchange::make_receipts(int tag) {
  for (const Parcel& parcel : sent_.parcels) {
    MPI_Request& request = receipts_awaited_.emplace_back(MPI_REQUEST_NULL);
    if (parcel.shared)
      MPI_Recv_init(nullptr, 0, MPI_BYTE, node_->node_rank(parcel.partner), tag, node_->node(), &request);
  }
  for (const Parcel& parcel : received_.parcels) {
    MPI_Request& request = receipts_given_.emplace_back(MPI_REQUEST_NULL);
    if (parcel.shared)
      MPI_Send_init(nullptr, 0, MPI_BYTE, node_->node_rank(parcel.partner), tag, node_->node(), &request);
  }
}

std::byte* Exchange::address(const Side& side, const Parcel& parcel) const {
  if (parcel.shared) return nullptr;  // its message is empty, and only tells that the data are there
  if (parcel.in_place != nullptr) return parcel.in_place;
  return (transport_.device_addresses ? side.buffer.data() : side.host.data()) + parcel.offset;
}

void Exchange::start(const ExecutionSpace& execution) {
  if (is_empty()) return;
  // A kernel may still write the points that will be sent, or read the points that were received the last
  // time.
  compat::fence(execution);
  start_all(received_.requests);
  // A partner on the same machine node may still read the points that were sent the last time.
  wait_all(receipts_awaited_);
  sent_.copies.run(execution, mode_);
  if (!transport_.device_addresses && sent_.buffer.size() > 0)
    Kokkos::deep_copy(execution, sent_.host, sent_.buffer);
  if (!runs_on_host) compat::fence(execution);
  if (node_) {
    node_->synchronise();
    for (MPI_Request& receipt : receipts_awaited_)
      if (receipt != MPI_REQUEST_NULL) MPI_Start(&receipt);
  }
  start_all(sent_.requests);
}

bool Exchange::is_empty() const {
  return sent_.parcels.empty() && received_.parcels.empty() && sent_.copies.empty();
}

void Exchange::finish(const ExecutionSpace& execution) {
  if (is_empty()) return;
  unpack(execution);
  wait_all(sent_.requests);
}

void Exchange::unpack(const ExecutionSpace& execution) {
  const int count = static_cast<int>(received_.requests.size());
  if (runs_on_host && transport_.device_addresses) {
    for (int i = 0; i < count; ++i) {
      int arrived = 0;
      MPI_Waitany(count, received_.requests.data(), &arrived, MPI_STATUS_IGNORE);
      unpack_parcel(execution, static_cast<std::size_t>(arrived));
    }
    return;
  }
  // One launch unpacks the messages of all partners.
  wait_all(received_.requests);
  if (!transport_.device_addresses && received_.buffer.size() > 0)
    Kokkos::deep_copy(execution, received_.buffer, received_.host);
  received_.copies.run(execution, mode_);
}

void Exchange::unpack_parcel(const ExecutionSpace& execution, std::size_t index) {
  const Parcel& parcel = received_.parcels[index];
  if (parcel.shared) node_->synchronise();
  received_.copies.run(execution, parcel.first_copy, parcel.last_copy, mode_);
  if (!parcel.shared) return;
  MPI_Wait(&receipts_given_[index], MPI_STATUS_IGNORE);
  MPI_Start(&receipts_given_[index]);
}

std::int64_t Exchange::buffer_bytes() const {
  return static_cast<std::int64_t>(sent_.buffer.size() + sent_.host.size() + received_.buffer.size() +
                                   received_.host.size());
}

namespace {

/// Returns whether MPI accepts memory of the kind `kind`, according to the info value that MPI 4.1 defines.
bool info_promises(std::string_view kind) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_get_info(MPI_COMM_SELF, &info);
  char value[MPI_MAX_INFO_VAL + 1] = {};
  int found = 0;
  MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  return found != 0 && std::string_view(value).find(kind) != std::string_view::npos;
}

/// Returns whether MPI accepts memory of devices, according to the extensions of MPICH and Open MPI.
bool extension_promises() {
#if defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_GPU_SUPPORT_HIP)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &supported) == MPI_SUCCESS && supported != 0;
#elif defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Returns whether MPI accepts memory of the devices of this build.
bool is_promised() {
#if defined(KOKKOS_ENABLE_CUDA)
  return info_promises("cuda") || extension_promises();
#elif defined(KOKKOS_ENABLE_HIP)
  return info_promises("rocm") || extension_promises();
#else
  return info_promises("device") || extension_promises();
#endif
}

}  // namespace

bool device_message_arrives(MPI_Comm communicator) {
  const int rank = rank_in(communicator), ranks = ranks_of(communicator);
  const Kokkos::View<int*, MemorySpace> sent("tessera: probe", 1), received("tessera: probe", 1);
  const ExecutionSpace execution;
  Kokkos::deep_copy(execution, sent, 1000 + rank);
  execution.fence();
  constexpr int tag = 0;
  const int before = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(sent.data(), 1, MPI_INT, (rank + 1) % ranks, tag, received.data(), 1, MPI_INT, before, tag,
               communicator, MPI_STATUS_IGNORE);
  const auto value = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), received);
  return value(0) == 1000 + before;
}

ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted) {
  if (runs_on_host) return {{}, "kernels run on the host"};
  if (wanted == GpuAware::on) return {{true}, "from device memory, as asked for"};
  if (wanted == GpuAware::off) return {{false}, "through pinned host memory, as asked for"};
  if (on_any_rank(communicator, !is_promised()))
    return {{false}, "through pinned host memory: MPI does not say that it takes device memory"};
  if (on_any_rank(communicator, !device_message_arrives(communicator)))
    return {{false}, "through pinned host memory: a value sent from device memory did not arrive"};
  return {{true}, "from device memory"};
}

}  // namespace tessera
