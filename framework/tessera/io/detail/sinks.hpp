// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Keeps track of how much of an array has been written to a file: as a whole, or in parts that follow each
/// other along one dimension, or along one dimension of each layer of the slowest ones.
class Parts {
 public:
  /// Keeps the arguments; `path` names the file in messages.
  Parts(MPI_Comm communicator, std::string path, const Box& domain, ElementType type)
      : communicator_(communicator), path_(std::move(path)), domain_(domain), type_(type) {}

  MPI_Comm communicator() const { return communicator_; }
  const std::string& path() const { return path_; }
  const Box& domain() const { return domain_; }
  ElementType type() const { return type_; }

  /// Checks a part before it is written, and counts its points as written. Collective. Throws InternalError
  /// on every rank when `part` is not the next part, when a block has another element type or lies partly
  /// outside `part`, or when the blocks of all ranks together do not have as many points as `part`.
  void take(const HostBlock& block, const Box& part);
  /// Returns whether all points of the array are written.
  bool complete() const { return written_ == domain_.size(); }
  /// Returns whether no point of the array is written.
  bool none() const { return written_ == 0; }

 private:
  bool is_next(const Box& part) const;

  MPI_Comm communicator_;
  std::string path_;
  Box domain_;
  ElementType type_;
  std::int64_t written_ = 0;
};

/// Sends boxes of a distributed array to rank 0, one box at a time.
class Gatherer {
 public:
  /// `block` is the block of the array that this rank owns. No box may have more than `most_points` points.
  /// Collective.
  Gatherer(MPI_Comm communicator, const HostBlock& block, ElementType type, std::int64_t most_points);

  /// Fills `target` on rank 0 with the points that the ranks own. Points that no rank owns are not changed.
  /// The other ranks pass the same `target.box`; the memory of their `target` is not used. Collective.
  void gather(const HostBlock& target);

 private:
  MPI_Comm communicator_;
  int rank_;
  HostBlock block_;
  ElementType type_;
  std::vector<Box> boxes_;
  std::vector<std::byte> buffer_;
};

/// Writes a file row by row, on one rank. Every function throws InputError when writing fails.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Writes the next rows of the image. `rows` holds whole rows in all channels.
  virtual void write_rows(const HostBlock& rows) = 0;
  /// Completes and closes the file.
  virtual void finish() = 0;
};

/// Writes a file from its beginning to its end. Several ranks send the rows to rank 0 in bands of a few MiB.
class RowSink final : public BlockSink {
 public:
  /// A function that begins a file under its temporary name, and returns the writer of this file.
  using Begin = std::function<std::unique_ptr<RowWriter>(const UnfinishedFile&)>;

  /// Creates an empty file for an image whose rows have less than 2 GiB. `begin` is called on rank 0 when
  /// the first part is written. Collective. Throws InputError on every rank when the file cannot be created.
  RowSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type, Begin begin);

  void write(const HostBlock& block) override { write_part(block, parts_.domain()); }
  /// Writes the next part of the array. A part has all columns and channels of its rows. Collective.
  void write_part(const HostBlock& block, const Box& part) override;

 private:
  void gather_and_write(const HostBlock& block, const Box& part);

  Parts parts_;
  UnfinishedFile file_;  // declared before `writer_`, so that `writer_` is destroyed first
  Begin begin_;
  /// The writer of the file, which exists on rank 0 from the first part to the last one.
  std::unique_ptr<RowWriter> writer_;
};

/// Creates a file whose rows a `Writer` writes one after the other: a function for FormatFunctions.
template <class Writer>
std::unique_ptr<BlockSink> create_by_rows(MPI_Comm communicator, const std::string& path, const Box& domain,
                                          ElementType type, int threads) {
  return std::make_unique<RowSink>(communicator, path, domain, type, [=](const UnfinishedFile& file) {
    return std::make_unique<Writer>(file, domain, type, threads);
  });
}

/// Writes the points of a block to a file that holds `domain` without gaps from the offset `place` on. Throws
/// InputError.
void write_points(const FileWriter& file, std::int64_t place, const Box& domain, const HostBlock& block);

/// Makes room for an array in a file. Returns the place in the file of the first point.
using MakeRoom = std::function<std::int64_t(const UnfinishedFile&)>;

/// Returns a writer for a file that holds the points of `domain` one after the other. Rank 0 calls `make`.
/// Collective. Throws InternalError if `domain` is empty.
std::unique_ptr<BlockWriter> create_plain_blocks(MPI_Comm communicator, const std::string& path,
                                                 const Box& domain, ElementType type, const MakeRoom& make,
                                                 const BegunFile& begun = {});

}  // namespace tessera::io::detail
