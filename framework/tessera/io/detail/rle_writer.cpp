// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/rle_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "tessera/io/detail/blocks.hpp"

namespace tessera::io::detail {
namespace {

/// The largest number of characters in a line of an RLE pattern file.
constexpr std::size_t longest_line = 70;

}  // namespace

RleWriter::RleWriter(const UnfinishedFile& output, const Box& domain)
    : path_(output.path()), file_(std::fopen(output.temporary_path().c_str(), "wb")) {
  if (!file_) fail_to_write(path_, error_text(errno));
  line_ = fmt::format("x = {}, y = {}, rule = B3/S23", domain[0].size(), domain[1].size());
  write_line();
}

void RleWriter::write_rows(const HostBlock& rows) {
  for (std::int64_t y = rows.box[1].begin; y < rows.box[1].end; ++y) write_row(rows, y);
}

void RleWriter::write_row(const HostBlock& rows, std::int64_t y) {
  Box row = rows.box;
  row[1] = {y, y + 1};
  const auto is_alive = [](std::byte cell) { return cell != std::byte{0}; };
  const std::byte* cell = address_of(rows, row);
  const std::byte* const end = cell + row[0].size();
  for (const std::byte* live = std::find_if(cell, end, is_alive); live != end;
       live = std::find_if(cell, end, is_alive)) {
    put(ended_rows_, '$');
    ended_rows_ = 0;
    put(live - cell, 'b');
    cell = std::find_if_not(live, end, is_alive);
    put(cell - live, 'o');
  }
  ++ended_rows_;
}

void RleWriter::put(std::int64_t count, char tag) {
  if (count == 0) return;
  const std::string item = count == 1 ? std::string(1, tag) : fmt::format("{}{}", count, tag);
  if (line_.size() + item.size() > longest_line) write_line();
  line_ += item;
}

void RleWriter::write_line() {
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), file_.get()) != line_.size())
    fail_to_write(path_, error_text(errno));
  line_.clear();
}

void RleWriter::finish() {
  put(1, '!');
  write_line();
  if (std::fclose(file_.release()) != 0) fail_to_write(path_, error_text(errno));
}

}  // namespace tessera::io::detail
