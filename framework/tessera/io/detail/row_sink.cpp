// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/row_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::int64_t band_bytes = std::int64_t{8} << 20;

/// Returns the number of points of a row, in all channels.
std::int64_t row_points(const Box& domain) {
  return domain[0].size() * (domain.dimensions == 3 ? domain[2].size() : 1);
}

std::int64_t row_bytes(const Box& domain, ElementType type) {
  return row_points(domain) * static_cast<std::int64_t>(size_of(type));
}

}  // namespace

void check_rows(const std::string& path, const std::string& format, const Box& domain, ElementType type) {
  // A row may be sent as one message, and MPI counts the bytes of a message with an int.
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (row_bytes(domain, type) > most || domain[1].size() > most)
    fail(path, fmt::format("{} is too large for {}", to_string(domain), format), "write HDF5 instead");
}

RowSink::RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type,
                 Begin begin)
    : communicator_(communicator),
      domain_(domain),
      type_(type),
      parts_(communicator, path, domain),
      file_(communicator, path),
      begin_(std::move(begin)) {
  MPI_Comm_rank(communicator_, &rank_);
}

void RowSink::write_part(const HostBlock& block, const Box& part) {
  Box rows_of_part = domain_;
  rows_of_part[1] = part[1];
  if (!(part == rows_of_part))
    throw InternalError(fmt::format("{}: a part without whole rows", file_.path()));
  const bool is_first = parts_.none();
  parts_.take(block, part, type_);
  if (is_first) begin();
  if (ranks_of(communicator_) == 1)
    collectively(communicator_, [&] { writer_->write_rows(block); });
  else
    gather_and_write(block, part);
  if (!parts_.complete()) return;
  collectively(communicator_, [&] {
    if (writer_) writer_->finish();
    writer_.reset();
  });
  file_.complete();
}

void RowSink::begin() {
  collectively(communicator_, [&] {
    if (rank_ == 0) writer_ = begin_(file_);
  });
}

void RowSink::gather_and_write(const HostBlock& block, const Box& part) {
  const std::int64_t rows =
      std::clamp<std::int64_t>(band_bytes / row_bytes(domain_, type_), 1, part[1].size());
  std::vector<std::byte> memory;
  collectively(communicator_, [&] {
    if (rank_ == 0) memory.resize(static_cast<std::size_t>(rows * row_bytes(domain_, type_)));
  });
  Gatherer gatherer(communicator_, block, type_, rows * row_points(domain_));
  stream(gatherer, part, rows, memory);
}

/// Sends `part` to rank 0 band by band, where it is written to the file. If rank 0 fails to write a band, the
/// other ranks do not know this, and keep sending. Rank 0 therefore keeps receiving until the end of `part`.
void RowSink::stream(Gatherer& gatherer, const Box& part, std::int64_t rows,
                     std::vector<std::byte>& memory) const {
  std::exception_ptr failure;
  for (std::int64_t y = part[1].begin; y < part[1].end; y += rows) {
    Box box = part;
    box[1] = {y, std::min(y + rows, part[1].end)};
    const HostBlock band = packed_block(memory.data(), type_, box);
    gatherer.gather(band);
    if (rank_ != 0 || failure) continue;
    try {
      writer_->write_rows(band);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  collectively(communicator_, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace tessera::io::detail
