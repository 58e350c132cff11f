// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/row_sink.hpp"

namespace tessera::io::detail {

/// Encodes an array of uint8 as an RLE pattern file. Cells that are not 0 are alive. Dead cells at the ends
/// of rows are left out, and so are dead rows at the end of the pattern.
class RleWriter final : public RowWriter {
 public:
  /// Opens the file at the temporary path of `output`, and replaces its content.
  RleWriter(const UnfinishedFile& output, const Box& domain);

  void write_rows(const HostBlock& rows) override;
  void finish() override;

 private:
  void write_row(const HostBlock& rows, std::int64_t y);
  void put(std::int64_t count, char tag);
  void write_line();

  std::string path_;
  File file_;
  std::string line_;
  /// The number of rows that have ended since the last live cell.
  std::int64_t ended_rows_ = 0;
};

}  // namespace tessera::io::detail
