// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/view/box_copies.hpp"
#include "tessera/view/halo_exchange.hpp"
#include "view/exchange_sample.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::ExchangeSample;
using test::Point;

TEST(ExchangeLists, SendsMirrorReceives) {
  test::Random random(51);
  std::size_t messages = 0;
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(1, 24);
    const ExchangeSample sample = test::random_exchange(random, ranks);
    std::vector<ExchangeLists> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(sample.lists(rank, ranks, 4));
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) {
        std::vector<Message> sent, received;
        for (Message m : all[static_cast<std::size_t>(from)].sends)
          if (m.partner == to) sent.push_back(m);
        for (Message m : all[static_cast<std::size_t>(to)].receives)
          if (m.partner == from) {
            m.partner = to;
            received.push_back(m);
          }
        EXPECT_EQ(sent, received) << sample.text() << ": " << from << " to " << to;
        EXPECT_TRUE(from != to || sent.empty()) << sample.text();
        messages += sent.size();
      }
  }
  EXPECT_GT(messages, 1000u);
}

/// Points of a need that come from the domain: inside it, or beyond periodic sides only.
bool comes_from_domain(const ExchangeSample& sample, const Point& p) {
  const Box& domain = sample.blocks.domain();
  for (int d = 0; d < domain.dimensions; ++d)
    if (!domain[d].contains(p[d]) && !sample.boundary.is_periodic(d)) return false;
  return true;
}

TEST(ExchangeLists, WithWhatIsOwnedCoverTheNeedOnce) {
  test::Random random(52);
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(1, 24);
    const ExchangeSample sample = test::random_exchange(random, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const ExchangeLists lists = sample.lists(rank, ranks, 4);
      const Box need = sample.held_need(rank, rank + 1);
      std::int64_t wrong = 0;
      test::for_each_point(need, [&](const Point& p) {
        int holders = contains(sample.blocks.owned(rank), p);
        for (const auto* messages : {&lists.receives, &lists.copies})
          for (const Message& m : *messages) holders += contains(m.box, p);
        wrong += holders != (comes_from_domain(sample, p) ? 1 : 0);
      });
      EXPECT_EQ(wrong, 0) << sample.text() << ", rank " << rank;
      for (const Message& m : lists.receives) {
        EXPECT_FALSE(m.box.empty());
        EXPECT_TRUE(sample.blocks.owned(m.partner).contains(m.source()) && need.contains(m.box))
            << sample.text();
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
      const ExchangeLists lists = sample.lists(rank, 16, 1);
      EXPECT_TRUE(std::is_sorted(lists.sends.begin(), lists.sends.end(), by_partner));
      EXPECT_TRUE(std::is_sorted(lists.receives.begin(), lists.receives.end(), by_partner));
    }
  }
}

TEST(ExchangeLists, CostPartnersNotRanks) {
  const Box box{{0, 1 << 30}};
  const BlockDistribution blocks(box, box, {1, {1 << 20, 1, 1, 1}});
  int needs = 0;
  const Need need = Halo(1, Boundary::periodic).need(blocks);
  for (const int rank : {0, 5000, (1 << 20) - 1}) {
    const ExchangeLists lists =
        exchange_lists(blocks, Boundary::periodic, rank, 1 << 20, [&](int first, int last) {
          ++needs;
          return need(first, last);
        });
    EXPECT_EQ(lists.sends.size(), 2u);
    EXPECT_EQ(lists.receives.size(), 2u);
  }
  EXPECT_LT(needs, 500);
}

/// All ranks of an exchange in one process, as bytes.
class Rehearsed {
 public:
  Rehearsed(const ExchangeSample& sample, int ranks, std::int64_t element_size)
      : sample_(sample), element_size_(element_size) {
    for (int rank = 0; rank < ranks; ++rank) {
      layouts_.push_back(sample.layout(rank, element_size));
      memory_.emplace_back("array", static_cast<std::size_t>(layouts_.back().bytes));
      test::for_each_point(sample.blocks.owned(rank),
                           [&](const Point& p) { write_pattern(element(rank, p), p); });
    }
  }

  /// As Exchange does it: in place, as one range of memory, or box by box; then the boundary.
  void exchange(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    const ExchangeLists lists = sample_.lists(rank, static_cast<int>(memory_.size()), element_size_);
    for (const auto* messages : {&lists.receives, &lists.copies})
      for (const Message& m : *messages) receive(rank, m);
    const ArrayReference array = layouts_[index].reference(memory_[index].data());
    const Box held = sample_.held_need(rank, rank + 1);
    if (!held.empty())
      fill_boundary(ExecutionSpace(), array, held, sample_.blocks.domain(), sample_.boundary, element_size_);
    ExecutionSpace().fence();
  }

  std::int64_t wrong_points(int rank) {
    std::int64_t wrong = 0;
    std::vector<std::byte> expected(static_cast<std::size_t>(element_size_));
    test::for_each_point(sample_.need(rank, rank + 1), [&](const Point& p) {
      const test::ExpectedSource source = test::expected_source(sample_, p);
      if (source.constant)
        std::copy_n(sample_.boundary.constant.begin(), element_size_, expected.begin());
      else
        write_pattern(expected.data(), source.point);
      wrong += source.defined && std::memcmp(expected.data(), element(rank, p), expected.size()) != 0;
    });
    return wrong;
  }

 private:
  std::byte* element(int rank, const Point& p) {
    const auto index = static_cast<std::size_t>(rank);
    const ArrayReference array = layouts_[index].reference(memory_[index].data());
    std::int64_t offset = 0;
    for (int d = 0; d < max_dimensions; ++d) offset += array.strides[d] * p[d];
    return array.origin + offset * element_size_;
  }
  void write_pattern(std::byte* to, const Point& p) const {
    for (std::int64_t i = 0; i < element_size_; ++i)
      to[i] = static_cast<std::byte>(test::pattern(p) >> (8 * (i % 8)) ^ static_cast<std::uint64_t>(i / 8));
  }
  void receive(int rank, const Message& m) {
    const auto to = static_cast<std::size_t>(rank), from = static_cast<std::size_t>(m.partner);
    if (!m.in_place) {
      copy_points(ExecutionSpace(), layouts_[from].reference(memory_[from].data()),
                  layouts_[to].reference(memory_[to].data()), m.box, element_size_, m.shift);
      return;
    }
    Point first, last, first_source;
    for (int d = 0; d < m.box.dimensions; ++d) {
      first[d] = m.box[d].begin;
      last[d] = m.box[d].end - 1;
      first_source[d] = m.source()[d].begin;
    }
    const auto bytes = element(rank, last) - element(rank, first) + element_size_;
    std::memcpy(element(rank, first), element(m.partner, first_source), static_cast<std::size_t>(bytes));
    ++in_place_;
  }

 public:
  int in_place_ = 0;

 private:
  const ExchangeSample& sample_;
  std::int64_t element_size_;
  std::vector<BlockLayout> layouts_;
  std::vector<Kokkos::View<std::byte*, compat::HostPinnedSpace>> memory_;
};

TEST(Rehearsal, EveryPointOfEveryNeedIsTheFunctionOfItsCoordinates) {
  test::Random random(54);
  int in_place = 0;
  for (int i = 0; i < 3000; ++i) {
    const int ranks = random.small(1, 12);
    const ExchangeSample sample = test::random_exchange(random, ranks);
    Rehearsed rehearsed(sample, ranks, random.one_of<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 16, 24}));
    for (int rank = 0; rank < ranks; ++rank) rehearsed.exchange(rank);
    for (int rank = 0; rank < ranks; ++rank)
      ASSERT_EQ(rehearsed.wrong_points(rank), 0) << sample.text() << ", rank " << rank << " of " << ranks;
    in_place += rehearsed.in_place_;
  }
  EXPECT_GT(in_place, 1000);
}

}  // namespace
