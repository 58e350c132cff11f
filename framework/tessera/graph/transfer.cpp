// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/transfer.hpp"

#include <cstdint>

#include "tessera/view/mpi_objects.hpp"

namespace tessera::graph::detail {

Bytes broadcast(MPI_Comm communicator, const Bytes& bytes, int root) {
  std::vector<std::byte> all = bytes.all();
  auto size = static_cast<std::int64_t>(all.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, root, communicator);
  all.resize(static_cast<std::size_t>(size));
  const LargeMessage message(size);
  MPI_Bcast(all.data(), message.count(), message.type(), root, communicator);
  return Bytes(all);
}

}  // namespace tessera::graph::detail
