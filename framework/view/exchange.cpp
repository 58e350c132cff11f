// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange.hpp"

#include <map>

#include "tessera/view/large_message.hpp"

namespace tessera {
namespace {

/// The first byte of a box in an array, and the bytes to its last, padding included.
std::byte* first_byte(const ArrayReference& array, const Box& box, std::int64_t element_size) {
  std::int64_t offset = 0;
  for (int d = 0; d < box.dimensions; ++d) offset += box[d].begin * array.strides[d];
  return array.origin + offset * element_size;
}

std::int64_t range_bytes(const ArrayReference& array, const Box& box, std::int64_t element_size) {
  std::int64_t elements = 1;
  for (int d = 0; d < box.dimensions; ++d) elements += (box[d].size() - 1) * array.strides[d];
  return elements * element_size;
}

void free_requests(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

Exchange::Exchange(MPI_Comm communicator, int tag, const std::vector<ExchangeField>& fields,
                   const Transport& transport)
    : transport_(transport) {
  make_side(sent_, fields, true);
  make_side(received_, fields, false);
  for (const ExchangeField& field : fields)
    for (const Message& copy : field.lists.copies)
      sent_.copies.add(field.from, field.to, copy.box, copy.shift, field.element_size);
  sent_.copies.commit();
  received_.copies.commit();
  for (const Parcel& parcel : received_.parcels) {
    const LargeMessage message(parcel.bytes);
    MPI_Recv_init(address(received_, parcel), message.count(), message.type(), parcel.partner, tag,
                  communicator, &received_.requests.emplace_back());
  }
  for (const Parcel& parcel : sent_.parcels) {
    const LargeMessage message(parcel.bytes);
    MPI_Send_init(address(sent_, parcel), message.count(), message.type(), parcel.partner, tag, communicator,
                  &sent_.requests.emplace_back());
  }
}

Exchange::~Exchange() {
  free_requests(sent_.requests);
  free_requests(received_.requests);
}

void Exchange::make_side(Side& side, const std::vector<ExchangeField>& fields, bool sends) {
  std::map<int, std::vector<Item>> by_partner;
  for (const ExchangeField& field : fields)
    for (const Message& message : sends ? field.lists.sends : field.lists.receives)
      by_partner[message.partner].push_back({&field, &message});
  std::vector<std::vector<Item>> items;
  for (auto& [partner, list] : by_partner) items.push_back(std::move(list));
  make_parcels(side, items, sends);
}

void Exchange::make_parcels(Side& side, const std::vector<std::vector<Item>>& items_by_partner,
                            bool sends) const {
  std::int64_t bytes = 0;
  for (const auto& items : items_by_partner) {
    Parcel& parcel = side.parcels.emplace_back();
    parcel.partner = items.front().message->partner;
    parcel.offset = bytes;
    const auto& [field, message] = items.front();
    if (items.size() == 1 && message->in_place && transport_.device_addresses) {
      const ArrayReference& array = sends ? field->from : field->to;
      const Box box = sends ? message->source() : message->box;
      parcel.in_place = first_byte(array, box, field->element_size);
      parcel.bytes = range_bytes(array, box, field->element_size);
      continue;
    }
    for (const Item& item : items) parcel.bytes += item.message->box.size() * item.field->element_size;
    bytes += (parcel.bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
  }
  side.buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"),
                       static_cast<std::size_t>(bytes));
  if (!transport_.device_addresses)
    side.host = HostBuffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"),
                           static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < items_by_partner.size(); ++i) {
    Parcel& parcel = side.parcels[i];
    parcel.first_copy = side.copies.size();
    std::byte* place = side.buffer.data() + parcel.offset;
    for (const auto& [field, message] : items_by_partner[i]) {
      if (parcel.in_place != nullptr) break;
      const ArrayReference packed = dense_layout(message->box, field->element_size).reference(place);
      if (sends)
        side.copies.add(field->from, packed, message->box, message->shift, field->element_size);
      else
        side.copies.add(packed, field->to, message->box, {}, field->element_size);
      place += message->box.size() * field->element_size;
    }
    parcel.last_copy = side.copies.size();
  }
}

std::byte* Exchange::address(const Side& side, const Parcel& parcel) const {
  if (parcel.in_place != nullptr) return parcel.in_place;
  return (transport_.device_addresses ? side.buffer.data() : side.host.data()) + parcel.offset;
}

void Exchange::start(const ExecutionSpace& execution) {
  // A kernel may still write what is sent, or read what was received the last time.
  execution.fence();
  MPI_Startall(static_cast<int>(received_.requests.size()), received_.requests.data());
  sent_.copies.run(execution);
  if (!transport_.device_addresses && sent_.buffer.size() > 0)
    Kokkos::deep_copy(execution, sent_.host, sent_.buffer);
  if (!runs_on_host) execution.fence();
  MPI_Startall(static_cast<int>(sent_.requests.size()), sent_.requests.data());
}

void Exchange::finish(const ExecutionSpace& execution) {
  unpack(execution);
  MPI_Waitall(static_cast<int>(sent_.requests.size()), sent_.requests.data(), MPI_STATUSES_IGNORE);
}

void Exchange::unpack(const ExecutionSpace& execution) {
  const int count = static_cast<int>(received_.requests.size());
  if (runs_on_host) {
    for (int i = 0; i < count; ++i) {
      int arrived = 0;
      MPI_Waitany(count, received_.requests.data(), &arrived, MPI_STATUS_IGNORE);
      const Parcel& parcel = received_.parcels[static_cast<std::size_t>(arrived)];
      received_.copies.run(execution, parcel.first_copy, parcel.last_copy);
    }
    return;
  }
  // One launch for all partners.
  MPI_Waitall(count, received_.requests.data(), MPI_STATUSES_IGNORE);
  if (!transport_.device_addresses && received_.buffer.size() > 0)
    Kokkos::deep_copy(execution, received_.buffer, received_.host);
  received_.copies.run(execution);
}

std::int64_t Exchange::buffer_bytes() const {
  return static_cast<std::int64_t>(sent_.buffer.size() + sent_.host.size() + received_.buffer.size() +
                                   received_.host.size());
}

}  // namespace tessera
