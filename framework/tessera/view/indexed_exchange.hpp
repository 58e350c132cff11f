// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tessera/view/exchange.hpp"

namespace tessera {

/// The elements of a distributed array that a rank sends to another rank.
struct SentElements {
  /// The rank that receives the elements.
  int partner = 0;
  /// The elements in the order of the message. index_lists gives their indices in the whole array.
  /// IndexedExchange takes their indices in this rank's memory.
  std::vector<std::int64_t> indices;
};

/// The elements that a rank receives from another rank.
struct ReceivedElements {
  /// The rank that sends the elements.
  int partner = 0;
  /// The number of the elements.
  std::int64_t count = 0;
};

/// The elements of a distributed array that a rank sends and receives, by partners in rising order. A rank
/// receives elements in the order of its request.
struct IndexLists {
  /// The elements that other ranks need from this rank.
  std::vector<SentElements> sent;
  /// The elements that this rank needs from other ranks.
  std::vector<ReceivedElements> received;

  /// Returns the number of elements that this rank sends. An element counts once for each receiver.
  std::int64_t sent_count() const;
  /// Returns the number of elements that this rank receives.
  std::int64_t received_count() const;
};

/// Tells each rank which of its elements other ranks need. Rank r owns the elements [bounds[r], bounds[r +
/// 1]). `needed` are the indices of the elements that this rank needs and does not own, each of them once,
/// in the order of their owners, and those of one owner in any order. `bounds` is the same on all ranks.
/// Collective. Throws InternalError when `needed` is not in this order.
IndexLists index_lists(MPI_Comm communicator, const std::vector<std::int64_t>& bounds,
                       const std::vector<std::int64_t>& needed);

/// Sends elements of an array of one dimension, which are listed by their indices, between the ranks of a
/// communicator. This is for arrays whose ghosts follow from data, such as the vectors of a sparse matrix.
/// All elements that a rank sends to another one are in one message. Buffers and persistent requests are made
/// once, in the constructor. The exchange can then be run any number of times. T is double or std::int64_t.
template <class T>
class IndexedExchange {
 public:
  /// The array, whose own elements and ghosts are both in it.
  using Array = Kokkos::View<T*, MemorySpace>;

  /// Makes buffers and requests. The indices in `lists` count from the beginning of `array`. The elements
  /// that this rank receives are stored one after the other, from array(first_ghost) on, in the order of
  /// `lists`. The lists of a rank must match the lists of its partners. `tag` distinguishes exchanges that
  /// use the same communicator. Not collective.
  IndexedExchange(MPI_Comm communicator, int tag, const IndexLists& lists, Array array,
                  std::int64_t first_ghost, const Transport& transport = {});
  ~IndexedExchange();
  IndexedExchange(const IndexedExchange&) = delete;
  IndexedExchange& operator=(const IndexedExchange&) = delete;

  /// Begins to receive ghosts, and then sends this rank's elements after the kernels that were enqueued on
  /// `execution` are done. The elements have been packed when the call returns, and may be written again.
  /// Until `finish` returns, the ghosts must be neither read nor written. All other work may go on.
  void start(const ExecutionSpace& execution);
  /// Waits until all ghosts have arrived. On devices they may still have to be copied by `execution`.
  void finish(const ExecutionSpace& execution);

  /// The number of bytes that this rank sends in one run.
  std::int64_t sent_bytes() const { return static_cast<std::int64_t>(sent_.extent(0) * sizeof(T)); }

 private:
  using HostArray = Kokkos::View<T*, compat::HostPinnedSpace>;

  /// True if MPI is given the addresses of the arrays, and not those of copies on the host.
  bool sends_in_place() const { return runs_on_host || transport_.device_addresses; }
  void make_requests(MPI_Comm communicator, int tag, const IndexLists& lists);

  Transport transport_;
  Array array_;
  std::int64_t first_ghost_;
  /// The indices of the elements that are sent.
  Kokkos::View<std::int64_t*, MemorySpace> indices_;
  /// The elements that are sent.
  Array sent_;
  /// Copies on the host of what is sent and received. They are empty if MPI needs none.
  HostArray host_sent_, host_received_;
  std::int64_t received_count_ = 0;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace tessera
