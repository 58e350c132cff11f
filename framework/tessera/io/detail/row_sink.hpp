// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/gatherer.hpp"
#include "tessera/io/detail/parts.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Writes a file from its first row to its last one, on one rank. Every function throws InputError when
/// writing fails.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Writes the next rows of the image. `rows` holds whole rows in all channels.
  virtual void write_rows(const HostBlock& rows) = 0;
  /// Completes and closes the file.
  virtual void finish() = 0;
};

/// Throws InputError when an array has too many rows for a RowSink, or too many bytes in a row. `format` is
/// the name of the file format for the error message.
void check_rows(const std::string& path, const std::string& format, const Box& domain, ElementType type);

/// Writes a file that can only be written from its beginning to its end. If there are several ranks, the rows
/// are sent to rank 0 in bands of a few MiB.
class RowSink final : public BlockSink {
 public:
  /// A function that begins a file under its temporary name, and returns the writer of this file.
  using Begin = std::function<std::unique_ptr<RowWriter>(const UnfinishedFile&)>;

  /// Creates an empty file for an array of 2 or 3 dimensions that check_rows accepts. `begin` is called on
  /// rank 0 when the first part is written. Collective. Throws InputError on every rank when the file cannot
  /// be created.
  RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type, Begin begin);

  void write(const HostBlock& block) override { write_part(block, domain_); }
  /// Writes the next part of the array. A part has all columns and channels of its rows. Collective.
  void write_part(const HostBlock& block, const Box& part) override;

 private:
  void begin();
  void gather_and_write(const HostBlock& block, const Box& part);
  void stream(Gatherer& gatherer, const Box& part, std::int64_t rows, std::vector<std::byte>& memory) const;

  MPI_Comm communicator_;
  int rank_ = 0;
  Box domain_;
  ElementType type_;
  Parts parts_;
  UnfinishedFile file_;  // declared before `writer_`, so that `writer_` is destroyed first
  Begin begin_;
  /// The writer of the file, which exists on rank 0 from the first part to the last one.
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace tessera::io::detail
