// SPDX-License-Identifier: BSD-3-Clause
// The terms of IDEA (image processing by dataflow: ports, channels, control signals), as graphs have them.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>

#include "messages.hpp"
#include "small_graphs.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::message_of;

TEST(Idea, PortChannelDatablock) {
  // Parameters are ports, flows are channels, and items of any type are data blocks, which readers share.
  struct Image {
    std::vector<float> values;
    const float* address() const { return values.data(); }
  };
  for (const int workers : {1, 2, 4}) {
    Graph g("ports");
    const auto images = g.source("camera", {}, [](std::int64_t i) {
      return i < 50 ? std::optional(
                          std::make_shared<Image>(Image{std::vector<float>(10, static_cast<float>(i))}))
                    : std::nullopt;
    });
    const auto sums = g.task(
        "sum", {},
        [](const std::shared_ptr<Image>& image) {
          return std::accumulate(image->values.begin(), image->values.end(), 0.0F);
        },
        images);
    const auto texts = g.task(
        "name", {}, [](const std::shared_ptr<Image>& image) { return std::to_string(image->values.size()); },
        images);
    std::vector<std::string> seen;
    g.sink(
        "show", {.order = Order::stamp},
        [&](const std::shared_ptr<Image>& image, float sum, const std::string& text) {
          EXPECT_EQ(sum, 10 * image->values[0]) << "values of one stamp meet";
          seen.push_back(text);
        },
        images, sums, texts);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, std::vector<std::string>(50, "10"));
  }
}

/// Keeps an item that must not go on yet, and lets two go at once later.
struct Queue {
  std::deque<int> kept = {};
  void operator()(int x, Out<int>& out) {
    kept.push_back(x);
    if (x % 4 != 3) return;
    for (; !kept.empty(); kept.pop_front()) out(kept.front());
  }
};

TEST(Idea, PredicatedChannelDrops) {
  for (const int workers : {1, 2, 4}) {
    Graph g("drop");
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen),
           g.task(
               "even", {}, [](int x) { return x % 2 == 0 ? std::optional(x / 2) : std::nullopt; },
               g.source("count", {}, count_to(100))));
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, first_numbers(50));
  }
}

TEST(Idea, PredicatedChannelQueues) {
  for (const int workers : {1, 2, 4}) {
    Graph g("queue");
    std::vector<int> seen;
    g.keeper("write", {.order = Order::arrival}, append_to(seen),
             g.keeper<int>("queue", {.order = Order::stamp}, Queue{}, g.source("count", {}, count_to(102))));
    g.run({.workers = workers}).wait();
    std::ranges::sort(seen);
    EXPECT_EQ(seen, first_numbers(100)) << "the last two still wait for the predicate";
  }
}

TEST(Idea, InitializerChannel) {
  // The item that enters a loop is the value of its first turn.
  for (const int workers : {1, 2, 4}) {
    Graph g("initial");
    std::vector<int> first_values;
    const auto entering = g.task(
        "initial", {}, [](int x) { return std::pair(100 + x, 0); }, g.source("count", {}, count_to(20)));
    const auto left = g.loop(
        "turns", {.most = 3}, entering,
        [&](const Flow<std::pair<int, int>>& turn) {
          return g.task(
              "turn", {},
              [](std::pair<int, int> x) {
                EXPECT_TRUE(x.second > 0 || x.first >= 100);
                return std::pair(x.first + 1, x.second + 1);
              },
              turn);
        },
        [](const std::pair<int, int>&) { return false; });
    g.sink(
        "write", {.order = Order::stamp},
        [&](std::pair<int, int> x) { first_values.push_back(x.first - x.second); }, left);
    g.run({.workers = workers}).wait();
    ASSERT_EQ(first_values.size(), 20U);
    for (int x = 0; x < 20; ++x) EXPECT_EQ(first_values[static_cast<std::size_t>(x)], 100 + x);
  }
}

/// Returns the result of a loop of `most` turns from 1 that ends at `until`, and the number of calls of its
/// body.
template <class Until>
std::pair<std::vector<int>, std::int64_t> run_loop(std::int64_t most, Until until, int workers) {
  Graph g("loop");
  const auto left = g.loop(
      "turns", {.most = most}, g.source("count", {}, count_to(10)),
      [&](const Flow<int>& turn) {
        return g.task(
            "double", {}, [](int x) { return 2 * x + 1; }, turn);
      },
      until);
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), left);
  auto run = g.run({.workers = workers});
  run.wait();
  return {seen, run.report().tasks.at(1).calls};
}

TEST(Idea, IteratorPort) {
  for (const int workers : {1, 2, 4}) {
    // An integer is the number of turns.
    const auto [five, calls_of_five] = run_loop(
        5, [](int) { return false; }, workers);
    EXPECT_EQ(five, (std::vector{31, 63, 95, 127, 159, 191, 223, 255, 287, 319}));
    EXPECT_EQ(calls_of_five, 50);
    // A callback decides, by the data of each item.
    const auto [large, calls_of_large] = run_loop(
        100, [](int x) { return x > 100; }, workers);
    EXPECT_EQ(large, (std::vector{127, 127, 191, 127, 159, 191, 111, 127, 143, 159}));
    EXPECT_EQ(calls_of_large, 7 + 6 + 6 + 5 + 5 + 5 + 4 + 4 + 4 + 4);
  }
}

TEST(Idea, IteratorPortScope) {
  // Items inside a loop have a scope of their own, so that equal turns of one item meet, and no others.
  for (const int workers : {1, 2, 4}) {
    Graph g("scope");
    const auto left = g.loop(
        "turns", {.most = 20}, g.source("count", {}, count_to(30)),
        [&](const Flow<int>& turn) {
          const auto slow = g.loop(
              "inner", {.most = 4}, turn,
              [&](const Flow<int>& inner) {
                return g.task(
                    "add", {}, [](int x) { return x + 1; }, inner);
              },
              [](int x) { return x % 3 == 0; });
          return g.task(
              "meet", {},
              [](int before, int after) {
                EXPECT_EQ(after, before / 3 * 3 + 3);
                return after;
              },
              turn, slow);
        },
        [](int x) { return x >= 30; });
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen), left);
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 30U);
    for (int x = 0; x < 30; ++x) EXPECT_EQ(seen[static_cast<std::size_t>(x)], 30);
  }
}

struct Urgent {
  int number;
};

/// Writes down what comes, by a letter for each input.
struct Ports {
  std::string* seen;
  void operator()(Urgent x) const { *seen += "u" + std::to_string(x.number) + " "; }
  void operator()(int x) const { *seen += "n" + std::to_string(x) + " "; }
};

TEST(Idea, MultiPortPriorities) {
  // Of the items of one stamp, those of the first input come first, even if they have a longer way.
  for (const int workers : {1, 2, 4}) {
    std::string seen;
    Graph g("ports");
    const auto numbers = g.source("count", {}, count_to(4));
    const auto way = g.task(
        "way", {}, [](int x) { return x; }, numbers);
    const auto urgent = g.task(
        "urgent", {}, [](int x) { return x % 2 == 0 ? std::optional(Urgent{x}) : std::nullopt; }, way);
    g.keeper("ports", {.order = Order::stamp}, Ports{&seen}, urgent, numbers);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, "u0 n0 n1 u2 n2 n3 ");
  }
}

TEST(Idea, MultiPortOfSeveralSources) {
  for (const int workers : {1, 2, 4}) {
    std::string seen;
    Graph g("ports");
    const auto urgent = g.source("urgent", {}, [](std::int64_t i) {
      return i < 2 ? std::optional(Urgent{static_cast<int>(i)}) : std::nullopt;
    });
    g.keeper("ports", {.order = Order::stamp}, Ports{&seen}, urgent, g.source("count", {}, count_to(4)));
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, "u0 n0 u1 n1 n2 n3 ");
  }
}

TEST(Idea, ControlSignals) {
  // The end of a frame needs no signal: the scope of the frame closes when nothing of it is under way, at any
  // depth.
  for (const int workers : {1, 2, 4}) {
    Graph g("frames");
    const auto lines = g.scatter<int>(
        "lines", {},
        [](int frame, Out<int>& out) {
          for (int line = 0; line < frame; ++line) out(line);
        },
        g.source("count", {}, count_to(12)));
    const auto points = g.scatter<int>(
        "points", {},
        [](int line, Out<int>& out) {
          for (int point = 0; point < line; ++point) out(point);
        },
        lines);
    const auto kept = g.task(
        "keep", {}, [](int point) { return point % 3 != 0 ? std::optional(point) : std::nullopt; }, points);
    const auto line_sums = g.task(
        "add points", {},
        [](const std::vector<int>& all) { return std::accumulate(all.begin(), all.end(), 0); },
        g.gather("end of line", kept));
    std::vector<std::vector<int>> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen), g.gather("end of frame", line_sums));
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 12U);
    for (int frame = 0; frame < 12; ++frame) {
      std::vector<int> sums;
      for (int line = 0; line < frame; ++line) {
        sums.push_back(0);
        for (int point = 0; point < line; ++point) sums.back() += point % 3 != 0 ? point : 0;
      }
      EXPECT_EQ(seen[static_cast<std::size_t>(frame)], sums);
    }
  }
}

/// Mixes what comes into one number, so that the order matters.
struct Mix {
  std::uint64_t* state;
  void operator()(int x) const { *state = *state * 31 + static_cast<std::uint64_t>(x); }
  void operator()(long x) const { *state = *state * 37 + static_cast<std::uint64_t>(x); }
};

/// Returns the states that all rehearsals of a keeper with this order give, and the text of its graph.
std::pair<std::set<std::uint64_t>, std::string> rehearse_mix(Order order) {
  std::uint64_t state = 0;
  Graph g("mix");
  const auto numbers = g.source("count", {}, count_to(8));
  const auto slow = g.task(
      "slow", {}, [](int x) { return static_cast<long>(x); }, numbers);
  g.keeper("mix", {.order = order}, Mix{&state}, slow, numbers);
  std::set<std::uint64_t> states;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    state = 0;
    g.rehearse(seed);
    states.insert(state);
  }
  return {states, to_text(g)};
}

TEST(Idea, DeterminismRule) {
  test::expect_message(message_of([] { rehearse_mix(Order::unsaid); }),
                       {"'mix'", "keeps state", "say Order::stamp"});
  const auto [stamped, text_of_stamped] = rehearse_mix(Order::stamp);
  EXPECT_EQ(stamped.size(), 1U) << "the order of stamps is one order";
  EXPECT_EQ(text_of_stamped.find("may depend on arrival"), std::string::npos);
  const auto [arrived, text_of_arrived] = rehearse_mix(Order::arrival);
  EXPECT_GT(arrived.size(), 1U) << "rehearsals find out that the order of arrival matters";
  EXPECT_NE(
      text_of_arrived.find("keeper 'mix' sees items as they arrive, so that results may depend on arrival."),
      std::string::npos)
      << text_of_arrived;
}

}  // namespace
}  // namespace tessera::graph
