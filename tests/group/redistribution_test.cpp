// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace tessera::group;

/// Counts the overlaps of blocks one by one, in units in which all blocks are whole.
TEST(Redistribution, ClosedFormsAreWhatCountingGives) {
  for (std::int64_t from = 1; from <= 24; ++from)
    for (std::int64_t to = 1; to <= 24; ++to) {
      std::int64_t most = 0;
      std::vector<std::int64_t> received(static_cast<std::size_t>(to));
      for (std::int64_t sender = 0; sender < from; ++sender) {
        std::int64_t sent = 0;
        for (std::int64_t receiver = 0; receiver < to; ++receiver) {
          // Sender s has [s * to, (s + 1) * to), and receiver r has [r * from, (r + 1) * from).
          if (std::max(sender * to, receiver * from) >= std::min((sender + 1) * to, (receiver + 1) * from))
            continue;
          ++sent;
          ++received[static_cast<std::size_t>(receiver)];
        }
        most = std::max(most, sent);
      }
      most = std::max(most, *std::ranges::max_element(received));
      // Without bytes these are the messages of the busiest rank, and without latency its bytes.
      const int senders = static_cast<int>(from), receivers = static_cast<int>(to);
      EXPECT_DOUBLE_EQ(seconds_between_groups({{1, 0}}, 240, senders, receivers), static_cast<double>(most));
      EXPECT_DOUBLE_EQ(seconds_between_groups({{0, 1}}, 240, senders, receivers),
                       240.0 / std::min(senders, receivers));
    }
}

TEST(Redistribution, TakesTheTimeOfTheBusiestRank) {
  const Communication ranks{{1, 0.5}, Travel::between_ranks}, hosts{{1, 0.5}, Travel::between_hosts};
  // The only sender has four messages of 20 bytes each.
  EXPECT_DOUBLE_EQ(seconds_between_groups(ranks, 80, 1, 4), 4 + 40);
  EXPECT_DOUBLE_EQ(seconds_between_groups(ranks, 80, 4, 1), 4 + 40);
  EXPECT_DOUBLE_EQ(seconds_between_groups(ranks, 80, 4, 4), 1 + 10);
  EXPECT_DOUBLE_EQ(seconds_between_groups(hosts, 80, 4, 4), 1 + 40);
  EXPECT_EQ(seconds_between_groups(ranks, 0, 4, 2), 0);
}

TEST(Redistribution, NothingTravelsOnTheSameRanks) {
  const Communication ranks{{1, 0.5}, Travel::between_ranks}, hosts{{1, 0.5}, Travel::between_hosts};
  const std::vector<int> pair{2, 3}, turned{3, 2}, more{2, 3, 4};
  EXPECT_EQ(travel_seconds(ranks, 80, pair, pair), 0);
  EXPECT_EQ(travel_seconds(ranks, 80, pair, turned), seconds_between_groups(ranks, 80, 2, 2));
  EXPECT_EQ(travel_seconds(ranks, 80, pair, more), seconds_between_groups(ranks, 80, 2, 3));
  EXPECT_EQ(travel_seconds(hosts, 80, pair, more), 0);
  EXPECT_EQ(travel_seconds(hosts, 80, pair, turned), seconds_between_groups(hosts, 80, 2, 2));
}

}  // namespace
