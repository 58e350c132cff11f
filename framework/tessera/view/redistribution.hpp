// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/view/communicator.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// The pieces into which a box is cut when each may have at most `most_points` points. They are whole rows if
/// a row fits, and are numbered in the order of memory.
class Pieces {
 public:
  /// Cuts `box` into pieces.
  Pieces(const Box& box, std::int64_t most_points);
  /// The number of pieces; 0 for an empty box.
  std::int64_t size() const { return count_; }
  /// Returns the piece of this number.
  Box operator[](std::int64_t index) const;

 private:
  Box box_;
  /// The box is cut into runs of `run_` slices along this dimension.
  int cut_ = 0;
  std::int64_t run_ = 1;
  std::int64_t runs_ = 0;
  std::int64_t count_ = 0;
};

/// Moves an array from one distribution to another of the same domain, such as from columns to rows, from all
/// ranks to some of them, to one rank (gather) or from one rank (scatter). Large messages travel in pieces
/// through a few buffers, so that the additional memory is bounded whatever the size of the array. Each rank
/// sends to the ranks after it in turn, so that no two ranks send to one rank at a time, and packing overlaps
/// with pieces in flight.
class Redistribution {
 public:
  /// Prepares the redistribution. Collective; the communicator is duplicated. The message buffers of a rank
  /// take at most `buffer_bytes`, which must hold two elements, or four where messages travel through host
  /// memory. All ranks give the same limit and transport. Throws InternalError when the domains differ or the
  /// buffers are too small.
  Redistribution(MPI_Comm communicator, const BlockDistribution& from, const BlockDistribution& to,
                 std::int64_t element_size, std::int64_t buffer_bytes = std::int64_t{16} << 20,
                 const Transport& transport = {});

  /// Copies the whole array. `from` holds the points that this rank owned, `to` those that it is to own; they
  /// must share no memory. Collective. The array is complete when the call returns.
  void run(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to);
  /// Copies the whole array from one view to another. Collective. The array is complete when the call
  /// returns. Throws InternalError when the views do not own the boxes, or have the element size, of this
  /// redistribution.
  template <class T, int N>
  void run(const DistributedView<T, N>& from, const DistributedView<T, N>& to,
           const ExecutionSpace& execution = {}) {
    check(from.owned(), to.owned(), sizeof(T));
    run(execution, from.block().reference(), to.block().reference());
  }

  /// The memory of message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// The messages that a rank sends, or receives, in order, and the buffer whose slots their pieces use in
  /// turn.
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
    /// The next piece is piece number `piece` of message number `message`.
    std::size_t message = 0;
    std::int64_t piece = 0;
  };

  void check(const Box& from, const Box& to, std::int64_t element_size) const;
  /// Assigns the next piece to a slot and returns it, or null when there is none.
  static const Message* next_piece(Stream& stream, std::size_t slot);
  void make_stream(Stream& stream, std::vector<Message> messages, bool sends, std::int64_t most_bytes);
  std::byte* slot(const Stream& stream, std::size_t index) const;
  /// Returns the memory of a slot that MPI is given.
  std::byte* mpi_slot(const Stream& stream, std::size_t index) const;
  void send_next(const ExecutionSpace& execution, const ArrayReference& from, std::size_t slot);
  void receive_next(std::size_t slot);
  void store(const ExecutionSpace& execution, const ArrayReference& to, std::size_t slot);
  /// Handles a request that is done. A piece that was received is stored, and the slot starts its next piece.
  void finished(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                std::size_t request);

  Communicator communicator_;
  /// The points that this rank owns before and after.
  Box from_;
  Box to_;
  std::int64_t element_size_;
  Transport transport_;
  std::vector<Message> copies_;
  Stream sent_;
  Stream received_;
  /// The requests of the slots that receive, followed by those of the slots that send.
  std::vector<MPI_Request> requests_;
  std::vector<int> finished_;
};

}  // namespace tessera
