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

/// The points of a row, in all channels.
std::int64_t row_points(const Box& domain) {
  return domain[0].size() * (domain.dimensions == 3 ? domain[2].size() : 1);
}

std::int64_t row_bytes(const Box& domain, ElementType type) {
  return row_points(domain) * static_cast<std::int64_t>(size_of(type));
}

}  // namespace

void check_rows(const std::string& path, const std::string& format, const Box& domain, ElementType type) {
  // A row is one message at most, whose bytes are counted by an int.
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (row_bytes(domain, type) > most || domain[1].size() > most)
    fail(path, fmt::format("{} is too large for {}", to_string(domain), format), "write HDF5 instead");
}

RowSink::RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type,
                 Begin begin)
    : communicator_(communicator),
      domain_(domain),
      type_(type),
      file_(communicator, path),
      begin_(std::move(begin)) {
  MPI_Comm_rank(communicator_, &rank_);
}

void RowSink::write(const HostBlock& block) {
  collectively(communicator_, [&] {
    if (written_) throw InternalError(fmt::format("{} was already written", file_.path()));
    check_block(block, type_, domain_);
  });
  check_cover(communicator_, block, domain_);
  written_ = true;

  const std::int64_t rows =
      std::clamp<std::int64_t>(band_bytes / row_bytes(domain_, type_), 1, domain_[1].size());
  Gatherer gatherer(communicator_, block, type_, rows * row_points(domain_));
  encode(gatherer, rows);
  file_.complete();
}

void RowSink::encode(Gatherer& gatherer, std::int64_t rows) {
  std::vector<std::byte> band;
  std::unique_ptr<RowWriter> writer;
  collectively(communicator_, [&] {
    if (rank_ != 0) return;
    band.resize(static_cast<std::size_t>(rows * row_bytes(domain_, type_)));
    writer = begin_(file_);
  });
  stream(gatherer, rows, band, [&](const HostBlock& whole_rows) {
    for (std::int64_t y = whole_rows.box[1].begin; y < whole_rows.box[1].end; ++y)
      writer->write_row(whole_rows, y);
  });
  collectively(communicator_, [&] {
    if (writer) writer->finish();
  });
}

/// Brings the array to rank 0 band by band, and calls `use` there. The other ranks cannot know that `use` has
/// failed, and keep sending, so rank 0 keeps receiving.
void RowSink::stream(Gatherer& gatherer, std::int64_t rows, std::vector<std::byte>& memory,
                     const std::function<void(const HostBlock&)>& use) const {
  std::exception_ptr failure;
  for (std::int64_t y = domain_[1].begin; y < domain_[1].end; y += rows) {
    Box box = domain_;
    box[1] = {y, std::min(y + rows, domain_[1].end)};
    const HostBlock band = packed_block(memory.data(), type_, box);
    gatherer.gather(band);
    if (rank_ != 0 || failure) continue;
    try {
      use(band);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  collectively(communicator_, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace tessera::io::detail
