// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera::io::detail {

/// Sends rows from rank 0, which reads a file from its beginning, to the ranks that need them. Rows are sent
/// in batches of about 1 MiB, while the next batch is read. All ranks know which rows each rank needs, and so
/// which part of each batch a rank gets.
class RowDelivery {
 public:
  /// A function that takes row `y` from memory.
  using Take = std::function<void(std::byte* samples, std::int64_t y)>;

  /// `needed` are the rows that this rank needs, which may be none, and `row_bytes` is the number of bytes of
  /// a row. Collective.
  RowDelivery(MPI_Comm communicator, Range needed, std::int64_t row_bytes);

  /// Whether this rank reads the file, and the others receive from it.
  bool is_reader() const { return rank_ == 0; }
  /// Returns the rows from the first one to the last one that any rank needs.
  Range rows() const { return rows_; }

  /// Sends row `y` to the ranks that need it. The reader must call this function for all rows of rows(), in
  /// order. The memory may be used again when the call returns.
  void send(const std::byte* samples, std::int64_t y);
  /// Tells the other ranks that no more rows come. Their calls of `receive` then return.
  void give_up();

  /// Passes the rows that this rank needs to `take`. Returns early if the reader gives up.
  void receive(const Take& take);

  /// Waits until all ranks have called this function. Ranks that wait need no processor. Collective.
  void wait_for_all();

 private:
  /// Returns the rows of the batch that has row `y`.
  Range batch_of(std::int64_t y) const;
  /// Returns which of the two buffers of the reader a batch takes.
  std::size_t half_of(Range batch) const;
  void send_batch(Range batch);
  /// Waits until a buffer has been sent, so that it can be filled again.
  void wait(std::size_t half);

  MPI_Comm communicator_;
  int rank_ = 0;
  std::int64_t row_bytes_;
  std::int64_t rows_per_batch_;
  /// The rows that each rank needs.
  std::vector<Range> needed_;
  Range rows_;
  /// The row from which on nothing has been sent.
  std::int64_t sent_ = 0;
  /// Two batches on the reader, of which one is filled while the other is sent; one batch on other ranks.
  std::vector<std::byte> buffers_[2];
  std::vector<MPI_Request> requests_[2];
};

}  // namespace tessera::io::detail
