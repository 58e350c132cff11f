// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace tessera {

/// The elements of a distributed array that a rank sends to another rank.
struct SentElements {
  /// The rank that receives the elements.
  int partner = 0;
  /// The elements, in the order in which they are sent. index_lists gives their indices in the whole array.
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

/// The elements of a distributed array that a rank sends and receives, by partners in rising order. The
/// elements that a rank receives follow each other in the order in which it has asked for them.
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

}  // namespace tessera
