// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "messages.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

TEST(GraphRun, ChainKeepsItsOrder) {
  for (const int workers : {1, 2, 4}) {
    std::vector<int> seen;
    Graph g("chain");
    const auto numbers = g.source("count", {}, [](std::int64_t i) -> std::optional<int> {
      return i < 1000 ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
    });
    const auto squares = g.task(
        "square", {}, [](int x) { return x * x; }, numbers);
    const auto sums = g.task(
        "sum", {}, [](int x, const int& y) { return x + y; }, squares, numbers);
    g.sink(
        "write", {.order = Order::stamp}, [&](int x) { seen.push_back(x); }, sums);
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 1000U);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i * i + i);
  }
}

TEST(GraphRun, LoopsEndByTheirData) {
  std::vector<int> seen;
  Graph g("loop");
  const auto numbers = g.source("count", {}, [](std::int64_t i) -> std::optional<int> {
    return i < 100 ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
  });
  const auto grown = g.loop(
      "grow", {.most = 50}, numbers,
      [&](Flow<int> x) {
        return g.task(
            "double", {}, [](int v) { return 2 * v + 1; }, x);
      },
      [](const int& x) { return x > 1000; });
  g.sink(
      "write", {.order = Order::stamp}, [&](int x) { seen.push_back(x); }, grown);
  for (const int workers : {1, 3}) {
    seen.clear();
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 100U);
    for (int i = 0; i < 100; ++i) {
      int x = i;
      do x = 2 * x + 1;
      while (x <= 1000);
      EXPECT_EQ(seen[static_cast<std::size_t>(i)], x);
    }
  }
}

/// Counts the calls of each task, and notes whether each one has ended.
struct CountingObserver final : CallObserver {
  explicit CountingObserver(std::size_t tasks) : begun(tasks), ended(tasks) {}
  void begins(int task) override { ++begun[static_cast<std::size_t>(task)]; }
  void ends(int task) override { ++ended[static_cast<std::size_t>(task)]; }
  std::vector<std::atomic<std::int64_t>> begun, ended;
};

TEST(GraphRun, AnObserverLearnsOfAllCalls) {
  Graph g("observed");
  const auto numbers = g.source("count", {}, [](std::int64_t i) -> std::optional<int> {
    return i < 100 ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
  });
  const auto grown = g.loop(
      "grow", {.most = 3}, numbers,
      [&](Flow<int> x) {
        return g.task(
            "fail", {.on_error = OnError::skip},
            [](int v) { return v % 10 == 0 ? throw std::runtime_error("ten") : v + 1; }, x);
      },
      [](const int&) { return false; });
  g.sink(
      "write", {}, [](int) {}, grown);
  const std::vector<std::string> names = g.task_names();
  CountingObserver observer(names.size());
  auto run = g.run({.workers = 3, .observer = &observer});
  run.wait();
  for (const TaskReport& task : run.report().tasks) {
    // A loop has two tasks of its name, and the last one has a body.
    const auto last = std::ranges::find(names.rbegin(), names.rend(), task.name);
    const auto number = static_cast<std::size_t>(names.rend() - last - 1);
    EXPECT_EQ(observer.begun[number], task.calls) << task.name;
    EXPECT_EQ(observer.ended[number], task.calls) << task.name;
  }
}

TEST(GraphRun, ScatterAndGather) {
  std::vector<int> seen;
  Graph g("parts");
  const auto numbers = g.source("count", {}, [](std::int64_t i) -> std::optional<int> {
    return i < 50 ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
  });
  const auto parts = g.scatter<int>(
      "split", {},
      [](int n, Out<int>& out) {
        for (int k = 0; k < n; ++k) out(k);
      },
      numbers);
  const auto odd = g.task(
      "odd", {}, [](int k) { return k % 2 == 1 ? std::optional<int>(k) : std::nullopt; }, parts);
  const auto all = g.gather("join", odd);
  g.sink(
      "write", {.order = Order::stamp},
      [&](const std::vector<int>& v) {
        int s = 0;
        for (int k : v) s = 10 * s % 1000003 + k;
        seen.push_back(s);
      },
      all);
  std::vector<int> expected;
  for (int n = 0; n < 50; ++n) {
    int s = 0;
    for (int k = 1; k < n; k += 2) s = 10 * s % 1000003 + k;
    expected.push_back(s);
  }
  for (int seed = 0; seed < 50; ++seed) {
    seen.clear();
    g.rehearse(static_cast<std::uint64_t>(seed));
    EXPECT_EQ(seen, expected);
  }
  for (const int workers : {1, 2, 4}) {
    seen.clear();
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, expected);
  }
}

TEST(GraphRun, SmallPoolIsNamed) {
  Graph g("pools");
  Pool<int> buffers(g, "buffers", {.count = 3, .per_item = 1}, [] { return 0; });
  const auto numbers = g.source(
      "count", {},
      [](std::int64_t i, Lease<int> to) -> std::optional<Lease<int>> {
        if (i == 10) return std::nullopt;
        *to = static_cast<int>(i);
        return to;
      },
      buffers);
  struct Keep {
    std::vector<Lease<int>> kept;
    void operator()(Lease<int> x) { kept.push_back(x); }
  };
  g.keeper("keep", {.order = Order::arrival}, Keep{}, numbers);
  try {
    g.run({.workers = 2}).wait();
    FAIL();
  } catch (const InputError& error) {
    test::expect_message(error.what(), {"'buffers'", "keeper 'keep'", "raise graph.buffers.count"});
  }
}

TEST(GraphRun, FeedbackSumsInATree) {
  struct Part {
    int level = 0;
    std::int64_t sum = 0;
  };
  struct Two {
    Part a, b;
  };
  struct Match {
    std::map<std::int64_t, Part> waiting;
    void operator()(Part part, Out<Two>& two, Out<Part>& done) {
      if (part.level == 6) return done(part);
      if (auto found = waiting.find(part.level); found != waiting.end()) {
        two({found->second, part});
        waiting.erase(found);
      } else {
        waiting[part.level] = part;
      }
    }
  };
  Graph g("tree");
  const auto parts = g.source("parts", {}, [](std::int64_t i) {
    return i < 64 ? std::optional(Part{0, i}) : std::nullopt;
  });
  const auto sums = g.feedback<Part>("sums", {.most = 6});
  auto [add, done] = g.keeper<Two, Part>("match", {.order = Order::arrival}, Match{}, parts, sums);
  g.close(sums, g.task(
                    "accumulate", {},
                    [](Two two) {
                      return Part{two.a.level + 1, two.a.sum + two.b.sum};
                    },
                    add));
  std::int64_t sum = 0;
  g.sink(
      "write", {}, [&](Part part) { sum += part.sum; }, done);
  for (const int workers : {1, 2, 4}) {
    sum = 0;
    g.run({.workers = workers}).wait();
    EXPECT_EQ(sum, 64 * 63 / 2);
  }
}

TEST(GraphKernels, ItemsGoFromOneTaskAtTheKernelsToTheNext) {
  constexpr int items = 200;
  Graph g("kernels");
  const auto numbers = g.source("count", {}, [](std::int64_t i) {
    return i < items ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
  });
  const auto next = g.task(
      "next", {.on = Place::kernels()}, [](int x) { return x + 1; }, numbers);
  const auto twice = g.task(
      "twice", {.on = Place::kernels()}, [](int x) { return 2 * x; }, next);
  const auto sums = g.task(
      "sum", {.on = Place::kernels(), .order = Order::stamp}, [](int x, int y) { return x + y; }, twice,
      next);
  std::vector<int> seen;
  g.sink(
      "write", {.order = Order::stamp}, [&](int x) { seen.push_back(x); }, sums);
  g.run({.workers = 2}).wait();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(items));
  for (int i = 0; i < items; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 3 * (i + 1));
}

TEST(GraphMemory, IsFlatBehindASlowWriter) {
  Graph g("flat");
  const Pool<std::vector<char>> frames(g, "frames", {.count = 6, .per_item = 1},
                                       [] { return std::vector<char>(100000); });
  const auto read = g.source(
      "read", {},
      [](std::int64_t i, Lease<std::vector<char>> to) -> std::optional<Lease<std::vector<char>>> {
        if (i == 10000) return std::nullopt;
        to->front() = static_cast<char>(i);
        return to;
      },
      frames);
  std::int64_t next = 0;
  g.sink(
      "write", {.order = Order::stamp},
      [&](const Lease<std::vector<char>>& frame) {
        EXPECT_EQ(frame->front(), static_cast<char>(next++));
        if (next % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      },
      g.task(
          "work", {}, [](Lease<std::vector<char>> frame) { return frame; }, read));
  g.configure({.window = 5});
  auto flat = g.run({.workers = 2});
  flat.wait();
  EXPECT_EQ(next, 10000);
  EXPECT_LE(flat.report().most_items, 5);
  EXPECT_LE(flat.report().pools.front().high_water, 6);
}

}  // namespace
}  // namespace tessera::graph
