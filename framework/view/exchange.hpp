// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/view/block.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera {

/// The messages of one array between the ranks of a communicator: buffers and persistent requests are made
/// once, `run` may be called any number of times. Messages are packed where kernels run and travel through
/// host memory.
class Exchange {
 public:
  /// Every rank gives its own lists, which must match those of its partners. `tag` tells apart the exchanges
  /// that share a communicator. Throws InternalError when a message has more than 2^31 - 1 elements.
  Exchange(MPI_Comm communicator, int tag, const ExchangeLists& lists, std::int64_t element_size);
  ~Exchange();
  Exchange(Exchange&&) noexcept = default;
  Exchange& operator=(Exchange&&) = delete;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends this rank's boxes and fills the ones it receives in `array`, which must hold both. Blocks until
  /// done.
  void run(const ExecutionSpace& execution, const ArrayReference& array);

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = decltype(Kokkos::create_mirror_view(std::declval<Buffer&>()));
  /// Where the boxes of a list lie in a buffer, one after the other.
  struct Side {
    std::vector<BlockLayout> layouts;
    std::vector<std::int64_t> offsets;
    Buffer buffer;
    HostBuffer host;
    Side(const std::vector<Message>& messages, std::int64_t element_size);
  };

  Side sent_;
  Side received_;
  std::vector<MPI_Request> send_requests_;
  std::vector<MPI_Request> receive_requests_;
};

}  // namespace tessera
