// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/view/box_copies.hpp"

namespace tessera {
namespace {

constexpr int tag = 0;  // the communicator has no other messages

/// The number of pieces of messages that a buffer has room for, unless the elements are too large. One piece
/// is on its way while others are packed or unpacked.
constexpr std::int64_t pieces_in_flight = 4;
/// The largest size of a piece, in bytes. A piece of this size stays in the caches while it is packed, sent
/// and unpacked.
constexpr std::int64_t largest_piece = std::int64_t{1} << 20;

}  // namespace

Pieces::Pieces(const Box& box, std::int64_t most_points) : box_(box) {
  if (box.empty()) return;
  // `cut_` is the highest dimension whose slices of one index have at most `most_points` points. In this
  // dimension the box is cut into runs of slices, and in all higher dimensions into single slices.
  cut_ = box.dimensions - 1;
  std::int64_t slice = box.size() / box[cut_].size();
  while (cut_ > 0 && slice > most_points) slice /= box[--cut_].size();
  run_ = std::max<std::int64_t>(most_points / slice, 1);
  runs_ = (box[cut_].size() + run_ - 1) / run_;
  count_ = runs_;
  for (int d = cut_ + 1; d < box.dimensions; ++d) count_ *= box[d].size();
}

Box Pieces::operator[](std::int64_t index) const {
  // Pieces are numbered along dimension `cut_` first, and then along the higher dimensions.
  Box piece = box_;
  const std::int64_t begin = box_[cut_].begin + index % runs_ * run_;
  piece[cut_] = intersection(box_[cut_], {begin, begin + run_});
  index /= runs_;
  for (int d = cut_ + 1; d < box_.dimensions; ++d) {
    const std::int64_t at = box_[d].begin + index % box_[d].size();
    piece[d] = {at, at + 1};
    index /= box_[d].size();
  }
  return piece;
}

Redistribution::Redistribution(MPI_Comm communicator, const BlockDistribution& from,
                               const BlockDistribution& to, std::int64_t element_size,
                               std::int64_t buffer_bytes, const Transport& transport)
    : communicator_(communicator),
      from_(from.owned(communicator_.rank())),
      to_(to.owned(communicator_.rank())),
      element_size_(element_size),
      transport_(transport) {
  if (!(from.domain() == to.domain()))
    throw InternalError(
        fmt::format("a redistribution needs two arrays on the same points, not on {} and on {}",
                    to_string(from.domain()), to_string(to.domain())));
  // Messages are sent from one buffer and received in another. Where MPI cannot access the memory of devices,
  // each of the two has a copy in host memory.
  const std::int64_t buffers = transport.device_addresses ? 2 : 4;
  if (buffer_bytes < buffers * element_size)
    throw InternalError(
        fmt::format("{} bytes of buffers are too few for elements of {} bytes: allow at least {}",
                    buffer_bytes, element_size, buffers * element_size));
  RankSearch search(communicator_.size());
  ExchangeLists lists = transfer_lists(from, {}, communicator_.rank(), search,
                                       [&](int first, int last) { return to.owned_hull(first, last); });
  copies_ = std::move(lists.copies);
  make_stream(sent_, std::move(lists.sends), true, buffer_bytes / buffers);
  make_stream(received_, std::move(lists.receives), false, buffer_bytes / buffers);
  requests_.resize(sent_.slots + received_.slots, MPI_REQUEST_NULL);
  finished_.resize(requests_.size());
}

void Redistribution::make_stream(Stream& stream, std::vector<Message> messages, bool sends,
                                 std::int64_t most_bytes) {
  const int ranks = communicator_.size();
  // The number of ranks from the sender to the receiver. Rank 0 follows the last rank.
  const auto distance = [&](const Message& message) {
    const int steps = sends ? message.partner - communicator_.rank() : communicator_.rank() - message.partner;
    return (steps + ranks) % ranks;
  };
  std::stable_sort(messages.begin(), messages.end(),
                   [&](const Message& a, const Message& b) { return distance(a) < distance(b); });
  // Both ranks cut a message in the same way, because the size of a piece depends only on numbers that all
  // ranks know.
  const std::int64_t piece_bytes =
      std::clamp(most_bytes / pieces_in_flight, element_size_, std::max(largest_piece, element_size_));
  stream.most_points = piece_bytes / element_size_;
  stream.messages = std::move(messages);
  std::int64_t largest_bytes = 0;
  for (const Message& message : stream.messages) {
    const Pieces pieces(message.box, stream.most_points);
    stream.piece_count += pieces.size();
    // No piece of a message is larger than the first one.
    largest_bytes = std::max(largest_bytes, pieces[0].size() * element_size_);
  }
  if (stream.piece_count == 0) return;
  stream.slot_bytes = largest_bytes;
  stream.slots = static_cast<std::size_t>(std::min(stream.piece_count, most_bytes / largest_bytes));
  const std::size_t bytes = stream.slots * static_cast<std::size_t>(largest_bytes);
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

const Message* Redistribution::next_piece(Stream& stream, std::size_t index) {
  if (stream.message == stream.messages.size()) return nullptr;
  const Message& message = stream.messages[stream.message];
  const Pieces pieces(message.box, stream.most_points);
  stream.carried[index] = {message.partner, pieces[stream.piece]};
  if (++stream.piece == pieces.size()) {
    stream.piece = 0;
    ++stream.message;
  }
  return &stream.carried[index];
}

void Redistribution::send_next(const ExecutionSpace& execution, const ArrayReference& from,
                               std::size_t index) {
  const Message* piece = next_piece(sent_, index);
  if (piece == nullptr) return;
  std::byte* packed = slot(sent_, index);
  const std::int64_t bytes = piece->box.size() * element_size_;
  copy_points(execution, from, dense_reference(packed, piece->box, element_size_), piece->box, element_size_);
  if (!transport_.device_addresses)
    compat::copy_bytes(execution, mpi_slot(sent_, index), packed, static_cast<std::size_t>(bytes));
  if (!runs_on_host) execution.fence();
  MPI_Isend(mpi_slot(sent_, index), static_cast<int>(bytes), MPI_BYTE, piece->partner, tag,
            communicator_.handle(), &requests_[received_.slots + index]);
}

void Redistribution::receive_next(std::size_t index) {
  const Message* piece = next_piece(received_, index);
  if (piece == nullptr) return;
  MPI_Irecv(mpi_slot(received_, index), static_cast<int>(piece->box.size() * element_size_), MPI_BYTE,
            piece->partner, tag, communicator_.handle(), &requests_[index]);
}

void Redistribution::store(const ExecutionSpace& execution, const ArrayReference& to, std::size_t index) {
  const Box& box = received_.carried[index].box;
  std::byte* packed = slot(received_, index);
  if (!transport_.device_addresses)
    compat::copy_bytes(execution, packed, mpi_slot(received_, index),
                       static_cast<std::size_t>(box.size() * element_size_));
  copy_points(execution, dense_reference(packed, box, element_size_), to, box, element_size_);
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
  execution.fence();  // a kernel may still write points that will be sent
  for (Stream* stream : {&sent_, &received_}) stream->message = stream->piece = 0;
  for (std::size_t i = 0; i < received_.slots; ++i) receive_next(i);
  for (std::size_t i = 0; i < sent_.slots; ++i) send_next(execution, from, i);
  for (const Message& copy : copies_) copy_points(execution, from, to, copy.box, element_size_);
  for (;;) {
    int count = 0;
    MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                 MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) break;  // no request is active, so all pieces are sent and stored
    for (int i = 0; i < count; ++i)
      finished(execution, from, to, static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]));
  }
  execution.fence();
}

std::int64_t Redistribution::buffer_bytes() const {
  return static_cast<std::int64_t>(sent_.buffer.size() + sent_.host.size() + received_.buffer.size() +
                                   received_.host.size());
}

void Redistribution::check(const Box& from, const Box& to, std::int64_t element_size) const {
  if (!(from == from_) || !(to == to_) || element_size != element_size_)
    throw InternalError(fmt::format(
        "a redistribution moves elements of {} bytes from {} to {}, but was given views with elements of {} "
        "bytes on {} and on {}",
        element_size_, to_string(from_), to_string(to_), element_size, to_string(from), to_string(to)));
}

}  // namespace tessera
