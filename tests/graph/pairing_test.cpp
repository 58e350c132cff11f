// SPDX-License-Identifier: BSD-3-Clause
// Pairs of items, and how many items are kept for them.
#include "tessera/graph/pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "graph/kept_items.hpp"
#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to, graph_test::message_of, graph_test::most_kept_by_definition;

using Pairs = std::vector<std::array<int, 2>>;
using test::expect_message;

/// Returns some of all pairs of `items` items, in random order and direction.
Pairs random_pairs(int items, std::mt19937& random) {
  Pairs pairs;
  for (int a = 0; a < items; ++a)
    for (int b = 0; b < a; ++b)
      if (random() % 3 == 0) random() % 2 == 0 ? pairs.push_back({a, b}) : pairs.push_back({b, a});
  std::ranges::shuffle(pairs, random);
  return pairs;
}

std::vector<int> random_order(int items, std::mt19937& random) {
  std::vector<int> order = graph_test::first_numbers(items);
  std::ranges::shuffle(order, random);
  return order;
}

TEST(GraphPairing, KeptItemsAreCountedRight) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const int items = static_cast<int>(random() % 12);
    const Pairs pairs = random_pairs(items, random);
    std::vector<int> order = random_order(items, random);
    if (i % 3 == 0 && items > 0) order.pop_back();  // It never comes, so that its partners are kept.
    EXPECT_EQ(Pairing(pairs).most_kept(order), most_kept_by_definition(pairs, order));
  }
  EXPECT_EQ(Pairing().most_kept({}), 0);
}

TEST(GraphPairing, ListsThePairsOfAnItem) {
  const Pairing pairing(std::vector<std::pair<int, int>>{{0, 4}, {2, 0}, {4, 2}});
  EXPECT_EQ(pairing.size(), 3);
  EXPECT_EQ(pairing.items(), 5);
  EXPECT_EQ(pairing[1], (std::array{2, 0}));
  const auto pairs = [&](int item) {
    const std::span<const int> of_item = pairing.pairs_of(item);
    return std::vector<int>(of_item.begin(), of_item.end());
  };
  EXPECT_EQ(pairs(0), (std::vector{0, 1}));
  EXPECT_EQ(pairs(4), (std::vector{0, 2}));
  for (const int item : {-1, 1, 3, 5}) EXPECT_TRUE(pairs(item).empty()) << item;
}

TEST(GraphPairing, NumbersThatArePairsOfNothingAreRefused) {
  expect_message(message_of([] { Pairing(Pairs{{0, 1}, {2, 2}}); }), {"pair 1", "two different numbers"});
  expect_message(message_of([] { Pairing(Pairs{{0, -1}}); }), {"pair 0", "two different numbers"});
}

struct Numbered {
  int number = 0;
  Lease<int> buffer;
};

TEST(GraphPairing, EveryPairIsEmittedOnceAndThePoolIsAsLargeAsItMustBe) {
  std::mt19937 random(2);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const int items = 1 + static_cast<int>(random() % 10);
    const Pairs pairs = random_pairs(items, random);
    const Pairing pairing(pairs);
    const std::vector<int> order = random_order(items, random);
    std::multiset<int> seen;
    Graph g("pairs");
    const Pool<int> buffers(g, "buffers", {.count = pairing.most_kept(order)}, [] { return 0; });
    const auto numbered = g.source(
        "count", {},
        [&](std::int64_t i, Lease<int> buffer) -> std::optional<Numbered> {
          if (i == items) return std::nullopt;
          *buffer = 100 * order[static_cast<std::size_t>(i)];
          return Numbered{order[static_cast<std::size_t>(i)], std::move(buffer)};
        },
        buffers);
    g.sink(
        "check", {},
        [&](const Paired<Numbered>& two) {
          seen.insert(two.pair);
          EXPECT_EQ((std::array{two.first.number, two.second.number}), pairing[two.pair]);
          EXPECT_EQ(*two.first.buffer, 100 * two.first.number);
          EXPECT_EQ(*two.second.buffer, 100 * two.second.number);
        },
        g.pair("pair", pairing, &Numbered::number, numbered));
    seed % 2 == 0 ? static_cast<void>(g.rehearse(seed))
                  : g.run({.workers = 1 + static_cast<int>(seed % 3)}).wait();
    EXPECT_EQ(std::ssize(seen), pairing.size());
    EXPECT_EQ(std::ssize(std::set<int>(seen.begin(), seen.end())), pairing.size());
  }
}

TEST(GraphPairing, ThePoolIsToldToBeTooSmall) {
  Graph g("pairs");
  const Pool<int> buffers(g, "buffers", {.count = 2}, [] { return 0; });
  const auto numbered = g.source(
      "count", {},
      [](std::int64_t i, Lease<int> buffer) -> std::optional<Numbered> {
        if (i == 4) return std::nullopt;
        return Numbered{static_cast<int>(i), std::move(buffer)};
      },
      buffers);
  g.sink(
      "check", {}, [](const auto&) {},
      g.pair("pair", Pairing(Pairs{{0, 3}, {1, 3}, {2, 3}}), &Numbered::number, numbered));
  expect_message(message_of([&] { g.run({.workers = 2}).wait(); }),
                 {"'buffers'", "keeper 'pair'", "raise graph.buffers.count"});
}

TEST(GraphPairing, AnItemThatComesTwiceIsNoticed) {
  Graph g("pairs");
  const auto numbers = g.source("count", {}, count_to(4));
  g.sink(
      "check", {}, [](const auto&) {},
      g.pair(
          "pair", Pairing(Pairs{{0, 1}}), [](int i) { return i % 2; }, numbers));
  expect_message(message_of<InternalError>([&] { g.run({.workers = 2}).wait(); }),
                 {"comes twice", "makes pairs"});
}

/// Runs a graph that makes pairs of the numbers that `number` gives for 0, 1 and 2.
void run_three(Graph& g, const std::function<std::int64_t(int)>& number) {
  g.sink(
      "check", {}, [](const auto&) {},
      g.pair("pair", Pairing(Pairs{{0, 1}, {1, 2}}), number, g.source("count", {}, count_to(3))));
  g.run({.workers = 2}).wait();
}

TEST(GraphPairing, AnItemThatLacksItsPartnerIsNoticed) {
  Graph g("pairs");
  expect_message(message_of<InternalError>([&] { run_three(g, [](int i) { return i == 2 ? 7 : i; }); }),
                 {"1 comes", "makes pairs"});
  // If no item of a pair comes, the pair belongs to another rank.
  Graph none("pairs");
  run_three(none, [](int i) { return i + 3; });
}

TEST(GraphPairing, NumbersThatCannotBeAreNoticed) {
  for (const std::int64_t number : {std::int64_t(-1), std::int64_t(1) << 40}) {
    Graph g("pairs");
    expect_message(
        message_of<InternalError>([&] { run_three(g, [&](int i) { return i == 0 ? number : i; }); }),
        {"makes pairs", "they count", std::to_string(number)});
  }
}

TEST(GraphPairing, ItemsThatAreLeftOutNeedNoPartner) {
  Graph g("pairs");
  const auto numbers = g.task(
      "fail", {.on_error = OnError::skip},
      [](int i) {
        if (i == 2) throw InputError("no");
        return i;
      },
      g.source("count", {}, count_to(3)));
  int pairs = 0;
  g.sink(
      "check", {}, [&](const auto&) { ++pairs; },
      g.pair(
          "pair", Pairing(Pairs{{0, 1}, {1, 2}}), [](int i) { return i; }, numbers));
  g.run({.workers = 2}).wait();
  EXPECT_EQ(pairs, 1);
  Graph stopped("pairs");
  stopped.sink(
      "check", {}, [](const auto&) {},
      stopped.pair(
          "pair", Pairing(Pairs{{0, 1 << 20}}), [](int i) { return i; },
          stopped.source("count", {}, count_to(1 << 20))));
  graph::Run run = stopped.run({.workers = 1});
  run.stop();
  run.wait();
}

}  // namespace
}  // namespace tessera::graph
