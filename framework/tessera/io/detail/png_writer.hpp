// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_calls.hpp"

namespace tessera::io::detail {

/// Encodes one PNG file, from its first row to its last one, on one rank. Several threads filter and compress
/// strips of rows; the bytes of the file do not depend on their number. Every function throws InputError when
/// writing fails.
class PngWriter {
 public:
  /// A function that writes the samples of a row, with all channels of a pixel together, in the byte order of
  /// this machine. The number of the row is counted from the first of the rows that are written together.
  using MakeRow = std::function<void(std::int64_t row, std::byte* samples)>;

  /// Opens the file at the temporary path of `output`, and replaces its content. `threads` is the number of
  /// threads that encode it.
  PngWriter(const UnfinishedFile& output, const PngLayout& layout, int threads);

  /// Writes the next `count` rows. Several threads call `make` at the same time.
  void write_rows(std::int64_t count, const MakeRow& make);
  /// Completes and closes the file.
  void finish();

 private:
  std::uint8_t* row_at(std::int64_t row);
  std::uint8_t* filtered_at(std::int64_t row);
  void make_rows(std::int64_t count, const MakeRow& make);
  void encode();
  std::span<const std::uint8_t> filtered_strip(std::int64_t strip);
  std::vector<char> groups_with_repetitions();
  std::vector<std::uint8_t> compressed_strip(std::int64_t strip, bool searches);
  void keep_end();
  std::int64_t end_of_strip(std::int64_t strip) const;
  void write(std::span<const std::uint8_t> bytes);

  std::string path_;
  File file_;
  PngLayout layout_;
  int threads_;
  int pixel_bytes_;
  std::int64_t row_bytes_;
  std::int64_t strip_rows_;
  /// The number of rows that are encoded together.
  std::int64_t batch_rows_;
  /// The number of rows that have been encoded.
  std::int64_t encoded_ = 0;
  /// The number of rows that have been made and not been encoded.
  std::int64_t made_ = 0;
  /// The row before the batch, and the rows of the batch. Each of them follows some zeros.
  std::vector<std::uint8_t> rows_;
  /// The last filtered bytes before the batch, and the filtered rows of the batch.
  std::vector<std::uint8_t> filtered_;
  /// The number of filtered bytes before the batch.
  std::int64_t before_ = 0;
  /// The checksum of all filtered bytes that have been encoded.
  std::uint32_t checksum_;
};

}  // namespace tessera::io::detail
