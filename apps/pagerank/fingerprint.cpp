// SPDX-License-Identifier: BSD-3-Clause
#include "fingerprint.hpp"

#include <fmt/format.h>

#include "moved.hpp"
#include "tessera/domain/counter_hash.hpp"
#include "tessera/view/bit_cast.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/host_copy.hpp"

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

/// Returns a block of the only element of an array, or of none.
tessera::HostBlock block_of(std::uint64_t& number, bool is_empty) {
  return tessera::packed_block(reinterpret_cast<std::byte*>(&number), tessera::ElementType::uint64,
                               {{0, is_empty ? 0 : 1}});
}

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

void store_fingerprint(MPI_Comm communicator, std::uint64_t fingerprint, tessera::BlockSink& sink) {
  sink.write(block_of(fingerprint, rank_in(communicator) != 0));
}

void check_fingerprint(MPI_Comm communicator, std::uint64_t fingerprint, tessera::BlockSource& source,
                       const tessera::deck::Deck& deck) {
  std::uint64_t then = 0;
  source.read(block_of(then, false));
  tessera::collectively(communicator, [&] {
    if (then != fingerprint)
      deck.fail("restart", fmt::format("{} has other links than the graph of the checkpoint: give the same "
                                       "graph, or begin anew without restart",
                                       deck.text_of("input.file")));
  });
}

}  // namespace pagerank
