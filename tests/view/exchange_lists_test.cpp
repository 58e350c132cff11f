// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "view/exchange_sample.hpp"

namespace {

using namespace tessera;
using test::ExchangeSample;
using test::Point;

ExchangeLists lists_of(const ExchangeSample& sample, int rank) {
  return exchange_lists(sample.blocks, rank, [&](int first, int last) { return sample.need(first, last); });
}

TEST(ExchangeLists, SendsMirrorReceives) {
  test::Random random(51);
  std::size_t messages = 0;
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(1, 24);
    const ExchangeSample sample = test::random_exchange(random, ranks);
    std::vector<ExchangeLists> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(lists_of(sample, rank));
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) {
        std::vector<Box> sent, received;
        for (const Message& m : all[static_cast<std::size_t>(from)].sends)
          if (m.partner == to) sent.push_back(m.box);
        for (const Message& m : all[static_cast<std::size_t>(to)].receives)
          if (m.partner == from) received.push_back(m.box);
        EXPECT_EQ(sent, received) << sample.text() << ": " << from << " to " << to;
        EXPECT_LE(sent.size(), from == to ? 0u : 1u) << sample.text();
        messages += sent.size();
      }
  }
  EXPECT_GT(messages, 1000u);
}

TEST(ExchangeLists, WithWhatIsOwnedCoverTheNeedOnce) {
  test::Random random(52);
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(1, 24);
    const ExchangeSample sample = test::random_exchange(random, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const ExchangeLists lists = lists_of(sample, rank);
      const Box need = sample.need(rank, rank + 1);
      std::int64_t wrong = 0;
      test::for_each_point(intersection(need, sample.blocks.domain()), [&](const Point& p) {
        int holders = contains(sample.blocks.owned(rank), p);
        for (const Message& m : lists.receives) holders += contains(m.box, p);
        wrong += holders != 1;
      });
      EXPECT_EQ(wrong, 0) << sample.text() << ", rank " << rank;
      for (const Message& m : lists.receives) {
        EXPECT_FALSE(m.box.empty());
        EXPECT_TRUE(sample.blocks.owned(m.partner).contains(m.box) && need.contains(m.box)) << sample.text();
      }
    }
  }
}

TEST(ExchangeLists, PartnersRise) {
  test::Random random(53);
  const auto by_partner = [](const Message& a, const Message& b) { return a.partner < b.partner; };
  for (int i = 0; i < 200; ++i) {
    const ExchangeSample sample = test::random_exchange(random, 16);
    for (int rank = 0; rank < 16; ++rank) {
      const ExchangeLists lists = lists_of(sample, rank);
      EXPECT_TRUE(std::is_sorted(lists.sends.begin(), lists.sends.end(), by_partner));
      EXPECT_TRUE(std::is_sorted(lists.receives.begin(), lists.receives.end(), by_partner));
    }
  }
}

TEST(ExchangeLists, CostPartnersNotRanks) {
  const Box box{{0, 1 << 30}};
  const BlockDistribution blocks(box, box, {1, {1 << 20, 1, 1, 1}});
  int needs = 0;
  const ExchangeLists lists = exchange_lists(blocks, 5000, [&](int first, int last) {
    ++needs;
    Box need = blocks.owned_hull(first, last);
    need[0] = {need[0].begin - 1, need[0].end + 1};
    return need;
  });
  EXPECT_EQ(lists.sends.size(), 2u);
  EXPECT_EQ(lists.receives.size(), 2u);
  EXPECT_LT(needs, 200);
}

}  // namespace
