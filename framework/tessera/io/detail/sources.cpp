// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/mpi_objects.hpp"

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

void check_unchanged(const std::string& path, const ImageInfo& info, ElementType type, const Box& domain) {
  if (type != info.type || !(domain == info.domain))
    fail(path, "has changed its size or type while the program ran", "start again");
}

void CodecErrors::leave(const char* message) {
  std::snprintf(message_, sizeof(message_), "%s", message);
  std::longjmp(jump_, 1);
}

void CodecErrors::fail_as_damaged(const std::string& path, const char* kind) const {
  fail(path, fmt::format("damaged or truncated {} ({})", kind, message_));
}

void RankwiseSource::read(const HostBlock& block) {
  collectively(communicator_, [&] {
    check_block(block, info_.type, info_.domain);
    read_(path_, info_, block);
  });
}

/// Sends rows from rank 0, which reads a file from its beginning, to the ranks that need them. Rows are sent
/// in batches of about 1 MiB, while the next batch is read. All ranks know which rows each rank needs, and so
/// which part of each batch a rank gets.
class RowDelivery {
 public:
  /// `needed` are the rows that this rank needs, which may be none, and `row_bytes` is the number of bytes of
  /// a row. Collective.
  RowDelivery(MPI_Comm communicator, Range needed, std::int64_t row_bytes)
      : communicator_(communicator),
        rank_(rank_in(communicator)),
        row_bytes_(row_bytes),
        rows_per_batch_(std::max<std::int64_t>(1, delivered_at_once / row_bytes)),
        needed_(static_cast<std::size_t>(ranks_of(communicator))) {
    // Several threads may read files by themselves on MPI_COMM_SELF, so a single rank makes no collective
    // call.
    if (needed_.size() == 1)
      needed_.front() = needed;
    else
      MPI_Allgather(&needed, sizeof(Range), MPI_BYTE, needed_.data(), sizeof(Range), MPI_BYTE, communicator_);
    for (const Range& range : needed_) rows_ = hull(Box{rows_}, Box{range})[0];
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

  /// Returns whether this rank reads the file, and the others receive from it.
  bool is_reader() const { return rank_ == 0; }
  /// Returns the rows from the first one to the last one that any rank needs.
  Range rows() const { return rows_; }

  /// Sends row `y` to the ranks that need it. The reader must call this function for all rows of rows(), in
  /// order. The memory may be used again when the call returns.
  void send(const std::byte* samples, std::int64_t y) {
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

  /// Tells the other ranks that no more rows come. Their calls of `receive` then return.
  void give_up() {
    for (std::size_t rank = 1; rank < needed_.size(); ++rank)
      if (sent_ < needed_[rank].end)
        MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(rank), row_tag, communicator_);
    wait(0);
    wait(1);
  }

  /// Passes the rows that this rank needs to `take`. Returns early if the reader gives up.
  void receive(const RowSource::Take& take) {
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

  /// Waits until all ranks have called this function. Ranks that wait need no processor. Collective.
  void wait_for_all() {
    if (needed_.size() == 1) return;
    MPI_Request request;
    MPI_Ibarrier(communicator_, &request);
    wait_quietly(request, MPI_STATUS_IGNORE);
  }

 private:
  /// Returns the rows of the batch that has row `y`.
  Range batch_of(std::int64_t y) const {
    const std::int64_t begin = y - (y - rows_.begin) % rows_per_batch_;
    return {begin, std::min(begin + rows_per_batch_, rows_.end)};
  }

  /// Returns which of the two buffers of the reader a batch takes.
  std::size_t half_of(Range batch) const {
    return static_cast<std::size_t>((batch.begin - rows_.begin) / rows_per_batch_ % 2);
  }

  void send_batch(Range batch) {
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

  /// Waits until a buffer has been sent, so that it can be filled again.
  void wait(std::size_t half) {
    wait_all(requests_[half]);
    requests_[half].clear();
  }

  MPI_Comm communicator_;
  int rank_;
  std::int64_t row_bytes_;
  std::int64_t rows_per_batch_;
  /// The rows that each rank needs.
  std::vector<Range> needed_;
  Range rows_;
  /// The first row that has not been sent.
  std::int64_t sent_ = 0;
  /// Two batches on the reader: one is filled while the other is sent. One batch on other ranks.
  std::vector<std::byte> buffers_[2];
  std::vector<MPI_Request> requests_[2];
};

RowSource::RowSource(MPI_Comm communicator, std::string path, ImageInfo info, Open open)
    : communicator_(communicator),
      path_(std::move(path)),
      info_(std::move(info)),
      open_(std::move(open)),
      row_bytes_(bytes_of_row(info_.domain, info_.type)) {}

void RowSource::read(const HostBlock& block) {
  collectively(communicator_, [&] { check_block(block, info_.type, info_.domain); });
  RowDelivery delivery(communicator_, block.box.empty() ? Range() : block.box[1], row_bytes_);
  const auto take = [&](std::byte* samples, std::int64_t y) {
    if (!block.box.empty() && block.box[1].contains(y))
      take_points(row_of(samples, info_.type, info_.domain, y), block);
  };
  collectively(communicator_, [&] {
    try {
      if (!delivery.is_reader())
        delivery.receive(take);
      else
        decode(delivery, take);
    } catch (...) {
      if (delivery.is_reader()) delivery.give_up();
      reader_.reset();
      next_ = kept_ = 0;
      delivery.wait_for_all();
      throw;
    }
    delivery.wait_for_all();
  });
}

void RowSource::decode(RowDelivery& delivery, const Take& take) {
  if (next_ == 0 && reader_ == nullptr) begin_again();
  const Range rows = delivery.rows();
  if (rows.empty()) return;
  if (rows.begin < next_ - kept_) go_back_to(rows.begin);
  first_ = rows.begin;
  const auto deliver = [&](std::byte* samples, std::int64_t y) {
    take(samples, y);
    delivery.send(samples, y);
  };
  for (std::int64_t y = std::max(rows.begin, next_ - kept_); y < std::min(rows.end, next_); ++y)
    deliver(rows_.data() + y % overlap_ * row_bytes_, y);
  std::vector<std::byte> samples(static_cast<std::size_t>(row_bytes_));
  for (; next_ < rows.end; ++next_) {
    reader_->read_row(samples.data());
    if (next_ >= rows.begin) deliver(samples.data(), next_);
    if (overlap_ == 0) continue;
    std::memcpy(rows_.data() + next_ % overlap_ * row_bytes_, samples.data(), samples.size());
    kept_ = std::min(kept_ + 1, overlap_);
  }

  if (next_ < info_.domain[1].end || reader_ == nullptr) return;
  reader_->finish();
  reader_.reset();
}

void RowSource::go_back_to(std::int64_t row) {
  // If blocks follow each other along y, the rows in which they overlap are kept from now on. If blocks have
  // the same first row, they lie beside each other, and no rows are kept.
  if (row > first_) overlap_ = std::max(overlap_, next_ - row);
  if (row == first_) overlap_ = 0;
  rows_.resize(static_cast<std::size_t>(overlap_ * row_bytes_));
  begin_again();
}

void RowSource::begin_again() {
  reader_ = open_(path_);
  check_unchanged(path_, info_, reader_->type(), reader_->domain());
  next_ = 0;
  kept_ = 0;
}

}  // namespace tessera::io::detail
