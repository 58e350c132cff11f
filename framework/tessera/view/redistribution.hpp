// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {

/// The pieces of a box, which have at most `most_points` points each. They consist of whole rows if a row has
/// at most `most_points` points. They are numbered in the order of memory.
class Pieces {
 public:
  /// Cuts `box` into pieces of at most `most_points` points.
  Pieces(const Box& box, std::int64_t most_points);
  /// The number of pieces; 0 for an empty box.
  std::int64_t size() const { return count_; }
  /// Returns piece number `index`.
  Box operator[](std::int64_t index) const;

 private:
  Box box_;
  /// In dimension `cut_` the box is cut into ranges of `run_` coordinates. In each dimension above it, the
  /// box is cut into single coordinates.
  int cut_ = 0;
  std::int64_t run_ = 1;
  std::int64_t runs_ = 0;
  std::int64_t count_ = 0;
};

/// Moves an array from one distribution to another distribution of the same domain. Examples are from columns
/// to rows, from all ranks to some of them, to one rank (gather) and from one rank (scatter). Large messages
/// are sent in pieces through a few buffers, so that the additional memory is bounded for arrays of any size.
/// Each rank sends first to the rank after it, then to the second rank after it, and so on, so that not all
/// ranks send to the same rank at the same time. Pieces are packed and unpacked while other pieces are on
/// their way.
class Redistribution {
 public:
  /// Prepares the redistribution from the distribution `from` to the distribution `to`. Collective. The
  /// communicator is duplicated. The message buffers of a rank take at most `buffer_bytes`. This must be
  /// enough for two elements, or for four if messages are sent through host memory. All ranks must give the
  /// same `buffer_bytes` and `transport`. Throws InternalError when the domains of the distributions differ
  /// or when `buffer_bytes` is too small.
  Redistribution(MPI_Comm communicator, const BlockDistribution& from, const BlockDistribution& to,
                 std::int64_t element_size, std::int64_t buffer_bytes = std::int64_t{16} << 20,
                 const Transport& transport = {});

  /// Copies the whole array. `from` holds the points that this rank owns in the first distribution. `to`
  /// holds the points that it owns in the second one. `from` and `to` must not share memory. The points of
  /// `to` have been written when the call returns. Collective.
  void run(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to);
  /// Copies the whole array from the view `from` to the view `to`. The points that this rank owns in `to`
  /// have been written when the call returns. Collective. Throws InternalError when the views do not have the
  /// distributions or the element size of this redistribution.
  template <class T, int N>
  void run(const DistributedView<T, N>& from, const DistributedView<T, N>& to,
           const ExecutionSpace& execution = {}) {
    check(from.owned(), to.owned(), sizeof(T));
    run(execution, from.block().reference(), to.block().reference());
  }

  /// The size of the message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// The messages that a rank sends, or all that it receives, in the order in which the rank handles them.
  /// The pieces of the messages pass through the slots of a buffer. Each slot holds one piece at a time.
  struct Stream {
    std::vector<Message> messages;
    std::int64_t most_points = 0;
    std::int64_t piece_count = 0;
    std::int64_t slot_bytes = 0;
    std::size_t slots = 0;
    Buffer buffer;
    HostBuffer host;
    /// The piece that each slot holds.
    std::vector<Message> carried;
    /// The next piece to be sent or received is piece number `piece` of message number `message`.
    std::size_t message = 0;
    std::int64_t piece = 0;
  };

  void check(const Box& from, const Box& to, std::int64_t element_size) const;
  /// Assigns the next piece to slot number `slot` and returns the piece. Returns null when no piece is left.
  static const Message* next_piece(Stream& stream, std::size_t slot);
  void make_stream(Stream& stream, std::vector<Message> messages, bool sends, std::int64_t most_bytes);
  std::byte* slot(const Stream& stream, std::size_t index) const;
  /// Returns the memory of a slot that MPI reads or writes.
  std::byte* mpi_slot(const Stream& stream, std::size_t index) const;
  void send_next(const ExecutionSpace& execution, const ArrayReference& from, std::size_t slot);
  void receive_next(std::size_t slot);
  void store(const ExecutionSpace& execution, const ArrayReference& to, std::size_t slot);
  /// Handles request number `request`, which is done. If the request has received a piece, the piece is
  /// stored in `to`. The slot of the request then sends or receives its next piece.
  void finished(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                std::size_t request);

  Communicator communicator_;
  /// The points that this rank owns before (`from_`) and after (`to_`) the redistribution.
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
