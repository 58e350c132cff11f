// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tessera/domain/counter_hash.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace pagerank {
namespace {

constexpr int moved_tag = 0;

/// Sends the parts of one array, and receives those of another. Lists of bytes are by rank, and parts lie one
/// after the other.
void exchange_bytes(MPI_Comm communicator, const std::byte* sent, const std::vector<std::int64_t>& sent_bytes,
                    std::byte* received, const std::vector<std::int64_t>& received_bytes) {
  std::vector<MPI_Request> requests;
  for (std::size_t rank = 0; rank < received_bytes.size(); ++rank) {
    if (received_bytes[rank] == 0) continue;
    const tessera::LargeMessage message(received_bytes[rank]);
    MPI_Irecv(received, message.count(), message.type(), static_cast<int>(rank), moved_tag, communicator,
              &requests.emplace_back());
    received += received_bytes[rank];
  }
  for (std::size_t rank = 0; rank < sent_bytes.size(); ++rank) {
    if (sent_bytes[rank] == 0) continue;
    const tessera::LargeMessage message(sent_bytes[rank]);
    MPI_Isend(sent, message.count(), message.type(), static_cast<int>(rank), moved_tag, communicator,
              &requests.emplace_back());
    sent += sent_bytes[rank];
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// Returns how many indices two ranges have in common.
std::int64_t common(std::int64_t begin, std::int64_t end, std::int64_t other_begin, std::int64_t other_end) {
  return std::max<std::int64_t>(0, std::min(end, other_end) - std::max(begin, other_begin));
}

/// Leaves the highest ranks, in their order.
void keep_highest(std::vector<Ranked>& list, std::int64_t count) {
  const auto most = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(count, std::ssize(list)));
  std::partial_sort(list.begin(), list.begin() + most, list.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.vertex < b.vertex;
  });
  list.resize(static_cast<std::size_t>(most));
}

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

std::vector<Link> detail::exchanged_links(MPI_Comm communicator, const std::vector<Link>& links,
                                          const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> received(counts.size());
  MPI_Alltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, communicator);
  std::int64_t all = 0;
  for (const std::int64_t count : received) all += count;
  std::vector<Link> result(static_cast<std::size_t>(all));
  std::vector<std::int64_t> sent_bytes = counts;
  for (auto* bytes : {&sent_bytes, &received})
    for (std::int64_t& number : *bytes) number *= static_cast<std::int64_t>(sizeof(Link));
  exchange_bytes(communicator, reinterpret_cast<const std::byte*>(links.data()), sent_bytes,
                 reinterpret_cast<std::byte*>(result.data()), received);
  return result;
}

std::vector<double> moved_values(MPI_Comm communicator, const std::vector<double>& values,
                                 const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  const auto rank = static_cast<std::size_t>(rank_in(communicator));
  std::vector<std::int64_t> sent, received;
  for (std::size_t other = 0; other + 1 < from.size(); ++other) {
    const auto bytes = static_cast<std::int64_t>(sizeof(double));
    sent.push_back(bytes * common(from[rank], from[rank + 1], to[other], to[other + 1]));
    received.push_back(bytes * common(to[rank], to[rank + 1], from[other], from[other + 1]));
  }
  std::vector<double> result(static_cast<std::size_t>(to[rank + 1] - to[rank]));
  exchange_bytes(communicator, reinterpret_cast<const std::byte*>(values.data()), sent,
                 reinterpret_cast<std::byte*>(result.data()), received);
  return result;
}

std::vector<Ranked> highest(MPI_Comm communicator, const std::vector<double>& ranks, std::int64_t first,
                            std::int64_t count) {
  std::vector<Ranked> own;
  for (const double rank : ranks) own.push_back({first++, rank});
  keep_highest(own, count);
  const int bytes = static_cast<int>(own.size() * sizeof(Ranked));
  const bool is_first = rank_in(communicator) == 0;
  std::vector<int> sizes(is_first ? static_cast<std::size_t>(tessera::ranks_of(communicator)) : 0);
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, communicator);
  std::vector<int> places;
  int all = 0;
  for (const int size : sizes) {
    places.push_back(all);
    all += size;
  }
  std::vector<Ranked> list(static_cast<std::size_t>(all) / sizeof(Ranked));
  MPI_Gatherv(own.data(), bytes, MPI_BYTE, list.data(), sizes.data(), places.data(), MPI_BYTE, 0,
              communicator);
  keep_highest(list, count);
  return list;
}

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
