// SPDX-License-Identifier: BSD-3-Clause
#include "fingerprint.hpp"

#include "tessera/domain/counter_hash.hpp"
#include "tessera/view/bit_cast.hpp"
#include "tessera/view/compat.hpp"

namespace pagerank {
namespace {

/// Adds the hash of a link. Sums of integers are the same in any order, and repeated links add up.
struct AddLinkHash {
  const Link* links;

  void operator()(std::int64_t i, std::uint64_t& sum) const {
    const Link& link = links[i];
    sum += tessera::counter_hash(0, link.from, link.to, tessera::bit_cast<std::int64_t>(link.weight));
  }
};

}  // namespace

std::uint64_t fingerprint(MPI_Comm communicator, const std::vector<Link>& links) {
  using Space = tessera::HostExecutionSpace;
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "pagerank: fingerprint",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, static_cast<std::int64_t>(links.size())),
      AddLinkHash{links.data()}, sum);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return sum;
}

}  // namespace pagerank
