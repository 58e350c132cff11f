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

/// Writes a file row by row, on one rank. Every function throws InputError when that fails.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Writes row `y`, the next one, of a block that holds whole rows.
  virtual void write_row(const HostBlock& rows, std::int64_t y) = 0;
  /// Completes and closes the file.
  virtual void finish() = 0;
};

/// Throws InputError when an array has more columns or rows than a RowSink counts, or rows of too many bytes;
/// `format` is what it does not fit.
void check_rows(const std::string& path, const std::string& format, const Box& domain, ElementType type);

/// A file that can only be written from its beginning: rows go to rank 0 in bands of a few MiB.
class RowSink final : public BlockSink {
 public:
  /// Begins a file under its temporary name.
  using Begin = std::function<std::unique_ptr<RowWriter>(const UnfinishedFile&)>;

  /// For an array of 2 or 3 dimensions that passes check_rows. Creates the file; throws InputError on every
  /// rank when it cannot be written. `begin` is called on rank 0 when there is something to write.
  /// Collective.
  RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type, Begin begin);

  void write(const HostBlock& block) override { write_part(block, domain_); }
  /// Parts are cut along y.
  void write_part(const HostBlock& block, const Box& part) override;

 private:
  void begin();
  void stream(Gatherer& gatherer, const Box& part, std::int64_t rows, std::vector<std::byte>& memory) const;

  MPI_Comm communicator_;
  int rank_ = 0;
  Box domain_;
  ElementType type_;
  Parts parts_;
  UnfinishedFile file_;  // before the writer, so that it is closed when it is removed
  Begin begin_;
  /// On rank 0, from the first part to the last.
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace tessera::io::detail
