// SPDX-License-Identifier: BSD-3-Clause
// What is refused before a graph runs, word for word.
#include <gtest/gtest.h>

#include <functional>

#include "counting.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to;
using Number = std::int64_t;

struct KernelBody {
  static constexpr bool launches_kernels = true;
  Number operator()(Number i) const { return i; }
};
struct Keep {
  void operator()(Number) {}
  void operator()(const std::string&) {}
};
const auto same = [](Number i) { return i; };
const auto several = [](Number i, Out<Number>& out) { out(i), out(i); };
const auto swallow = [](Number) {};

/// Expects that building or checking the graph throws this message.
void expect_refused(const std::string& message, const std::function<void(Graph&, Flow<Number>)>& build,
                    const RunOptions& options = {}) {
  try {
    Graph g("g");
    build(g, g.source("read", {}, count_to(3)));
    g.check(options);
    ADD_FAILURE() << "accepted, but: " << message;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(GraphRefusals, Flows) {
  expect_refused("nobody reads what source 'read' emits: add a task that does, or discard it",
                 [](Graph&, Flow<Number>) {});
  expect_refused("two tasks are called 'write': give one of them another name",
                 [](Graph& g, Flow<Number> read) {
                   g.sink("write", {}, swallow, read);
                   g.sink("write", {}, swallow, read);
                 });
  expect_refused(
      "task 'move' takes its items by value, but shares them with 1 others: take them by const reference",
      [](Graph& g, Flow<Number> read) {
        const auto made = g.task(
            "make", {}, [](Number) { return std::make_unique<int>(1); }, read);
        g.discard(g.task(
            "move", {}, [](std::unique_ptr<int> p) { return *p; }, made));
        g.sink(
            "look", {}, [](const std::unique_ptr<int>&) {}, made);
      });
  expect_refused("gather 'join' reads a flow that no scatter emits",
                 [](Graph& g, Flow<Number> read) { g.discard(g.gather("join", read)); });
}

TEST(GraphRefusals, Orders) {
  expect_refused("keeper 'match' keeps state and reads 2 flows: say Order::stamp or Order::arrival",
                 [](Graph& g, Flow<Number> read) {
                   const auto texts = g.task(
                       "text", {}, [](Number i) { return std::to_string(i); }, read);
                   g.keeper("match", {}, Keep{}, read, texts);
                 });
  expect_refused(
      "sink 'write' is ordered, but 'split' emits several items per stamp: scatter and gather, or say "
      "`single`",
      [](Graph& g, Flow<Number> read) {
        g.sink("write", {.order = Order::stamp}, swallow,
               g.task("pass", {}, same, g.task<Number>("split", {}, several, read)));
      });
  expect_refused(
      "sink 'write' is ordered, but 'split' emits inside a loop or a scatter, or below several sources: "
      "order "
      "what leaves it",
      [](Graph& g, Flow<Number> read) {
        g.sink("write", {.order = Order::stamp}, swallow, g.scatter<Number>("split", {}, several, read));
      });
  expect_refused("keeper 'state' is ordered, but feeds feedback 'back': say Order::arrival",
                 [](Graph& g, Flow<Number> read) {
                   const auto back = g.feedback<Number>("back", {.most = 3});
                   g.close(back, g.keeper<Number>(
                                     "state", {.order = Order::stamp, .single = true},
                                     [](Number i, Out<Number>& out) { out(i); }, read));
                   g.discard(g.merge<Number>("all", {read, back}));
                 });
}

TEST(GraphRefusals, Inputs) {
  expect_refused(
      "task 'sum' reads items of equal stamps, but 'split' emits several items per stamp: use a keeper",
      [](Graph& g, Flow<Number> read) {
        g.discard(g.task(
            "sum", {}, [](Number a, Number b) { return a + b; }, read,
            g.task<Number>("split", {}, several, read)));
      });
  expect_refused(
      "task 'sum' reads 'read' and 'other', whose items never have equal stamps: use a keeper outside of "
      "loops "
      "and scatters",
      [](Graph& g, Flow<Number> read) {
        const auto other = g.source("other", {}, count_to(3));
        g.discard(g.task(
            "sum", {}, [](Number a, Number b) { return a + b; }, read, other));
      });
  expect_refused("loop 'turn' returns several items per stamp: scatter and gather them",
                 [](Graph& g, Flow<Number> read) {
                   g.discard(g.loop(
                       "turn", {.most = 2}, read,
                       [&](Flow<Number> x) { return g.task<Number>("split", {}, several, x); },
                       [](const Number&) { return true; }));
                 });
  expect_refused("loop 'turn' must return a flow of its own turn", [](Graph& g, Flow<Number> read) {
    g.discard(g.loop(
        "turn", {.most = 2}, read, [&](Flow<Number>) { return read; }, [](const Number&) { return true; }));
  });
}

TEST(GraphRefusals, Turns) {
  expect_refused("loop 'turn' may take 0 turns: set `most` to 1 or more", [](Graph& g, Flow<Number> read) {
    g.discard(g.loop(
        "turn", {}, read, [&](Flow<Number> x) { return g.task("pass", {}, same, x); },
        [](const Number&) { return true; }));
  });
  expect_refused("feedback 'back' is not closed: name the flow that feeds it",
                 [](Graph& g, Flow<Number> read) {
                   g.discard(g.merge<Number>("all", {read, g.feedback<Number>("back", {.most = 2})}));
                 });
  expect_refused("feedback 'back' is closed twice", [](Graph& g, Flow<Number> read) {
    const auto back = g.feedback<Number>("back", {.most = 2});
    const auto all = g.merge<Number>("all", {read, back});
    g.close(back, g.task("pass", {}, same, all));
    g.close(back, all);
  });
}

TEST(GraphRefusals, Workers) {
  expect_refused("keeper 'state' runs one body at a time, but has 4 workers: leave them out",
                 [](Graph& g, Flow<Number> read) {
                   g.keeper("state", {.workers = 4, .order = Order::arrival}, Keep{}, read);
                 });
  expect_refused("task 'pass' has -1 workers: give 1 or more",
                 [](Graph& g, Flow<Number> read) { g.discard(g.task("pass", {.workers = -1}, same, read)); });
  expect_refused(
      "'solve' launches Kokkos kernels on 4 workers: use Place::kernels(), or calling-thread plans",
      [](Graph& g, Flow<Number> read) { g.discard(g.task("solve", {.workers = 4}, KernelBody{}, read)); });
}

TEST(GraphRefusals, Pools) {
  expect_refused("pool 'frames' has 2 buffers, but an item needs 3: raise graph.frames.count",
                 [](Graph& g, Flow<Number> read) {
                   const Pool<int> frames(g, "frames", {.count = 2, .per_item = 3}, [] { return 0; });
                   g.sink(
                       "write", {}, [](Number, const Lease<int>&) {}, read, frames);
                 });
  expect_refused("the pools of graph 'g' need 3.0 MiB, but may use 2.0 MiB: lower their counts",
                 [](Graph& g, Flow<Number> read) {
                   const Pool<int> frames(g, "frames", {.count = 3, .bytes = 1 << 20}, [] { return 0; });
                   g.sink(
                       "write", {}, [](Number, const Lease<int>&) {}, read, frames);
                 },
                 {.memory = 2 << 20});
}

TEST(GraphRefusals, Settings) {
  const auto configure = [](const Settings& settings) {
    return [settings](Graph& g, Flow<Number> read) {
      g.sink("write", {}, swallow, read);
      g.configure(settings);
    };
  };
  expect_refused("graph 'g' has no task 'wirte'", configure({.tasks = {{"wirte", {.workers = 2}}}}));
  expect_refused("graph 'g' has no pool 'frames'", configure({.pools = {{"frames", 2}}}));
}

TEST(GraphRefusals, NoSource) {
  Graph g("empty");
  try {
    g.check();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "graph 'empty' has no source: add one");
  }
}

TEST(GraphRefusals, TurnsThroughFeedbackAreLimited) {
  for (const int workers : {1, 3}) {
    Graph g("endless");
    const auto back = g.feedback<Number>("back", {.most = 5});
    const auto all = g.merge<Number>("all", {g.source("read", {}, count_to(3)), back});
    g.close(back, g.task("pass", {}, same, all));
    try {
      g.run({.workers = workers}).wait();
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(
          std::string(error.what()).find("takes more than 5 turns through feedback 'back'; raise its `most`"),
          std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace tessera::graph
