// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>

#include "messages.hpp"
#include "pipeline/world.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/graph/pipeline_task.hpp"

namespace tessera::graph {
namespace {

using test::expect_message;
using test::world_rank;
using test::world_size;

/// Returns the options of a run on all ranks, with `workers` threads each.
RunOptions on_all_ranks(int workers) { return {.workers = workers, .communicator = MPI_COMM_WORLD}; }

auto count_to(std::int64_t end) {
  return [end](std::int64_t i) { return i < end ? std::optional(i) : std::nullopt; };
}

/// A frame, as a stand-in for an image.
using Frame = std::vector<std::int64_t>;

TEST(GraphRanks, SendByKeyKeepsStampsAndOrder) {
  for (const int workers : {1, 3}) {
    std::vector<std::int64_t> seen;
    Graph g("send");
    const auto frames = g.source("read", {}, [](std::int64_t i) {
      return i < 300 ? std::optional(Frame(static_cast<std::size_t>(i % 17), i)) : std::nullopt;
    });
    const auto dealt = g.send(
        "deal", [](const Frame& frame) { return frame.empty() ? 0 : frame.front(); }, frames);
    const auto sums = g.task(
        "sum", {},
        [](const Frame& frame) {
          return std::accumulate(frame.begin(), frame.end(), std::int64_t(world_rank()) * 0);
        },
        dealt);
    const auto back = g.send(
        "collect", [](std::int64_t) { return 0; }, sums);
    g.sink(
        "write", {.order = Order::stamp}, [&](std::int64_t sum) { seen.push_back(sum); }, back);
    g.run(on_all_ranks(workers)).wait();
    if (world_rank() != 0) {
      EXPECT_TRUE(seen.empty());
      continue;
    }
    ASSERT_EQ(seen.size(), 300U);
    for (std::int64_t i = 0; i < 300; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i % 17 * i);
  }
}

TEST(GraphRanks, AllToAllFromEveryRank) {
  std::int64_t sum = 0, items = 0;
  Graph g("all to all");
  const auto numbers = g.source("count", {.rank = Task::every_rank}, count_to(100));
  const auto moved = g.send(
      "shuffle", [](std::int64_t i) { return i * 7; }, numbers);
  g.keeper(
      "add", {.order = Order::arrival}, [&](std::int64_t i) { sum += i, ++items; }, moved);
  g.run(on_all_ranks(2)).wait();
  std::int64_t totals[2] = {sum, items};
  MPI_Allreduce(MPI_IN_PLACE, totals, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(totals[0], world_size() * 4950);
  EXPECT_EQ(totals[1], world_size() * 100);
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < 100; ++i)
    if (i * 7 % world_size() == world_rank()) expected += i * world_size();
  EXPECT_EQ(sum, expected);
}

TEST(GraphRanks, LoopsAndPartsTravel) {
  std::vector<std::int64_t> seen;
  Graph g("travel");
  const auto numbers = g.source("count", {}, count_to(60));
  const auto grown = g.loop(
      "grow", {.most = 6}, numbers,
      [&](Flow<std::int64_t> turn) {
        const auto there = g.send(
            "there", [](std::int64_t x) { return x; }, turn);
        return g.task(
            "step", {}, [](std::int64_t x) { return 3 * x + 1; }, there);
      },
      [](const std::int64_t& x) { return x % 5 == 0; });
  const auto home = g.send(
      "home", [](std::int64_t) { return 0; }, grown);
  const auto parts = g.scatter<std::int64_t>(
      "split", {},
      [](std::int64_t x, Out<std::int64_t>& out) {
        for (std::int64_t part = 0; part < x % 4; ++part) out(x + part);
      },
      home);
  const auto away = g.send(
      "away", [](std::int64_t x) { return x; }, parts);
  const auto worked = g.task(
      "work", {}, [](std::int64_t x) { return x * x; }, away);
  const auto back = g.send(
      "back", [](std::int64_t) { return 0; }, worked);
  g.sink(
      "write", {.order = Order::stamp},
      [&](const std::vector<std::int64_t>& all) {
        std::int64_t sum = 0;
        for (const std::int64_t part : all) sum = 31 * sum + part;
        seen.push_back(sum);
      },
      g.gather("join", back));
  g.run(on_all_ranks(2)).wait();
  if (world_rank() != 0) return;
  ASSERT_EQ(seen.size(), 60U);
  for (std::int64_t i = 0; i < 60; ++i) {
    std::int64_t x = i;
    for (int turn = 0; turn < 6; ++turn) {
      x = 3 * x + 1;
      if (x % 5 == 0) break;
    }
    std::int64_t sum = 0;
    for (std::int64_t part = 0; part < x % 4; ++part) sum = 31 * sum + (x + part) * (x + part);
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], sum);
  }
}

TEST(GraphRanks, PairsMeetOnAnotherRank) {
  std::vector<std::int64_t> seen;
  Graph g("pairs");
  const auto numbers = g.source("count", {}, count_to(100));
  const auto key = [](std::int64_t x) { return x / 1000; };
  const auto one = g.send("one", key,
                          g.task(
                              "first", {}, [](std::int64_t i) { return i * 1000 + 1; }, numbers));
  const auto two = g.send("two", key,
                          g.task(
                              "second", {}, [](std::int64_t i) { return i * 1000 + 2; }, numbers));
  const auto sums = g.task(
      "sum", {}, [](std::int64_t a, std::int64_t b) { return a + b; }, one, two);
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t x) { seen.push_back(x); },
      g.send(
          "back", [](std::int64_t) { return 0; }, sums));
  g.run(on_all_ranks(2)).wait();
  if (world_rank() != 0) return;
  ASSERT_EQ(seen.size(), 100U);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 2000 * i + 3);
}

TEST(GraphRanks, ItemsGoToEachOfAListOfRanksOnce) {
  for (const int workers : {1, 3}) {
    const std::int64_t size = world_size();
    std::vector<std::int64_t> seen;
    Graph g("several");
    const auto numbers = g.source("count", {.rank = Task::every_rank}, count_to(200));
    const auto named = g.task(
        "name", {}, [](std::int64_t i) { return 1000 * world_rank() + i; }, numbers);
    // To no rank, to some twice over, and beyond the number of ranks.
    const auto spread = g.send(
        "spread",
        [](std::int64_t i) {
          std::vector<int> keys;
          for (int key = 0; key < i % 4; ++key) keys.push_back(static_cast<int>(i % 1000) + 2 * key);
          return keys;
        },
        named);
    g.keeper(
        "see", {.order = Order::arrival}, [&](std::int64_t i) { seen.push_back(i); }, spread);
    g.run(on_all_ranks(workers)).wait();
    std::vector<std::int64_t> expected;
    for (std::int64_t from = 0; from < size; ++from)
      for (std::int64_t i = 0; i < 200; ++i)
        for (std::int64_t key = 0; key < (1000 * from + i) % 4; ++key)
          if ((i + 2 * key) % size == world_rank()) {
            expected.push_back(1000 * from + i);
            break;
          }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, expected);
  }
}

TEST(GraphRanks, FlowsOfItemsThatGoToSeveralRanksAreNotOrdered) {
  Graph g("several");
  const auto spread = g.send(
      "spread",
      [](std::int64_t) {
        return std::array{0, 1};
      },
      g.source("count", {}, count_to(3)));
  g.sink(
      "write", {.order = Order::stamp}, [](std::int64_t) {}, spread);
  EXPECT_THROW(g.check(), InputError);
}

/// A value that lists its members.
struct Part {
  int number = 0;
  std::string name;
  std::vector<double> values;
  static auto members(auto& part) { return std::tie(part.number, part.name, part.values); }
};

TEST(GraphRanks, LeasesTravelByTheValuesInTheirBuffers) {
  // The pool has no buffer to spare, and what comes from other ranks takes none.
  std::int64_t sum = 0;
  Graph g("leases");
  const Pool<Part> parts(g, "parts", {.count = 1}, [] { return Part{}; });
  const auto filled = g.source(
      "fill", {.rank = Task::every_rank},
      [](std::int64_t i, Lease<Part> part) {
        if (i == 100) return std::optional<Lease<Part>>();
        *part = {static_cast<int>(i), std::to_string(i),
                 std::vector<double>(static_cast<std::size_t>(i % 7), 0.5)};
        return std::optional(part);
      },
      parts);
  const auto moved = g.send(
      "move",
      [](const Lease<Part>& part) {
        return std::array{world_rank(), world_rank() + part->number};
      },
      filled);
  g.sink(
      "add", {},
      [&](const Lease<Part>& part) {
        EXPECT_EQ(part->name, std::to_string(part->number));
        EXPECT_EQ(part->values, std::vector<double>(static_cast<std::size_t>(part->number % 7), 0.5));
        sum += part->number;
      },
      moved);
  g.run(on_all_ranks(2)).wait();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < 100; ++i) expected += world_size() * i * (i % world_size() == 0 ? 1 : 2);
  EXPECT_EQ(sum, expected);
}

TEST(GraphRanks, ErrorOfOneRankEndsAll) {
  const int last = world_size() - 1;
  Graph g("fails");
  const auto numbers = g.source("count", {}, count_to(100000));
  const auto dealt = g.send(
      "deal", [](std::int64_t i) { return i; }, numbers);
  g.sink(
      "write", {},
      [last](std::int64_t i) {
        if (world_rank() == last && i > 50) throw InputError("disk is full");
      },
      dealt);
  try {
    g.run(on_all_ranks(2)).wait();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "disk is full");
  }
}

TEST(GraphRanks, FinishRunsOnAllRanks) {
  struct Sum {
    std::int64_t sum = 0;
    void operator()(std::int64_t i, Out<std::int64_t>&) { sum += i; }
    void finish(Out<std::int64_t>& out) { out(sum); }
  };
  std::int64_t total = 0;
  Graph g("finish");
  const auto numbers = g.source("count", {}, count_to(1000));
  const auto dealt = g.send(
      "deal", [](std::int64_t i) { return i; }, numbers);
  const auto sums = g.keeper<std::int64_t>("sum", {.order = Order::arrival}, Sum{}, dealt);
  g.sink(
      "total", {}, [&](std::int64_t sum) { total += sum; },
      g.send(
          "back", [](std::int64_t) { return 0; }, sums));
  g.run(on_all_ranks(2)).wait();
  EXPECT_EQ(total, world_rank() == 0 ? 499500 : 0);
}

TEST(GraphRanks, SmallPoolOnAnotherRankIsNamed) {
  const int last = world_size() - 1;
  struct Keep {
    std::vector<Lease<int>> kept;
    void operator()(const Lease<int>& x) { kept.push_back(x); }
  };
  Graph g("pools");
  Pool<int> buffers(g, "buffers", {.count = 3}, [] { return 0; });
  const auto numbers = g.source("count", {}, count_to(20));
  const auto there = g.send(
      "there", [last](std::int64_t) { return last; }, numbers);
  const auto leases = g.task(
      "fill", {}, [](std::int64_t, Lease<int> to) { return to; }, there, buffers);
  g.keeper("keep", {.order = Order::arrival}, Keep{}, leases);
  try {
    g.run(on_all_ranks(1)).wait();
    FAIL();
  } catch (const InputError& error) {
    expect_message(error.what(), {"'buffers'", "'fill' waits", "raise graph.buffers.count"});
  }
}

TEST(GraphRanks, OrderedTasksStayWithTheirSource) {
  if (world_size() == 1) return;
  Graph g("order");
  const auto numbers = g.source("count", {}, count_to(20));
  const auto there = g.send(
      "there", [](std::int64_t) { return 1; }, numbers);
  g.sink(
      "write", {.order = Order::stamp}, [](std::int64_t) {}, there);
  try {
    g.run(on_all_ranks(1)).wait();
    FAIL();
  } catch (const InputError& error) {
    expect_message(error.what(), {"'write'", "gets item", "items back"});
  }
}

TEST(GraphRanks, DifferentGraphsAreRefused) {
  if (world_size() == 1) return;
  Graph g("differs");
  const auto numbers = g.source("count", {}, count_to(20));
  g.sink(
      world_rank() == 0 ? "write" : "save", {}, [](std::int64_t) {}, numbers);
  try {
    g.run(on_all_ranks(2)).wait();
    FAIL();
  } catch (const InputError& error) {
    expect_message(error.what(), {"'differs'", "differs between", "same graph"});
  }
}

TEST(GraphRanks, ValuesAreBroadcastAndGathered) {
  const int last = world_size() - 1;
  const std::vector<std::string> mine(static_cast<std::size_t>(world_rank()), std::to_string(world_rank()));
  EXPECT_EQ(broadcast(MPI_COMM_WORLD, mine, last),
            std::vector<std::string>(static_cast<std::size_t>(last), std::to_string(last)));
  std::vector<std::string> expected;
  for (int rank = 0; rank <= last; ++rank)
    expected.insert(expected.end(), static_cast<std::size_t>(rank), std::to_string(rank));
  EXPECT_EQ(gathered(MPI_COMM_WORLD, mine), expected);
}

TEST(GraphRanks, StopEndsTheSourcesOfAllRanks) {
  Graph g("stop");
  const auto numbers =
      g.source("count", {.rank = Task::every_rank}, [](std::int64_t i) { return std::optional(i); });
  std::atomic<std::int64_t> items = 0;
  g.sink(
      "write", {}, [&](std::int64_t) { ++items; }, numbers);
  auto run = g.run(on_all_ranks(1));
  if (world_rank() == 0) {
    while (items == 0) std::this_thread::yield();
    run.stop();
  }
  run.wait();
  EXPECT_TRUE(run.report().is_stopped);
  EXPECT_EQ(run.report().items, items);
}

TEST(PackedImages, TravelWithoutPadding) {
  std::vector<std::int64_t> seen;
  const Box box{{2, 5}, {1, 3}};
  std::array<std::uint16_t, 14> padded{};
  const HostBlock rows{reinterpret_cast<std::byte*>(padded.data()), ElementType::uint16, box, {1, 7}};
  Graph g("packed");
  const auto images = g.source("pack", {}, [&](std::int64_t i) {
    for (std::size_t at = 0; at < padded.size(); ++at)
      padded[at] = static_cast<std::uint16_t>(100 * static_cast<std::size_t>(i) + at);
    return i < 20 ? std::optional(packed(i, rows)) : std::nullopt;
  });
  const auto sums = g.task(
      "unpack", {.workers = 1},
      [box](const PackedImage& image) {
        std::array<std::uint16_t, 10> wide{};
        unpack(image, {reinterpret_cast<std::byte*>(wide.data()), ElementType::uint16, box, {1, 5}});
        return std::accumulate(wide.begin(), wide.end(), std::int64_t(wide[3] + wide[4]));
      },
      g.send(
          "deal", [](const PackedImage& image) { return image.index; }, images));
  g.sink(
      "keep", {.order = Order::stamp}, [&](std::int64_t sum) { seen.push_back(sum); },
      g.send(
          "collect", [](std::int64_t) { return 0; }, sums));
  g.run(on_all_ranks(2)).wait();
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], 600 * static_cast<std::int64_t>(i) + 0 + 1 + 2 + 7 + 8 + 9);
  EXPECT_EQ(seen.size(), world_rank() == 0 ? 20U : 0U);
  std::array<std::byte, 4> few{};
  EXPECT_THROW(unpack(packed(0, rows), {few.data(), ElementType::uint8, {{0, 2}, {0, 2}}, {1, 2}}),
               InternalError);
}

}  // namespace
}  // namespace tessera::graph
