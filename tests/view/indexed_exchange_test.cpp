// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/indexed_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;

/// Ranks with different numbers of elements. Other ranks need some of them.
class IndexedExchangeTest : public testing::Test {
 protected:
  IndexedExchangeTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    // Rank 1 has none.
    for (int rank = 0; rank < ranks_; ++rank)
      bounds_.push_back(bounds_.back() + (rank == 1 ? 0 : 40 + 7 * rank));
  }

  std::int64_t first() const { return bounds_[static_cast<std::size_t>(rank_)]; }
  std::int64_t last() const { return bounds_[static_cast<std::size_t>(rank_) + 1]; }

  /// Elements of all other ranks, of each one in falling order.
  std::vector<std::int64_t> needed(std::int64_t step) const {
    std::vector<std::int64_t> indices;
    for (int owner = 0; owner < ranks_; ++owner)
      for (std::int64_t i = bounds_[static_cast<std::size_t>(owner) + 1] - 1;
           owner != rank_ && i >= bounds_[static_cast<std::size_t>(owner)]; i -= step + rank_)
        indices.push_back(i);
    return indices;
  }

  /// Exchanges values that follow from the index and the round, and expects to get those of the others.
  template <class T>
  void expect_values(std::int64_t step) const {
    const std::vector<std::int64_t> ghosts = needed(step);
    IndexLists lists = index_lists(MPI_COMM_WORLD, bounds_, ghosts);
    EXPECT_EQ(lists.received_count(), std::ssize(ghosts));
    // Own elements lie in reverse order.
    const std::int64_t own = last() - first();
    for (SentElements& elements : lists.sent)
      for (std::int64_t& index : elements.indices) {
        ASSERT_TRUE(first() <= index && index < last());
        index = last() - 1 - index;
      }
    const Kokkos::View<T*, MemorySpace> array("array", static_cast<std::size_t>(own) + ghosts.size());
    const auto host = Kokkos::create_mirror_view(array);
    IndexedExchange<T> exchange(MPI_COMM_WORLD, 5, lists, array, own);
    EXPECT_EQ(exchange.sent_bytes(), lists.sent_count() * static_cast<std::int64_t>(sizeof(T)));
    const ExecutionSpace execution;
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t i = 0; i < own; ++i) host(i) = value<T>(last() - 1 - i, round);
      Kokkos::deep_copy(array, host);
      exchange.start(execution);
      // The elements that are sent have been packed, so that they may be written at once.
      const auto own_part = Kokkos::subview(array, std::pair<std::int64_t, std::int64_t>(0, own));
      Kokkos::deep_copy(own_part, T(-1));
      exchange.finish(execution);
      compat::fence(execution);
      Kokkos::deep_copy(host, array);
      for (std::size_t i = 0; i < ghosts.size(); ++i)
        ASSERT_EQ(host(static_cast<std::size_t>(own) + i), value<T>(ghosts[i], round)) << ghosts[i];
    }
  }

  template <class T>
  static T value(std::int64_t index, int round) {
    return static_cast<T>(index * 1000 + round);
  }

  int rank_ = 0, ranks_ = 1;
  std::vector<std::int64_t> bounds_{0};
};

TEST_F(IndexedExchangeTest, RanksGetTheElementsThatTheyNeed) {
  for (const std::int64_t step : {1, 5, 1000}) {
    expect_values<double>(step);
    expect_values<std::int64_t>(step);
  }
}

TEST_F(IndexedExchangeTest, NothingMayBeNeeded) {
  const IndexLists lists = index_lists(MPI_COMM_WORLD, bounds_, {});
  EXPECT_TRUE(lists.sent.empty() && lists.received.empty());
  IndexedExchange<double> exchange(MPI_COMM_WORLD, 5, lists, Kokkos::View<double*, MemorySpace>("array", 3),
                                   3);
  exchange.start({});
  exchange.finish({});
}

TEST_F(IndexedExchangeTest, OnlyElementsOfOthersInTheOrderOfOwnersAreTaken) {
  const auto refused = [](const std::vector<std::int64_t>& indices) {
    EXPECT_THROW(index_lists(MPI_COMM_SELF, {0, 10}, indices), InternalError);
  };
  refused({3});
  refused({10});
  refused({-1});
}

/// Each rank needs elements of several ranks, in the wrong order.
TEST_F(IndexedExchangeTest, AWrongOrderOfOwnersIsRefused) {
  if (ranks_ < 3) return;
  const std::vector<std::int64_t> bounds{0, 10, 20, 30};
  std::vector<std::int64_t> all{5, 15, 25};
  std::vector<std::int64_t> padded = bounds;
  padded.resize(static_cast<std::size_t>(ranks_) + 1, 30);
  if (rank_ < 3) all.erase(all.begin() + rank_);
  std::ranges::reverse(all);
  EXPECT_THROW(index_lists(MPI_COMM_WORLD, padded, all), InternalError);
}

}  // namespace
