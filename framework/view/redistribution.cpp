// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/view/copy.hpp"

namespace tessera {
namespace {

constexpr int tag = 0;  // the communicator is our own

/// In flight at once when messages are cut: one travels while others are packed or unpacked.
constexpr std::int64_t pieces_in_flight = 4;
/// A piece that stays in the caches between packing, sending and unpacking.
constexpr std::int64_t largest_piece = std::int64_t{1} << 20;

}  // namespace

std::vector<Box> cut_into_pieces(const Box& box, std::int64_t most_points) {
  // The highest dimension of which one slice fits is cut into runs of slices; those above it into slices.
  int cut = box.dimensions - 1;
  std::int64_t slice = box.size() / std::max<std::int64_t>(box[cut].size(), 1);
  while (cut > 0 && slice > most_points) slice /= box[--cut].size();
  const std::int64_t run = std::max<std::int64_t>(most_points / std::max<std::int64_t>(slice, 1), 1);
  std::vector<Box> pieces;
  if (box.empty()) return pieces;
  Box piece = box;
  for (int d = cut; d < box.dimensions; ++d) piece[d].end = piece[d].begin + (d == cut ? run : 1);
  for (int d = 0; d < box.dimensions;) {
    pieces.push_back(intersection(piece, box));
    for (d = cut; d < box.dimensions; ++d) {
      const std::int64_t step = d == cut ? run : 1;
      piece[d] = {piece[d].begin + step, piece[d].end + step};
      if (piece[d].begin < box[d].end) break;
      piece[d] = {box[d].begin, box[d].begin + step};
    }
  }
  return pieces;
}

Redistribution::Redistribution(MPI_Comm communicator, const BlockDistribution& from,
                               const BlockDistribution& to, std::int64_t element_size,
                               std::int64_t buffer_bytes, const Transport& transport)
    : communicator_(communicator), element_size_(element_size), transport_(transport) {
  if (!(from.domain() == to.domain()))
    throw InternalError(fmt::format("a redistribution from an array on {} to one on {}",
                                    to_string(from.domain()), to_string(to.domain())));
  if (buffer_bytes < 2 * element_size)
    throw InternalError(
        fmt::format("{} bytes of buffers are too few for elements of {} bytes: allow at least {}",
                    buffer_bytes, element_size, 2 * element_size));
  ExchangeLists lists = transfer_lists(from, {}, communicator_.rank(), communicator_.size(),
                                       [&](int first, int last) { return to.owned_hull(first, last); });
  copies_ = std::move(lists.copies);
  const std::int64_t copies_of_buffers = transport_.device_addresses ? 1 : 2;
  make_stream(sent_, std::move(lists.sends), true, buffer_bytes / 2 / copies_of_buffers);
  make_stream(received_, std::move(lists.receives), false, buffer_bytes / 2 / copies_of_buffers);
  requests_.resize(sent_.slots + received_.slots, MPI_REQUEST_NULL);
  finished_.resize(requests_.size());
}

void Redistribution::make_stream(Stream& stream, std::vector<Message> messages, bool sends,
                                 std::int64_t most_bytes) {
  const int ranks = communicator_.size();
  const auto distance = [&](const Message& message) {
    const int steps = sends ? message.partner - communicator_.rank() : communicator_.rank() - message.partner;
    return (steps + ranks) % ranks;
  };
  std::stable_sort(messages.begin(), messages.end(),
                   [&](const Message& a, const Message& b) { return distance(a) < distance(b); });
  // Both ranks cut a message alike: the size of a piece depends on what all ranks know alone.
  const std::int64_t piece_bytes =
      std::clamp(most_bytes / pieces_in_flight, element_size_, std::max(largest_piece, element_size_));
  std::int64_t largest = 0;
  for (const Message& message : messages)
    for (const Box& box : cut_into_pieces(message.box, piece_bytes / element_size_)) {
      stream.pieces.push_back({message.partner, box});
      largest = std::max(largest, box.size() * element_size_);
    }
  if (stream.pieces.empty()) return;
  stream.slot_bytes = largest;
  stream.slots = std::min(stream.pieces.size(), static_cast<std::size_t>(most_bytes / largest));
  const std::size_t bytes = stream.slots * static_cast<std::size_t>(largest);
  stream.buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"), bytes);
  if (!transport_.device_addresses)
    stream.host = HostBuffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"), bytes);
  stream.carried.resize(stream.slots);
}

std::byte* Redistribution::slot(const Stream& stream, std::size_t index) const {
  return stream.buffer.data() + static_cast<std::int64_t>(index) * stream.slot_bytes;
}

std::byte* Redistribution::mpi_slot(const Stream& stream, std::size_t index) const {
  if (transport_.device_addresses) return slot(stream, index);
  return stream.host.data() + static_cast<std::int64_t>(index) * stream.slot_bytes;
}

void Redistribution::send_next(const ExecutionSpace& execution, const ArrayReference& from,
                               std::size_t index) {
  if (sent_.next == sent_.pieces.size()) return;
  const Message& piece = sent_.pieces[sent_.carried[index] = sent_.next++];
  std::byte* place = slot(sent_, index);
  copy_points(execution, from, dense_layout(piece.box, element_size_).reference(place), piece.box,
              element_size_);
  const std::int64_t bytes = piece.box.size() * element_size_;
  if (!transport_.device_addresses)
    compat::copy_bytes(execution, mpi_slot(sent_, index), place, static_cast<std::size_t>(bytes));
  if (!runs_on_host) execution.fence();
  MPI_Isend(mpi_slot(sent_, index), static_cast<int>(bytes), MPI_BYTE, piece.partner, tag,
            communicator_.handle(), &requests_[received_.slots + index]);
}

void Redistribution::receive_next(std::size_t index) {
  if (received_.next == received_.pieces.size()) return;
  const Message& piece = received_.pieces[received_.carried[index] = received_.next++];
  MPI_Irecv(mpi_slot(received_, index), static_cast<int>(piece.box.size() * element_size_), MPI_BYTE,
            piece.partner, tag, communicator_.handle(), &requests_[index]);
}

void Redistribution::store(const ExecutionSpace& execution, const ArrayReference& to, std::size_t index) {
  const Message& piece = received_.pieces[received_.carried[index]];
  std::byte* place = slot(received_, index);
  const std::int64_t bytes = piece.box.size() * element_size_;
  if (!transport_.device_addresses)
    compat::copy_bytes(execution, place, mpi_slot(received_, index), static_cast<std::size_t>(bytes));
  copy_points(execution, dense_layout(piece.box, element_size_).reference(place), to, piece.box,
              element_size_);
  if (!runs_on_host) execution.fence();
}

void Redistribution::finished(const ExecutionSpace& execution, const ArrayReference& from,
                              const ArrayReference& to, std::size_t request) {
  if (request >= received_.slots) return send_next(execution, from, request - received_.slots);
  store(execution, to, request);
  receive_next(request);
}

void Redistribution::run(const ExecutionSpace& execution, const ArrayReference& from,
                         const ArrayReference& to) {
  execution.fence();  // a kernel may still write what is sent
  sent_.next = received_.next = 0;
  for (std::size_t i = 0; i < received_.slots; ++i) receive_next(i);
  for (std::size_t i = 0; i < sent_.slots; ++i) send_next(execution, from, i);
  for (const Message& copy : copies_) copy_points(execution, from, to, copy.box, element_size_);
  for (;;) {
    int count = 0;
    MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                 MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) break;  // no request is active: all is sent and stored
    for (int i = 0; i < count; ++i)
      finished(execution, from, to, static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]));
  }
  execution.fence();
}

std::int64_t Redistribution::buffer_bytes() const {
  return static_cast<std::int64_t>(sent_.buffer.size() + sent_.host.size() + received_.buffer.size() +
                                   received_.host.size());
}

}  // namespace tessera
