// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/redistribution.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::group {
namespace {

/// Returns the most of `others` equal intervals that overlap one of `own` equal intervals of the same length in
/// sum. Let own = g m and others = g n with the greatest common divisor g. In units of 1/m of an interval of
/// the others, an own interval has the length n and begins at a multiple of n, of which the remainders by m
/// take all values from 0 to m - 1. So the worst one begins m - 1 behind the beginning of an interval.
std::int64_t most_overlaps(int own, int others) {
  const int divisor = std::gcd(own, others);
  const std::int64_t m = own / divisor, n = others / divisor;
  return (m - 1 + n + m - 1) / m;
}

}  // namespace

Redistribution redistribution_of_blocks(std::int64_t bytes, int from, int to) {
  const auto size = static_cast<double>(bytes);
  return {std::int64_t{from} + to - std::gcd(from, to), most_overlaps(from, to), most_overlaps(to, from),
          size / from, size / to};
}

double seconds_between_groups(const Communication& communication, std::int64_t bytes, int from, int to) {
  if (bytes == 0) return 0;
  const cost::NetworkCost& network = communication.network;
  if (communication.travel == Travel::between_hosts) return network.message(static_cast<double>(bytes));
  const Redistribution moved = redistribution_of_blocks(bytes, from, to);
  const auto seconds = [&network](std::int64_t messages, double size) {
    return static_cast<double>(messages) * network.seconds_to_start + size * network.seconds_per_byte;
  };
  return std::max(seconds(moved.messages_of_sender, moved.bytes_of_sender),
                  seconds(moved.messages_of_receiver, moved.bytes_of_receiver));
}

bool stays_in_place(const Communication& communication, std::span<const int> from, std::span<const int> to) {
  if (communication.travel == Travel::between_hosts && !from.empty() && !to.empty() && from[0] == to[0]) return true;
  return std::ranges::equal(from, to);
}

}  // namespace tessera::group
