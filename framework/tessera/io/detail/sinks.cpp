// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::int64_t band_bytes = std::int64_t{8} << 20;

class PlainWriter final : public BlockWriter {
 public:
  /// Rank 0 calls `make`.
  PlainWriter(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type,
              const MakeRoom& make, const BegunFile& begun)
      : communicator_(communicator), domain_(domain), type_(type), file_(communicator, path, begun.process) {
    on_rank_0(communicator, [&] {
      place_ = make(file_);
      written_ = begun.points;
      // On NFS, ranks of several machine nodes may write side by side only within the size of the file.
      const std::int64_t end = place_ + domain.size() * static_cast<std::int64_t>(size_of(type));
      if (file_bytes(file_.temporary_path()) < end) set_size(file_, end);
    });
    place_ = from_rank_0(communicator, place_);
    collectively(communicator, [&] { writer_.emplace(file_); });
  }

  void write(const HostBlock& block) override {
    check_block(block, type_, domain_);
    write_points(*writer_, place_, domain_, block);
    written_ += block.box.size();
  }

  void complete() override {
    const std::int64_t points = sum_over_ranks(communicator_, written_.load());
    if (points != domain_.size())
      throw AgreedInternalError(fmt::format("{}: blocks of {} points were written, but {} has {}",
                                            file_.path(), points, to_string(domain_), domain_.size()));
    collectively(communicator_, [&] { writer_->close(); });
    file_.complete();
  }

 private:
  MPI_Comm communicator_;
  Box domain_;
  ElementType type_;
  UnfinishedFile file_;
  std::optional<FileWriter> writer_;
  std::int64_t place_ = 0;
  std::atomic<std::int64_t> written_{0};
};

}  // namespace

void write_points(const FileWriter& file, std::int64_t place, const Box& domain, const HostBlock& block) {
  const auto size = static_cast<std::int64_t>(size_of(block.type));
  for_each_run(block, domain, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
    file.write(memory, points * size, place + first * size);
  });
}

bool Parts::is_next(const Box& part) const {
  if (part.dimensions != domain_.dimensions || part.empty()) return false;
  Box all = domain_;
  std::int64_t written = written_;
  for (int slowest = domain_.dimensions - 1;; --slowest) {
    for (int cut = 0; cut < part.dimensions; ++cut) {
      Box layers = all;
      layers[cut] = part[cut];
      const std::int64_t before = all.size() / all[cut].size() * (part[cut].begin - all[cut].begin);
      if (layers == part && before == written && part[cut].end <= all[cut].end) return true;
    }
    if (slowest == 0) return false;
    // Else it may be one of the parts of the present layer.
    const std::int64_t points = all.size() / all[slowest].size(),
                       layer = all[slowest].begin + written / points;
    all[slowest] = {layer, layer + 1};
    written %= points;
  }
}

void Parts::take(const HostBlock& block, const Box& part) {
  const std::int64_t points = sum_over_ranks(communicator_, block.box.size());
  collectively(communicator_, [&] {
    if (complete()) throw InternalError(fmt::format("{} was already written", path_));
    if (!is_next(part))
      throw InternalError(
          fmt::format("{}: {} is not the next part of {}", path_, to_string(part), to_string(domain_)));
    check_block(block, type_, part);
    if (points != part.size())
      throw InternalError(fmt::format("the ranks' blocks have {} points together, but {} has {}", points,
                                      to_string(part), part.size()));
  });
  written_ += part.size();
}

Gatherer::Gatherer(MPI_Comm communicator, const HostBlock& block, ElementType type, std::int64_t most_points)
    : communicator_(communicator), rank_(rank_in(communicator)), block_(block), type_(type) {
  const int ranks = ranks_of(communicator_);
  collectively(communicator_, [&] {
    const std::int64_t points = rank_ == 0 ? most_points : std::min(most_points, block_.box.size());
    buffer_.resize(static_cast<std::size_t>(points) * size_of(type_));
    if (rank_ == 0) boxes_.resize(static_cast<std::size_t>(ranks));
  });
  if (ranks == 1) {
    boxes_.front() = block_.box;
    return;
  }
  MPI_Gather(&block_.box, sizeof(Box), MPI_BYTE, boxes_.data(), sizeof(Box), MPI_BYTE, 0, communicator_);
}

void Gatherer::gather(const HostBlock& target) {
  constexpr int tag = 0;
  const auto bytes = [&](const Box& part) {
    return static_cast<int>(part.size() * static_cast<std::int64_t>(size_of(type_)));
  };
  const Box mine = intersection(block_.box, target.box);
  if (rank_ == 0) {
    copy_part(block_, target, mine);
    for (int rank = 1; rank < static_cast<int>(boxes_.size()); ++rank) {
      const Box part = intersection(boxes_[static_cast<std::size_t>(rank)], target.box);
      if (part.empty()) continue;
      MPI_Recv(buffer_.data(), bytes(part), MPI_BYTE, rank, tag, communicator_, MPI_STATUS_IGNORE);
      copy_part(packed_block(buffer_.data(), type_, part), target, part);
    }
  } else if (!mine.empty()) {
    copy_part(block_, packed_block(buffer_.data(), type_, mine), mine);
    // A synchronous send ends when rank 0 receives it. Otherwise, small messages of ranks that are faster
    // than rank 0 would accumulate in the memory of rank 0.
    MPI_Ssend(buffer_.data(), bytes(mine), MPI_BYTE, 0, tag, communicator_);
  }
}

RowSink::RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type,
                 Begin begin)
    : parts_(communicator, path, domain, type), file_(communicator, path), begin_(std::move(begin)) {}

void RowSink::write_part(const HostBlock& block, const Box& part) {
  Box rows_of_part = parts_.domain();
  rows_of_part[1] = part[1];
  if (!(part == rows_of_part))
    throw InternalError(fmt::format("{}: a part without whole rows", file_.path()));
  const bool is_first = parts_.none();
  parts_.take(block, part);
  if (is_first) on_rank_0(parts_.communicator(), [&] { writer_ = begin_(file_); });
  if (ranks_of(parts_.communicator()) == 1)
    collectively(parts_.communicator(), [&] { writer_->write_rows(block); });
  else
    gather_and_write(block, part);
  if (!parts_.complete()) return;
  on_rank_0(parts_.communicator(), [&] {
    writer_->finish();
    writer_.reset();
  });
  file_.complete();
}

/// Sends `part` to rank 0 band by band, where it is written to the file. If rank 0 fails to write a band, the
/// other ranks do not know this, and keep sending. Rank 0 therefore keeps receiving until the end of `part`.
void RowSink::gather_and_write(const HostBlock& block, const Box& part) {
  const std::int64_t row_bytes = bytes_of_row(parts_.domain(), parts_.type());
  const std::int64_t rows = std::clamp<std::int64_t>(band_bytes / row_bytes, 1, part[1].size());
  std::vector<std::byte> memory;
  on_rank_0(parts_.communicator(), [&] { memory.resize(static_cast<std::size_t>(rows * row_bytes)); });
  Gatherer gatherer(parts_.communicator(), block, parts_.type(),
                    rows * row_bytes / static_cast<std::int64_t>(size_of(parts_.type())));
  std::exception_ptr failure;
  for (std::int64_t y = part[1].begin; y < part[1].end; y += rows) {
    Box box = part;
    box[1] = {y, std::min(y + rows, part[1].end)};
    const HostBlock band = packed_block(memory.data(), parts_.type(), box);
    gatherer.gather(band);
    if (!writer_ || failure) continue;
    try {
      writer_->write_rows(band);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  collectively(parts_.communicator(), [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

std::unique_ptr<BlockWriter> create_plain_blocks(MPI_Comm communicator, const std::string& path,
                                                 const Box& domain, ElementType type, const MakeRoom& make,
                                                 const BegunFile& begun) {
  if (domain.empty()) throw InternalError(fmt::format("{}: nothing to write", path));
  return std::make_unique<PlainWriter>(communicator, path, domain, type, make, begun);
}

}  // namespace tessera::io::detail
