// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Decodes a file that can only be read from its beginning, row by row. Every function throws InputError when
/// the file is damaged.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Of the image, (x, y) or (x, y, channel).
  virtual ElementType type() const = 0;
  virtual Box domain() const = 0;
  /// The next row: the channels of a point together, in the byte order of this machine.
  virtual void read_row(std::byte* samples) = 0;
  /// After the last row: decodes the rest of the file.
  virtual void finish() = 0;
};

/// A file that each rank decodes by itself, from its beginning to the last row of its block, or to its end if
/// it has the last one. Blocks that follow each other, as those of bands do, are read in one go: it goes on
/// where it was, and keeps as many of the last rows as the blocks were seen to overlap.
class RowSource final : public BlockSource {
 public:
  using Open = std::function<std::unique_ptr<RowReader>(const std::string& path)>;

  /// Opens the file when it is first read; `communicator` must outlive the source.
  RowSource(MPI_Comm communicator, std::string path, ImageInfo info, Open open);

  void read(const HostBlock& block) override;

 private:
  void read_rows(const HostBlock& block);
  void go_back_to(std::int64_t row);
  void begin_again();

  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  Open open_;
  std::unique_ptr<RowReader> reader_;
  std::int64_t row_bytes_;
  /// Where the last block began.
  std::int64_t first_ = 0;
  /// The row that the reader comes to next.
  std::int64_t next_ = 0;
  /// How many rows before it are kept, and how many are wanted next time; row y is at y modulo the latter.
  std::int64_t kept_ = 0;
  std::int64_t overlap_ = 0;
  std::vector<std::byte> rows_;
};

}  // namespace tessera::io::detail
