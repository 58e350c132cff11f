// SPDX-License-Identifier: BSD-3-Clause
// Each graph that cannot run is refused before it starts, by one line that says what to do.
#include <gtest/gtest.h>

#include <memory>

#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to, graph_test::message_of, graph_test::pass_on;
using test::expect_message;

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
  expect_message(refusal_of([](Graph&) {}), {"graph", "'g'", "no source"});
  EXPECT_EQ(refusal_of([](Graph& g) { add_count(g); }), "no exception");
}

TEST(GraphRefusals, TasksHaveNamesOfTheirOwn) {
  expect_message(refusal_of([](Graph& g) { g.source("", {}, count_to(3)); }),
                 {"source of graph", "'g'", "no name"});
  expect_message(refusal_of([](Graph& g) { add_count(g), g.discard(g.source("write", {}, count_to(3))); }),
                 {"two tasks", "'write'", "them another"});
}

TEST(GraphRefusals, PoolsHaveNamesOfTheirOwn) {
  expect_message(refusal_of([](Graph& g) {
                   add_count(g);
                   const auto make = [] { return 0; };
                   const Pool<int> first(g, "pool", {}, make), second(g, "pool", {}, make);
                 }),
                 {"two pools", "'pool'", "them another"});
}

TEST(GraphRefusals, FlowsAreRead) {
  const auto unread = [](Graph& g) { return g.task("make", {}, pass_on<int>(), add_count(g)); };
  expect_message(refusal_of(unread), {"nobody reads", "what task", "'make'"});
  EXPECT_EQ(refusal_of([&](Graph& g) { g.discard(unread(g)); }), "no exception");
}

TEST(GraphRefusals, FlowsBelongToTheGraph) {
  expect_message(refusal_of([](Graph& g) { g.task("make", {}, pass_on<int>(), Flow<int>()); }),
                 {"'g'", "does not have", "use its own"});
  expect_message(refusal_of([](Graph& g) {
                   Graph other("other");
                   const auto more = other.task("more", {}, pass_on<int>(), add_count(other));
                   const auto numbers = add_count(g);
                   g.keeper("keep", {.order = Order::stamp}, Keep{}, numbers, more);
                 }),
                 {"'g'", "does not have", "use its own"});
}

TEST(GraphRefusals, ValuesThatAreMovedHaveOneReader) {
  expect_message(refusal_of([](Graph& g) {
                   const auto made = g.task(
                       "make", {}, [](int x) { return std::make_unique<int>(x); }, add_count(g));
                   g.sink(
                       "one", {}, [](std::unique_ptr<int>) {}, made);
                   g.sink(
                       "two", {}, [](const std::unique_ptr<int>&) {}, made);
                 }),
                 {"'one'", "shares them", "const reference"});
}

TEST(GraphRefusals, WorkersAreCounted) {
  expect_message(refusal_of([](Graph& g) { g.sink("sink", {.workers = -1}, Keep{}, add_count(g)); }),
                 {"'sink'", "-1 workers", "give 1"});
  expect_message(refusal_of([](Graph& g) {
                   g.sink("sink", {.workers = 2, .order = Order::stamp}, Keep{}, add_count(g));
                 }),
                 {"'sink'", "2 workers", "leave them"});
  expect_message(refusal_of([](Graph& g) {
                   g.keeper("keep", {.workers = 3, .order = Order::arrival}, Keep{}, add_count(g));
                 }),
                 {"'keep'", "3 workers", "leave them"});
  expect_message(refusal_of([](Graph& g) { g.discard(g.source("read", {.workers = 2}, count_to(3))); }),
                 {"'read'", "2 workers", "leave them"});
}

TEST(GraphRefusals, KernelsRunAtTheirPlace) {
  const auto at = [](Task options) {
    return refusal_of([&](Graph& g) { g.sink("solve", options, LaunchAndKeep{}, add_count(g)); });
  };
  expect_message(at({.workers = 4}), {"'solve'", "4 workers", "Place::kernels()"});
  expect_message(at({.workers = 1}), {"'solve'", "a worker:", "Place::kernels()"});
  expect_message(refusal_of([&](Graph& g) { g.discard(g.task("solve", {}, LaunchAndPass{}, add_count(g))); }),
                 {"'solve'", "all workers", "calling-thread plans"});
  EXPECT_EQ(at({.on = Place::kernels()}), "no exception");
  EXPECT_EQ(at({.on = Place::device(0)}), "no exception");
}

TEST(GraphRefusals, KeepersSayTheirOrder) {
  expect_message(refusal_of([](Graph& g) {
                   const auto numbers = add_count(g);
                   g.keeper("match", {}, Keep{}, numbers, numbers);
                 }),
                 {"'match'", "2 flows", "say Order::stamp"});
  expect_message(refusal_of([](Graph& g) { g.keeper("match", {}, Keep{}, add_count(g)); }),
                 {"'match'", "1 flow", "say Order::stamp"});
}

TEST(GraphRefusals, OrderedTasksGetOneItemPerStamp) {
  expect_message(refusal_of([](Graph& g) {
                   g.sink(
                       "write it", {.order = Order::stamp}, Keep{},
                       g.task("pass", {}, pass_on<int>(), g.task<int>("split", {}, Twice{}, add_count(g))));
                 }),
                 {"'write it'", "'split' emits", "say `single`"});
}

TEST(GraphRefusals, MatchedInputsHaveOneItemPerStamp) {
  const auto add = [](int x, int y) { return x + y; };
  expect_message(refusal_of([&](Graph& g) {
                   const auto numbers = add_count(g);
                   g.discard(g.task("add", {}, add, numbers, g.task<int>("split", {}, Twice{}, numbers)));
                 }),
                 {"'add'", "equal stamps", "'split' emits"});
  expect_message(refusal_of([&](Graph& g) {
                   const auto numbers = add_count(g);
                   g.discard(g.task("add", {}, add, numbers, g.merge("both", std::vector{numbers, numbers})));
                 }),
                 {"'add'", "equal stamps", "'both' emits"});
}

TEST(GraphRefusals, GathersGetOneItemPerPart) {
  expect_message(refusal_of([](Graph& g) {
                   const auto parts = g.scatter<int>("split", {}, Twice{}, add_count(g));
                   g.discard(g.gather("join", g.task<int>("again", {}, Twice{}, parts)));
                 }),
                 {"'join'", "emits several", "gather those"});
  EXPECT_EQ(refusal_of([](Graph& g) {
              g.discard(g.gather("join", g.scatter<int>("split", {}, Twice{}, add_count(g))));
            }),
            "no exception");
}

TEST(GraphRefusals, InputsBelongToOneRegion) {
  const auto add = [](int x, int y) { return x + y; };
  expect_message(refusal_of([&](Graph& g) {
                   const auto numbers = add_count(g);
                   g.discard(g.task("add", {}, add, numbers, g.scatter<int>("split", {}, Twice{}, numbers)));
                 }),
                 {"'add'", "'count' and 'split'", "equal stamps"});
  expect_message(refusal_of([&](Graph& g) {
                   g.discard(g.task("add", {}, add, add_count(g), g.source("more", {}, count_to(3))));
                 }),
                 {"'add'", "'count' and 'more'", "equal stamps"});
}

TEST(GraphRefusals, OrderIsOutsideOfLoopsAndParts) {
  expect_message(refusal_of([](Graph& g) {
                   g.sink("write it", {.order = Order::stamp}, Keep{},
                          g.scatter<int>("split", {}, Twice{}, add_count(g)));
                 }),
                 {"'write it'", "'split' emits", "several sources"});
}

TEST(GraphRefusals, OrderedTasksFeedNoFeedback) {
  struct Around {
    void operator()(int x, Out<int>& out) const { out(x); }
  };
  expect_message(refusal_of([](Graph& g) {
                   const auto back = g.feedback<int>("back", {.most = 2});
                   const auto kept =
                       g.keeper<int>("keep", {.order = Order::stamp, .single = true}, Around{}, add_count(g));
                   g.discard(g.keeper<int>("mix", {.order = Order::arrival}, Around{}, kept, back));
                   g.close(back, kept);
                 }),
                 {"'keep'", "feedback 'back'", "say Order::arrival"});
}

TEST(GraphRefusals, FeedbackIsClosedOnce) {
  const auto open = [](Graph& g) {
    const auto numbers = add_count(g);
    const auto back = g.feedback<int>("back", {.most = 2});
    g.keeper("keep", {.order = Order::arrival}, Keep{}, numbers, back);
    return std::pair{back, numbers};
  };
  expect_message(refusal_of(open), {"'back'", "not closed", "flow that feeds"});
  expect_message(refusal_of([&](Graph& g) {
                   const auto [back, numbers] = open(g);
                   g.close(back, numbers), g.close(back, numbers);
                 }),
                 {"feedback", "'back'", "closed twice"});
  EXPECT_EQ(refusal_of([](Graph& g) {
              const auto numbers = add_count(g);
              g.close(numbers, numbers);
            }),
            "'count' is not a feedback");
  expect_message(
      refusal_of([](Graph& g) { g.task("alone", {}, pass_on<int>(), g.feedback<int>("back", {.most = 2})); }),
      {"reads feedback", "'back'", "another flow"});
}

TEST(GraphRefusals, TurnsAreLimited) {
  expect_message(
      refusal_of([](Graph& g) {
        g.discard(g.loop("turns", {}, add_count(g), pass_on<Flow<int>>(), [](int) { return true; }));
      }),
      {"'turns'", "may take", "set `most`"});
  expect_message(refusal_of([](Graph& g) {
                   const auto back = g.feedback<int>("back", {});
                   const auto numbers = add_count(g);
                   g.keeper("keep", {.order = Order::arrival}, Keep{}, numbers, back);
                   g.close(back, numbers);
                 }),
                 {"'back'", "may take", "set `most`"});
}

TEST(GraphRefusals, LoopsReturnAFlowOfTheirTurn) {
  const auto never = [](int) { return true; };
  expect_message(refusal_of([&](Graph& g) {
                   const auto numbers = add_count(g);
                   g.loop(
                       "turns", {.most = 2}, numbers, [&](Flow<int>) { return numbers; }, never);
                 }),
                 {"'turns'", "must return", "own turn"});
  expect_message(refusal_of([&](Graph& g) {
                   g.loop(
                       "turns", {.most = 2}, add_count(g),
                       [&](Flow<int> turn) { return g.task<int>("split", {}, Twice{}, turn); }, never);
                 }),
                 {"'turns'", "returns several", "per stamp"});
}

TEST(GraphRefusals, GathersReadParts) {
  expect_message(refusal_of([](Graph& g) { g.gather("join", add_count(g)); }),
                 {"'join'", "reads a flow", "scatter emits"});
}

TEST(GraphRefusals, ATaskReadsAFewFlows) {
  expect_message(refusal_of([](Graph& g) {
                   const auto x = add_count(g);
                   const auto sum = [](int a, int b, int c, int d, int e, int f, int h, int i, int j) {
                     return a + b + c + d + e + f + h + i + j;
                   };
                   g.discard(g.task("sum", {}, sum, x, x, x, x, x, x, x, x, x));
                 }),
                 {"'sum'", "9 flows", "0 pools"});
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
  expect_message(with({.count = 2, .per_item = 0}), {"'ffts'", "0 buffers per item", "give 1"});
  expect_message(with({.count = 2, .per_item = 3}), {"'ffts'", "needs 3", "raise graph.ffts.count"});
  expect_message(with({.count = 3, .bytes = 1 << 20}, {.memory = 2 << 20}),
                 {"need 3.0 MiB", "use 2.0 MiB", "lower"});
  EXPECT_EQ(with({.count = 2, .bytes = 1 << 20}, {.memory = 2 << 20}), "no exception");
}

TEST(GraphRefusals, ATaskTakesNoMoreBuffersThanAnItemHas) {
  expect_message(refusal_of([](Graph& g) {
                   const Pool<int> pool(g, "rows", {.count = 4}, [] { return 0; });
                   g.sink(
                       "two", {}, [](int, const Lease<int>&, const Lease<int>&) {}, add_count(g), pool, pool);
                 }),
                 {"'two'", "pool 'rows'", "whose per_item"});
}

TEST(GraphRefusals, SettingsNameTasksAndPools) {
  Graph g("g");
  add_count(g);
  expect_message(message_of([&] {
                   g.configure({.tasks = {{"cuont", {.workers = 1}}}});
                 }),
                 {"graph", "'g'", "task 'cuont'"});
  expect_message(message_of([&] { g.configure({.pools = {{"ffts", 1}}}); }), {"graph", "'g'", "pool 'ffts'"});
}

}  // namespace
}  // namespace tessera::graph
