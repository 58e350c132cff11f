// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/row_source.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

std::int64_t bytes_of_row(const ImageInfo& info) {
  const Box& domain = info.domain;
  const std::int64_t channels = domain.dimensions == 3 ? domain[2].size() : 1;
  return domain[0].size() * channels * static_cast<std::int64_t>(size_of(info.type));
}

}  // namespace

RowSource::RowSource(MPI_Comm communicator, std::string path, ImageInfo info, Open open)
    : communicator_(communicator),
      path_(std::move(path)),
      info_(std::move(info)),
      open_(std::move(open)),
      row_bytes_(bytes_of_row(info_)) {}

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
        decode_or_give_up(delivery, take);
    } catch (...) {
      delivery.wait_for_all();
      throw;
    }
    delivery.wait_for_all();
  });
}

void RowSource::decode_or_give_up(RowDelivery& delivery, const RowDelivery::Take& take) {
  try {
    if (next_ == 0 && reader_ == nullptr) begin_again();
    decode(delivery, take);
  } catch (...) {
    delivery.give_up();
    reader_.reset();
    next_ = kept_ = 0;
    throw;
  }
}

void RowSource::decode(RowDelivery& delivery, const RowDelivery::Take& take) {
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
