// SPDX-License-Identifier: BSD-3-Clause
#include "moved.hpp"

#include <algorithm>
#include <cstddef>

#include "tessera/view/large_message.hpp"

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

}  // namespace pagerank
