// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/redistribution.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "view/exchange_sample.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::Point;

/// Over all ranks, or some of them.
BlockDistribution random_blocks(test::Random& random, const Box& box, int ranks) {
  const int used = random.chance(50) ? ranks : random.small(1, ranks);
  return BlockDistribution(box, box, test::random_grid(random, box.dimensions, used),
                           random.chance(50) ? Slicing::ceil : Slicing::balanced,
                           random.small(0, ranks - used));
}

std::string text_of(const BlockDistribution& from, const BlockDistribution& to) {
  return to_string(from.domain()) + ": " + from.grid().text() + " to " + to.grid().text();
}

/// Gives every point that the rank holds what value(point) says.
template <class T, int N, class Value>
void fill_with(const DistributedView<T, N>& view, const Value& value) {
  const auto host = view.host();
  test::for_each_point(view.required(), [&](const Point& p) {
    test::element<T>(host.reference(), p) = static_cast<T>(value(p));
  });
  host.copy_to_device();
}

template <class T, int N>
void expect_pattern(const DistributedView<T, N>& view, const std::string& text) {
  const auto host = view.host();
  std::int64_t wrong = 0;
  test::for_each_point(view.owned(), [&](const Point& p) {
    wrong += test::element<T>(host.reference(), p) != static_cast<T>(test::pattern(p));
  });
  EXPECT_EQ(wrong, 0) << text;
}

/// There, then back into other memory.
template <class T, int N>
void expect_round_trip(const Communicator& communicator, const BlockDistribution& from,
                       const BlockDistribution& to, std::int64_t buffer_bytes,
                       const Transport& transport = {}) {
  const int rank = communicator.rank();
  const DistributedView<T, N> first("first", from, rank), second("second", to, rank),
      third("third", from, rank);
  fill_with(first, test::pattern);
  Redistribution there(communicator.handle(), from, to, sizeof(T), buffer_bytes, transport);
  Redistribution back(communicator.handle(), to, from, sizeof(T), buffer_bytes, transport);
  EXPECT_LE(there.buffer_bytes(), buffer_bytes);
  for (int round = 0; round < 2; ++round) {
    fill_with(second, [](const Point&) { return 7; });
    there.run(first, second);
    expect_pattern(second, text_of(from, to));
  }
  back.run(second, third);
  expect_pattern(third, text_of(to, from));
}

template <class T>
void expect_round_trip(const Communicator& communicator, const BlockDistribution& from,
                       const BlockDistribution& to, std::int64_t buffer_bytes,
                       const Transport& transport = {}) {
  const auto with_dimensions = [&]<int N>(std::integral_constant<int, N>) {
    if (from.domain().dimensions == N)
      expect_round_trip<T, N>(communicator, from, to, buffer_bytes, transport);
  };
  with_dimensions(std::integral_constant<int, 1>());
  with_dimensions(std::integral_constant<int, 2>());
  with_dimensions(std::integral_constant<int, 3>());
  with_dimensions(std::integral_constant<int, 4>());
}

TEST(Redistribution, BetweenAnyTwoDistributionsAndBack) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(91);
  for (int i = 0; i < 200; ++i) {
    const Box box = test::random_extents(random, random.small(1, 4), 800);
    const BlockDistribution from = random_blocks(random, box, communicator.size());
    const BlockDistribution to = random_blocks(random, box, communicator.size());
    // From one element at a time to all at once. Buffers of devices have copies on the host.
    const std::int64_t buffer_bytes =
        random.one_of<std::int64_t>({runs_on_host ? 16 : 32, 100, 1000, 1 << 20});
    if (random.chance(50))
      expect_round_trip<std::uint64_t>(communicator, from, to, buffer_bytes);
    else
      expect_round_trip<std::uint8_t>(communicator, from, to, buffer_bytes);
  }
}

TEST(Redistribution, FromColumnsToRowsInBoundedMemory) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 700}, {0, 500}};
  const int ranks = communicator.size();
  expect_round_trip<float, 2>(communicator, BlockDistribution(box, box, {1, {ranks, 1, 1, 1}}),
                              BlockDistribution(box, box, {2, {1, ranks, 1, 1}}), 1 << 14);
}

TEST(Redistribution, GathersAndScatters) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{-3, 200}, {5, 90}};
  const int ranks = communicator.size();
  const BlockDistribution spread(box, box, {2, {1, ranks, 1, 1}}, Slicing::balanced);
  for (int root = 0; root < ranks; ++root) {
    const BlockDistribution one(box, box, {1, {1, 1, 1, 1}}, Slicing::ceil, root);
    EXPECT_EQ(one.owned(root), box);
    EXPECT_TRUE(ranks == 1 || one.owned((root + 1) % ranks).empty());
    expect_round_trip<std::uint16_t, 2>(communicator, spread, one, 4096);
  }
}

TEST(Redistribution, ThroughHostCopiesOfBuffers) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 70}, {0, 50}};
  const int ranks = communicator.size();
  const BlockDistribution columns(box, box, {1, {ranks, 1, 1, 1}}), rows(box, box, {2, {1, ranks, 1, 1}});
  Transport transport;
  transport.device_addresses = false;
  for (const std::int64_t buffer_bytes : {32, 1000, 1 << 20})
    expect_round_trip<double>(communicator, columns, rows, buffer_bytes, transport);
  test::expect_message(test::message_of<InternalError>(
                           [&] { Redistribution(communicator.handle(), columns, rows, 8, 31, transport); }),
                       {"too few", "allow at least"});
}

TEST(Redistribution, RefusesOtherViews) {
  const Box box{{0, 10}}, half{{0, 5}};
  const BlockDistribution blocks(box, box, {1, {1, 1, 1, 1}}), others(half, half, {1, {1, 1, 1, 1}});
  const DistributedView<float, 1> from("from", blocks, 0), to("to", others, 0);
  EXPECT_THROW(Redistribution(MPI_COMM_SELF, blocks, blocks, 4).run(from, to), InternalError);
  EXPECT_THROW(Redistribution(MPI_COMM_SELF, blocks, blocks, 8).run(from, from), InternalError);
}

TEST(Redistribution, RefusesWhatItCannotDo) {
  const Box box{{0, 10}}, other{{0, 11}};
  const BlockDistribution blocks(box, box, {1, {1, 1, 1, 1}}), others(other, other, {1, {1, 1, 1, 1}});
  test::expect_message(
      test::message_of<InternalError>([&] { Redistribution(MPI_COMM_SELF, blocks, others, 4); }),
      {"redistribution", "array"});
  EXPECT_EQ(test::message_of<InternalError>([&] { Redistribution(MPI_COMM_SELF, blocks, blocks, 4, 7); }),
            std::string("7 bytes of buffers are too few for elements of 4 bytes: allow at least ") +
                (runs_on_host ? "8" : "16"));
}

TEST(Pieces, CoversTheBoxInOrderWithinTheLimit) {
  test::Random random(92);
  for (int i = 0; i < 500; ++i) {
    const Box box = random.box(random.small(1, 4), -3, 3, 9);
    const std::int64_t most = random.between(1, 60);
    std::vector<int> seen(static_cast<std::size_t>(box.size()), 0);
    const Pieces pieces(box, most);
    for (std::int64_t k = 0; k < pieces.size(); ++k) {
      const Box piece = pieces[k];
      EXPECT_FALSE(piece.empty());
      EXPECT_LE(piece.size(), most) << to_string(box);
      test::for_each_point(piece, [&](const Point& p) { ++seen[test::dense_index(box, p)]; });
    }
    for (int count : seen) EXPECT_EQ(count, 1) << to_string(box) << " in pieces of " << most;
  }
  EXPECT_EQ(Pieces(Box{{0, 10}, {0, 10}}, 30).size(), 4) << "whole rows";
  EXPECT_EQ(Pieces(Box{}, 30).size(), 0);
}

/// Many ranks in one process: what each receives, from whom, as copies.
TEST(TransferLists, MoveEveryPointBetweenAnyTwoDistributions) {
  test::Random random(93);
  for (int i = 0; i < 2000; ++i) {
    const int ranks = random.small(1, 24);
    const Box box = test::random_extents(random, random.small(1, 4), 800);
    const BlockDistribution from = random_blocks(random, box, ranks), to = random_blocks(random, box, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      RankSearch search(ranks);
      const ExchangeLists lists = transfer_lists(
          from, {}, rank, search, [&](int first, int last) { return to.owned_hull(first, last); });
      std::vector<int> seen(static_cast<std::size_t>(box.size()), 0);
      for (const auto* messages : {&lists.receives, &lists.copies})
        for (const Message& m : *messages) {
          EXPECT_TRUE(from.owned(m.partner).contains(m.source())) << text_of(from, to);
          test::for_each_point(m.box, [&](const Point& p) { ++seen[test::dense_index(box, p)]; });
        }
      std::int64_t wrong = 0;
      test::for_each_point(box, [&](const Point& p) {
        wrong += seen[test::dense_index(box, p)] != (to.owned(rank).contains(p) ? 1 : 0);
      });
      ASSERT_EQ(wrong, 0) << text_of(from, to) << ", rank " << rank;
    }
  }
}

}  // namespace
