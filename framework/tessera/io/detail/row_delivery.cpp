// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/row_delivery.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "tessera/view/collectively.hpp"
#include "tessera/view/large_message.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::int64_t delivered_at_once = std::int64_t{1} << 20;
constexpr int row_tag = 0;

/// Waits until `request` is complete, and leaves the processor to others meanwhile, such as the rank that
/// decodes. MPI itself would wait by asking again and again.
void wait_quietly(MPI_Request& request, MPI_Status* status) {
  for (int done = 0;;) {
    MPI_Test(&request, &done, status);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace

RowDelivery::RowDelivery(MPI_Comm communicator, Range needed, std::int64_t row_bytes)
    : communicator_(communicator),
      row_bytes_(row_bytes),
      rows_per_batch_(std::max<std::int64_t>(1, delivered_at_once / row_bytes)),
      needed_(static_cast<std::size_t>(ranks_of(communicator))) {
  // Several threads may read files by themselves on MPI_COMM_SELF, so a single rank makes no collective call.
  if (needed_.size() == 1) {
    needed_.front() = needed;
  } else {
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Allgather(&needed, sizeof(Range), MPI_BYTE, needed_.data(), sizeof(Range), MPI_BYTE, communicator_);
  }
  for (const Range& range : needed_) {
    if (range.empty()) continue;
    rows_ = rows_.empty() ? range : Range{std::min(rows_.begin, range.begin), std::max(rows_.end, range.end)};
  }
  sent_ = rows_.begin;
  rows_per_batch_ = std::min(rows_per_batch_, std::max<std::int64_t>(1, rows_.size()));
  // No rank may fail while others wait for it, so that all memory is allocated here.
  collectively(communicator_, [&] {
    if (needed_.size() == 1) return;
    const auto bytes = static_cast<std::size_t>(rows_per_batch_ * row_bytes_);
    if (rank_ == 0)
      for (std::vector<std::byte>& buffer : buffers_) buffer.resize(bytes);
    else if (!needed.empty())
      buffers_[0].resize(bytes);
    for (std::vector<MPI_Request>& requests : requests_) requests.reserve(needed_.size());
  });
}

Range RowDelivery::batch_of(std::int64_t y) const {
  const std::int64_t begin = y - (y - rows_.begin) % rows_per_batch_;
  return {begin, std::min(begin + rows_per_batch_, rows_.end)};
}

std::size_t RowDelivery::half_of(Range batch) const {
  return static_cast<std::size_t>((batch.begin - rows_.begin) / rows_per_batch_ % 2);
}

void RowDelivery::wait(std::size_t half) {
  MPI_Waitall(static_cast<int>(requests_[half].size()), requests_[half].data(), MPI_STATUSES_IGNORE);
  requests_[half].clear();
}

void RowDelivery::send(const std::byte* samples, std::int64_t y) {
  if (needed_.size() == 1) return;
  const Range batch = batch_of(y);
  if (y == batch.begin) wait(half_of(batch));
  std::memcpy(buffers_[half_of(batch)].data() + (y - batch.begin) * row_bytes_, samples,
              static_cast<std::size_t>(row_bytes_));
  if (y + 1 == batch.end) send_batch(batch);
  if (y + 1 < rows_.end) return;
  wait(0);
  wait(1);
}

void RowDelivery::send_batch(Range batch) {
  const std::byte* samples = buffers_[half_of(batch)].data();
  for (std::size_t rank = 1; rank < needed_.size(); ++rank) {
    const Range part = intersection(batch, needed_[rank]);
    if (part.empty()) continue;
    const LargeMessage message(part.size() * row_bytes_);
    MPI_Isend(samples + (part.begin - batch.begin) * row_bytes_, message.count(), message.type(),
              static_cast<int>(rank), row_tag, communicator_, &requests_[half_of(batch)].emplace_back());
  }
  sent_ = batch.end;
}

void RowDelivery::give_up() {
  for (std::size_t rank = 1; rank < needed_.size(); ++rank)
    if (sent_ < needed_[rank].end)
      MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(rank), row_tag, communicator_);
  wait(0);
  wait(1);
}

void RowDelivery::wait_for_all() {
  if (needed_.size() == 1) return;
  MPI_Request request;
  MPI_Ibarrier(communicator_, &request);
  wait_quietly(request, MPI_STATUS_IGNORE);
}

void RowDelivery::receive(const Take& take) {
  const Range mine = needed_[static_cast<std::size_t>(rank_)];
  for (std::int64_t y = mine.begin; y < mine.end;) {
    const Range batch = batch_of(y);
    const Range part = intersection(batch, mine);
    std::byte* samples = buffers_[0].data();
    const LargeMessage message(part.size() * row_bytes_);
    MPI_Status status;
    MPI_Request request;
    MPI_Irecv(samples, message.count(), message.type(), 0, row_tag, communicator_, &request);
    wait_quietly(request, &status);
    int received = 0;
    MPI_Get_elements(&status, message.type(), &received);
    if (received == 0) return;
    for (; y < part.end; ++y, samples += row_bytes_) take(samples, y);
  }
}

}  // namespace tessera::io::detail
