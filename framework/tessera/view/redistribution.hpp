// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/view/communicator.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// The boxes, in order, that a box falls into when each may have at most so many points: whole rows if a row
/// fits.
class Pieces {
 public:
  Pieces(const Box& box, std::int64_t most_points);
  std::int64_t size() const { return count_; }
  Box operator[](std::int64_t index) const;

 private:
  Box box_;
  /// Runs of `run_` slices along this dimension.
  int cut_ = 0;
  std::int64_t run_ = 1;
  std::int64_t runs_ = 0;
  std::int64_t count_ = 0;
};

/// Moves an array from one distribution to another of the same domain: columns to rows, other grids, all
/// ranks to some of them, to one (gather), from one (scatter). Large messages travel in pieces through a few
/// buffers, so that the extra memory is bounded whatever the size of the array; each rank sends to the ranks
/// after it in turn, so that no two send to one at a time, and pieces that are in flight overlap with
/// packing.
class Redistribution {
 public:
  /// Collective; the communicator is duplicated. A rank's message buffers take at most `buffer_bytes`, which
  /// must hold two elements, four where messages are staged. All ranks give the same limit and transport.
  /// Throws InternalError when the domains differ or the buffers are too small.
  Redistribution(MPI_Comm communicator, const BlockDistribution& from, const BlockDistribution& to,
                 std::int64_t element_size, std::int64_t buffer_bytes = std::int64_t{16} << 20,
                 const Transport& transport = {});

  /// Copies the whole array. `from` holds what this rank owned, `to` what it is to own; they share no memory.
  /// Collective; blocks until done.
  void run(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to);
  template <class T, int N>
  void run(const DistributedView<T, N>& from, const DistributedView<T, N>& to,
           const ExecutionSpace& execution = {}) {
    check(from.owned(), to.owned(), sizeof(T));
    run(execution, from.block().reference(), to.block().reference());
  }

  /// Memory of message buffers.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// What a rank sends, or receives, in order, and the buffers that its pieces take turns in.
  struct Stream {
    std::vector<Message> messages;
    std::int64_t most_points = 0;
    std::int64_t piece_count = 0;
    std::int64_t slot_bytes = 0;
    std::size_t slots = 0;
    Buffer buffer;
    HostBuffer host;
    /// The piece that each slot carries.
    std::vector<Message> carried;
    /// The next piece: of which message, and which of it.
    std::size_t message = 0;
    std::int64_t piece = 0;
  };

  void check(const Box& from, const Box& to, std::int64_t element_size) const;
  /// Puts the next piece into a slot; null when there is none.
  static const Message* next_piece(Stream& stream, std::size_t slot);
  void make_stream(Stream& stream, std::vector<Message> messages, bool sends, std::int64_t most_bytes);
  std::byte* slot(const Stream& stream, std::size_t index) const;
  /// What MPI sees of a slot.
  std::byte* mpi_slot(const Stream& stream, std::size_t index) const;
  void send_next(const ExecutionSpace& execution, const ArrayReference& from, std::size_t slot);
  void receive_next(std::size_t slot);
  void store(const ExecutionSpace& execution, const ArrayReference& to, std::size_t slot);
  /// The slot of a request is free again: what it received is stored, and the next piece sets out.
  void finished(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                std::size_t request);

  Communicator communicator_;
  /// What this rank owns before and after.
  Box from_;
  Box to_;
  std::int64_t element_size_;
  Transport transport_;
  std::vector<Message> copies_;
  Stream sent_;
  Stream received_;
  /// Of the slots that receive, then of those that send.
  std::vector<MPI_Request> requests_;
  std::vector<int> finished_;
};

}  // namespace tessera
