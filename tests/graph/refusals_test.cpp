// SPDX-License-Identifier: BSD-3-Clause
// Each graph that cannot run is refused before it starts, by one line that says what to do.
#include <gtest/gtest.h>

#include <memory>

#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to, graph_test::message_of, graph_test::pass_on;

/// Returns the message about the graph "g" that `build` fills.
template <class Build>
std::string refusal_of(const Build& build, const RunOptions& options = {}) {
  return message_of([&] {
    Graph g("g");
    build(g);
    g.check(options);
  });
}

/// Adds the source 'count', and a sink 'write' of it.
Flow<int> add_count(Graph& g) {
  const auto numbers = g.source("count", {}, count_to(3));
  g.sink(
      "write", {}, [](int) {}, numbers);
  return numbers;
}

/// Emits what it gets twice.
struct Twice {
  void operator()(int x, Out<int>& out) const { out(x), out(x); }
};
struct Keep {
  void operator()(int) const {}
};
struct LaunchAndKeep {
  static constexpr bool launches_kernels = true;
  void operator()(int) const {}
};
struct LaunchAndPass {
  static constexpr bool launches_kernels = true;
  int operator()(int x) const { return x; }
};

TEST(GraphRefusals, GraphsHaveASource) {
  EXPECT_EQ(refusal_of([](Graph&) {}), "graph 'g' has no source: add one");
  EXPECT_EQ(refusal_of([](Graph& g) { add_count(g); }), "no exception");
}

TEST(GraphRefusals, TasksHaveNamesOfTheirOwn) {
  EXPECT_EQ(refusal_of([](Graph& g) { g.source("", {}, count_to(3)); }), "a source of graph 'g' has no name");
  EXPECT_EQ(refusal_of([](Graph& g) { add_count(g), g.discard(g.source("write", {}, count_to(3))); }),
            "two tasks are called 'write': give one of them another name");
}

TEST(GraphRefusals, PoolsHaveNamesOfTheirOwn) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              add_count(g);
              const auto make = [] { return 0; };
              const Pool<int> first(g, "pool", {}, make), second(g, "pool", {}, make);
            }),
            "two pools are called 'pool': give one of them another name");
}

TEST(GraphRefusals, FlowsAreRead) {
  const auto unread = [](Graph& g) { return g.task("make", {}, pass_on<int>(), add_count(g)); };
  EXPECT_EQ(refusal_of(unread), "nobody reads what task 'make' emits: add a task that does, or discard it");
  EXPECT_EQ(refusal_of([&](Graph& g) { g.discard(unread(g)); }), "no exception");
}

TEST(GraphRefusals, FlowsBelongToTheGraph) {
  EXPECT_EQ(refusal_of([](Graph& g) { g.task("make", {}, pass_on<int>(), Flow<int>()); }),
            "graph 'g' does not have a flow that it is given: use its own");
  EXPECT_EQ(refusal_of([](Graph& g) {
              Graph other("other");
              const auto more = other.task("more", {}, pass_on<int>(), add_count(other));
              const auto numbers = add_count(g);
              g.keeper("keep", {.order = Order::stamp}, Keep{}, numbers, more);
            }),
            "graph 'g' does not have a flow that it is given: use its own");
}

TEST(GraphRefusals, ValuesThatAreMovedHaveOneReader) {
  EXPECT_EQ(
      refusal_of([](Graph& g) {
        const auto made = g.task(
            "make", {}, [](int x) { return std::make_unique<int>(x); }, add_count(g));
        g.sink(
            "one", {}, [](std::unique_ptr<int>) {}, made);
        g.sink(
            "two", {}, [](const std::unique_ptr<int>&) {}, made);
      }),
      "sink 'one' takes its items by value, but shares them with 1 others: take them by const reference");
}

TEST(GraphRefusals, WorkersAreCounted) {
  EXPECT_EQ(refusal_of([](Graph& g) { g.sink("sink", {.workers = -1}, Keep{}, add_count(g)); }),
            "sink 'sink' has -1 workers: give 1 or more");
  EXPECT_EQ(refusal_of([](Graph& g) {
              g.sink("sink", {.workers = 2, .order = Order::stamp}, Keep{}, add_count(g));
            }),
            "sink 'sink' runs one body at a time, but has 2 workers: leave them out");
  EXPECT_EQ(refusal_of([](Graph& g) {
              g.keeper("keep", {.workers = 3, .order = Order::arrival}, Keep{}, add_count(g));
            }),
            "keeper 'keep' runs one body at a time, but has 3 workers: leave them out");
  EXPECT_EQ(refusal_of([](Graph& g) { g.discard(g.source("read", {.workers = 2}, count_to(3))); }),
            "source 'read' runs one body at a time, but has 2 workers: leave them out");
}

TEST(GraphRefusals, KernelsRunAtTheirPlace) {
  const auto at = [](Task options) {
    return refusal_of([&](Graph& g) { g.sink("solve", options, LaunchAndKeep{}, add_count(g)); });
  };
  EXPECT_EQ(at({.workers = 4}),
            "'solve' launches Kokkos kernels on 4 workers: use Place::kernels(), or calling-thread plans");
  EXPECT_EQ(at({.workers = 1}),
            "'solve' launches Kokkos kernels on a worker: use Place::kernels(), or calling-thread plans");
  EXPECT_EQ(refusal_of([&](Graph& g) { g.discard(g.task("solve", {}, LaunchAndPass{}, add_count(g))); }),
            "'solve' launches Kokkos kernels on all workers: use Place::kernels(), or calling-thread plans");
  EXPECT_EQ(at({.on = Place::kernels()}), "no exception");
  EXPECT_EQ(at({.on = Place::device(0)}), "no exception");
}

TEST(GraphRefusals, KeepersSayTheirOrder) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto numbers = add_count(g);
              g.keeper("match", {}, Keep{}, numbers, numbers);
            }),
            "keeper 'match' keeps state and reads 2 flows: say Order::stamp or Order::arrival");
  EXPECT_EQ(refusal_of([](Graph& g) { g.keeper("match", {}, Keep{}, add_count(g)); }),
            "keeper 'match' keeps state and reads 1 flow: say Order::stamp or Order::arrival");
}

TEST(GraphRefusals, OrderedTasksGetOneItemPerStamp) {
  EXPECT_EQ(
      refusal_of([](Graph& g) {
        g.sink("write it", {.order = Order::stamp}, Keep{},
               g.task("pass", {}, pass_on<int>(), g.task<int>("split", {}, Twice{}, add_count(g))));
      }),
      "sink 'write it' is ordered, but 'split' emits several items per stamp: scatter and gather, or say "
      "`single`");
}

TEST(GraphRefusals, MatchedInputsHaveOneItemPerStamp) {
  const auto add = [](int x, int y) { return x + y; };
  EXPECT_EQ(
      refusal_of([&](Graph& g) {
        const auto numbers = add_count(g);
        g.discard(g.task("add", {}, add, numbers, g.task<int>("split", {}, Twice{}, numbers)));
      }),
      "task 'add' reads items of equal stamps, but 'split' emits several items per stamp: use a keeper");
  EXPECT_EQ(refusal_of([&](Graph& g) {
              const auto numbers = add_count(g);
              g.discard(g.task("add", {}, add, numbers, g.merge("both", std::vector{numbers, numbers})));
            }),
            "task 'add' reads items of equal stamps, but 'both' emits several items per stamp: use a keeper");
}

TEST(GraphRefusals, GathersGetOneItemPerPart) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto parts = g.scatter<int>("split", {}, Twice{}, add_count(g));
              g.discard(g.gather("join", g.task<int>("again", {}, Twice{}, parts)));
            }),
            "gather 'join' collects one item per part, but 'again' emits several: scatter and gather those");
  EXPECT_EQ(refusal_of([](Graph& g) {
              g.discard(g.gather("join", g.scatter<int>("split", {}, Twice{}, add_count(g))));
            }),
            "no exception");
}

TEST(GraphRefusals, InputsBelongToOneRegion) {
  const auto add = [](int x, int y) { return x + y; };
  EXPECT_EQ(
      refusal_of([&](Graph& g) {
        const auto numbers = add_count(g);
        g.discard(g.task("add", {}, add, numbers, g.scatter<int>("split", {}, Twice{}, numbers)));
      }),
      "task 'add' reads 'count' and 'split', whose items never have equal stamps: use a keeper outside of "
      "loops and scatters");
  EXPECT_EQ(
      refusal_of([&](Graph& g) {
        g.discard(g.task("add", {}, add, add_count(g), g.source("more", {}, count_to(3))));
      }),
      "task 'add' reads 'count' and 'more', whose items never have equal stamps: use a keeper outside of "
      "loops and scatters");
}

TEST(GraphRefusals, OrderIsOutsideOfLoopsAndParts) {
  EXPECT_EQ(
      refusal_of([](Graph& g) {
        g.sink("write it", {.order = Order::stamp}, Keep{},
               g.scatter<int>("split", {}, Twice{}, add_count(g)));
      }),
      "sink 'write it' is ordered, but 'split' emits inside a loop or a scatter, or below several sources: "
      "order what leaves it");
}

TEST(GraphRefusals, OrderedTasksFeedNoFeedback) {
  struct Around {
    void operator()(int x, Out<int>& out) const { out(x); }
  };
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto back = g.feedback<int>("back", {.most = 2});
              const auto kept =
                  g.keeper<int>("keep", {.order = Order::stamp, .single = true}, Around{}, add_count(g));
              g.discard(g.keeper<int>("mix", {.order = Order::arrival}, Around{}, kept, back));
              g.close(back, kept);
            }),
            "keeper 'keep' is ordered, but feeds feedback 'back': say Order::arrival");
}

TEST(GraphRefusals, FeedbackIsClosedOnce) {
  const auto open = [](Graph& g) {
    const auto numbers = add_count(g);
    const auto back = g.feedback<int>("back", {.most = 2});
    g.keeper("keep", {.order = Order::arrival}, Keep{}, numbers, back);
    return std::pair{back, numbers};
  };
  EXPECT_EQ(refusal_of(open), "feedback 'back' is not closed: name the flow that feeds it");
  EXPECT_EQ(refusal_of([&](Graph& g) {
              const auto [back, numbers] = open(g);
              g.close(back, numbers), g.close(back, numbers);
            }),
            "feedback 'back' is closed twice");
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto numbers = add_count(g);
              g.close(numbers, numbers);
            }),
            "'count' is no feedback");
  EXPECT_EQ(
      refusal_of([](Graph& g) { g.task("alone", {}, pass_on<int>(), g.feedback<int>("back", {.most = 2})); }),
      "a task reads feedback 'back' alone: merge it with another flow, or use a keeper");
}

TEST(GraphRefusals, TurnsAreLimited) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              g.discard(g.loop("turns", {}, add_count(g), pass_on<Flow<int>>(), [](int) { return true; }));
            }),
            "loop 'turns' may take 0 turns: set `most` to 1 or more");
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto back = g.feedback<int>("back", {});
              const auto numbers = add_count(g);
              g.keeper("keep", {.order = Order::arrival}, Keep{}, numbers, back);
              g.close(back, numbers);
            }),
            "feedback 'back' may take 0 turns: set `most` to 1 or more");
}

TEST(GraphRefusals, LoopsReturnAFlowOfTheirTurn) {
  const auto never = [](int) { return true; };
  EXPECT_EQ(refusal_of([&](Graph& g) {
              const auto numbers = add_count(g);
              g.loop(
                  "turns", {.most = 2}, numbers, [&](Flow<int>) { return numbers; }, never);
            }),
            "loop 'turns' must return a flow of its own turn");
  EXPECT_EQ(refusal_of([&](Graph& g) {
              g.loop(
                  "turns", {.most = 2}, add_count(g),
                  [&](Flow<int> turn) { return g.task<int>("split", {}, Twice{}, turn); }, never);
            }),
            "loop 'turns' returns several items per stamp: scatter and gather them");
}

TEST(GraphRefusals, GathersReadParts) {
  EXPECT_EQ(refusal_of([](Graph& g) { g.gather("join", add_count(g)); }),
            "gather 'join' reads a flow that no scatter emits");
}

TEST(GraphRefusals, ATaskReadsAFewFlows) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto x = add_count(g);
              const auto sum = [](int a, int b, int c, int d, int e, int f, int h, int i, int j) {
                return a + b + c + d + e + f + h + i + j;
              };
              g.discard(g.task("sum", {}, sum, x, x, x, x, x, x, x, x, x));
            }),
            "task 'sum' reads 9 flows and 0 pools: at most 8 and 4 are possible");
}

TEST(GraphRefusals, PoolsHaveEnoughBuffers) {
  const auto with = [](PoolOptions options, RunOptions run = {}) {
    return refusal_of(
        [&](Graph& g) {
          add_count(g);
          const Pool<int> pool(g, "ffts", options, [] { return 0; });
        },
        run);
  };
  EXPECT_EQ(with({.count = 2, .per_item = 0}), "pool 'ffts' has 0 buffers per item: give 1 or more");
  EXPECT_EQ(with({.count = 2, .per_item = 3}),
            "pool 'ffts' has 2 buffers, but an item needs 3: raise graph.ffts.count");
  EXPECT_EQ(with({.count = 3, .bytes = 1 << 20}, {.memory = 2 << 20}),
            "the pools of graph 'g' need 3.0 MiB, but may use 2.0 MiB: lower their counts");
  EXPECT_EQ(with({.count = 2, .bytes = 1 << 20}, {.memory = 2 << 20}), "no exception");
}

TEST(GraphRefusals, ATaskTakesNoMoreBuffersThanAnItemHas) {
  EXPECT_EQ(refusal_of([](Graph& g) {
              const Pool<int> pool(g, "rows", {.count = 4}, [] { return 0; });
              g.sink(
                  "two", {}, [](int, const Lease<int>&, const Lease<int>&) {}, add_count(g), pool, pool);
            }),
            "sink 'two' takes 2 buffers of pool 'rows' for each item, whose per_item is 1: raise per_item");
}

TEST(GraphRefusals, SettingsNameTasksAndPools) {
  Graph g("g");
  add_count(g);
  EXPECT_EQ(message_of([&] {
              g.configure({.tasks = {{"cuont", {.workers = 1}}}});
            }),
            "graph 'g' has no task 'cuont'");
  EXPECT_EQ(message_of([&] { g.configure({.pools = {{"ffts", 1}}}); }), "graph 'g' has no pool 'ffts'");
}

}  // namespace
}  // namespace tessera::graph
