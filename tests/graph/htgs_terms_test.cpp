// SPDX-License-Identifier: BSD-3-Clause
// The terms of HTGS (T. Blattner, W. Keyrouz, S. Bhattacharyya, M. Halem, M. Brady: A Hybrid Task Graph
// Scheduler for High Performance Image Processing Workflows, 2017), as graphs have them.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::message_of;

/// Counts the bodies of a task, and what happens to them.
struct Lives {
  std::atomic<int> started{0}, called{0}, finished{0}, alive{0};
  std::atomic<bool> is_shared{false};
};

/// A body with all that a task of HTGS has: initialize, execute, shutdown and copy.
class Phases {
 public:
  explicit Phases(Lives& lives) : lives_(&lives) {}
  Phases(const Phases& other) : lives_(other.lives_) { ++lives_->alive; }
  Phases& operator=(const Phases&) = delete;
  ~Phases() { --lives_->alive; }
  void start(const Place& place) {
    EXPECT_EQ(place, Place::threads());
    ++lives_->started;
    scratch_.resize(100);
  }
  int operator()(int x) {
    if (is_called_.exchange(true)) lives_->is_shared = true;
    ++lives_->called;
    scratch_.at(99) = x;  // Fails unless `start` came first.
    is_called_ = false;
    return scratch_.at(99);
  }
  void finish(Out<int>&) { ++lives_->finished; }

 private:
  Lives* lives_;
  std::atomic<bool> is_called_{false};
  std::vector<int> scratch_;
};

TEST(Htgs, InitializeExecuteShutdownCopy) {
  for (const int workers : {1, 2, 4}) {
    Lives lives;
    lives.alive = 1;  // Of the temporary, whose constructor does not count.
    {
      Graph g("phases");
      std::vector<int> seen;
      g.sink("write", {.order = Order::stamp}, append_to(seen),
             g.task("task", {}, Phases(lives), g.source("count", {}, count_to(200))));
      g.run({.workers = workers}).wait();
      EXPECT_EQ(seen, first_numbers(200));
      EXPECT_EQ(lives.called, 200);
      EXPECT_GE(lives.started, 1);
      EXPECT_LE(lives.started, workers) << "each worker has a copy of its own";
      EXPECT_EQ(lives.finished, lives.started);
      EXPECT_FALSE(lives.is_shared) << "a copy is called by one thread at a time";
    }
    EXPECT_EQ(lives.alive, 0);
  }
}

/// Adds up what it gets, and emits the sum when nothing more can come.
struct PartialSum {
  int sum = 0;
  void operator()(int x, Out<int>&) { sum += x; }
  void finish(Out<int>& out) { out(sum); }
};

TEST(Htgs, ExecuteTaskFinal) {
  for (const int workers : {1, 2, 4}) {
    Graph g("final");
    const auto partial = g.task<int>("partial", {}, PartialSum{}, g.source("count", {}, count_to(1001)));
    const auto total = g.keeper<int>("total", {.order = Order::arrival}, PartialSum{}, partial);
    std::vector<int> seen;
    g.sink("write", {}, append_to(seen), total);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, std::vector{500500})
        << "the copies finish first, and then the task that reads what they emit";
  }
}

TEST(Htgs, CanTerminate) {
  // A cycle whose end depends on the data: nobody counts the items.
  struct Collatz {
    std::map<std::int64_t, int>* lengths;
    void operator()(std::pair<std::int64_t, int> at, Out<std::pair<std::int64_t, int>>& next) {
      if (at.first == 1)
        ++(*lengths)[at.second];
      else
        next({at.first % 2 == 0 ? at.first / 2 : 3 * at.first + 1, at.second + 1});
    }
  };
  std::map<std::int64_t, int> expected;
  for (std::int64_t n = 1; n <= 100; ++n) {
    int steps = 0;
    for (std::int64_t at = n; at != 1; at = at % 2 == 0 ? at / 2 : 3 * at + 1) ++steps;
    ++expected[steps];
  }
  for (const int workers : {1, 2, 4}) {
    std::map<std::int64_t, int> lengths;
    Graph g("collatz");
    const auto numbers = g.source("count", {}, [](std::int64_t i) {
      return i < 100 ? std::optional(std::pair(i + 1, 0)) : std::nullopt;
    });
    const auto back = g.feedback<std::pair<std::int64_t, int>>("back", {.most = 1000});
    g.close(back, g.keeper<std::pair<std::int64_t, int>>("step", {.order = Order::arrival}, Collatz{&lengths},
                                                         numbers, back));
    g.run({.workers = workers}).wait();
    EXPECT_EQ(lengths, expected);
  }
}

struct Block {
  int number;
};
struct Factor {
  int number;
};

/// Keeps what has come, and sends products to one target and sums to another.
struct Rules {
  std::map<int, int> blocks = {};
  void operator()(Block block, Out<int>&, Out<long>&) { blocks[block.number / 2] += block.number; }
  void operator()(Factor factor, Out<int>& products, Out<long>& sums) {
    const int block = blocks[factor.number / 2];
    if (factor.number % 2 == 1)
      products(block * factor.number);
    else
      sums(block + factor.number);
  }
};

TEST(Htgs, BookkeeperAndRules) {
  std::vector<int> expected_products;
  std::vector<long> expected_sums;
  for (int n = 0; n < 50; ++n) {  // Block n comes before factor n: inputs are served in their order.
    const int block = n % 2 == 0 ? n : 2 * n - 1;
    n % 2 == 1 ? expected_products.push_back(block * n) : expected_sums.push_back(block + n);
  }
  for (const int workers : {1, 2, 4}) {
    Graph g("bookkeeper");
    const auto numbers = g.source("count", {}, count_to(50));
    const auto blocks = g.task(
        "block", {}, [](int x) { return Block{x}; }, numbers);
    const auto factors = g.task(
        "factor", {}, [](int x) { return Factor{x}; }, numbers);
    auto [products, sums] =
        g.keeper<int, long>("rules", {.order = Order::stamp, .single = true}, Rules{}, blocks, factors);
    std::vector<int> seen_products;
    std::vector<long> seen_sums;
    g.sink("products", {.order = Order::stamp}, append_to(seen_products), products);
    g.sink("sums", {.order = Order::stamp}, append_to(seen_sums), sums);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen_products, expected_products);
    EXPECT_EQ(seen_sums, expected_sums);
  }
}

TEST(Htgs, MemoryManager) {
  for (const int workers : {1, 2, 4}) {
    // Static: all buffers are made before the run. Dynamic: a body gives its buffer the size that it needs.
    int made = 0;
    std::atomic<int> in_use{0}, most{0};
    Graph g("memory");
    const Pool<std::vector<int>> pool(g, "pool", {.count = 3}, [&made] {
      ++made;
      return std::vector<int>();
    });
    const auto filled = g.task(
        "fill", {},
        [&](int n, Lease<std::vector<int>> to) {
          const int now = ++in_use;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
          to->assign(static_cast<std::size_t>(n), n);
          return to;
        },
        g.source("count", {}, count_to(300)), pool);
    int written = 0;
    g.sink(
        "write", {.order = Order::stamp},
        [&](const Lease<std::vector<int>>& from) {
          EXPECT_EQ(*from, std::vector<int>(static_cast<std::size_t>(written), written));
          ++written;
          --in_use;
        },
        filled);
    auto run = g.run({.workers = workers});
    EXPECT_EQ(made, 3);
    run.wait();
    EXPECT_EQ(made, 3);
    EXPECT_EQ(written, 300);
    EXPECT_LE(most, 3) << "a body does not start before it has its buffer";
    EXPECT_LE(run.report().pools.at(0).high_water, 3);
  }
}

/// A transform of a tile, and the number of the tile.
struct Transform {
  int tile = 0;
  Lease<int> buffer = {};
};

/// Emits a pair of each tile and its left neighbour, and keeps a transform until both of its pairs are
/// emitted.
struct PairRule {
  Transform left = {};
  void operator()(const Transform& right, Out<std::pair<Transform, Transform>>& out) {
    if (left.buffer) out({left, right});
    left = right;  // The lease of the left one ends here, and no count says so.
  }
};

TEST(Htgs, ReleaseRule) {
  for (const int workers : {1, 2, 4}) {
    Graph g("stitching");
    const Pool<int> pool(g, "transforms", {.count = 3}, [] { return 0; });
    const auto transforms = g.task(
        "fft", {},
        [](int tile, Lease<int> to) {
          *to = tile * tile;
          return Transform{tile, std::move(to)};
        },
        g.source("read", {}, count_to(200)), pool);
    const auto pairs = g.keeper<std::pair<Transform, Transform>>(
        "pair", {.order = Order::stamp, .single = true}, PairRule{}, transforms);
    std::vector<int> seen;
    g.sink(
        "ccf", {.order = Order::stamp},
        [&](const std::pair<Transform, Transform>& both) {
          seen.push_back(*both.second.buffer - *both.first.buffer);
        },
        pairs);
    // The keeper keeps one tile, and two more may be under way.
    g.configure({.window = 2});
    auto run = g.run({.workers = workers});
    run.wait();
    ASSERT_EQ(seen.size(), 199U);
    for (int i = 0; i < 199; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 2 * i + 1);
    EXPECT_LE(run.report().pools.at(0).high_water, 3);
  }
}

TEST(Htgs, ReleaseRuleOutsideOfTheGraph) {
  for (const int workers : {1, 2, 4}) {
    Graph g("outside");
    const Pool<int> pool(g, "pool", {.count = 2}, [] { return 0; });
    const auto made = g.task(
        "make", {}, [](int x, Lease<int> to) { return *to = x, to; }, g.source("count", {}, count_to(100)),
        pool);
    g.output("out", {.order = Order::stamp}, made);
    auto run = g.run({.workers = workers});
    std::optional<Lease<int>> kept;
    for (int i = 0; i < 100; ++i) {
      auto taken = run.pop(made);  // Two are held here for a moment, so that none is left for the graph.
      ASSERT_TRUE(taken);
      EXPECT_EQ(**taken, i);
      EXPECT_EQ(kept ? **kept : i - 1, i - 1);
      kept = std::move(taken);
    }
    EXPECT_EQ(run.pop(made), std::nullopt);
    kept.reset();
    run.wait();
    EXPECT_LE(run.report().pools.at(0).high_water, 2);
  }
}

TEST(Htgs, ExecutionPipelineDecompositionAndBroadcastRule) {
  const std::vector places(3, Place::threads());
  for (const int workers : {1, 2, 4}) {
    std::mutex mutex;
    std::map<int, std::multiset<int>> got;
    const auto add_copy = [&](Graph& g, const char* name, int& copies) {
      return [&, name](const Flow<int>& flow) {
        return g.task(
            name, {},
            [&, copy = copies++](int x) {
              const std::lock_guard lock(mutex);
              got[copy].insert(x);
              return 100 * copy + x;
            },
            flow);
      };
    };
    // Decomposition: each item goes to one copy.
    int copies = 0;
    Graph g("decomposition");
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen),
           g.replicate(
               "devices", places, [](int x) { return x % 3; }, g.source("count", {}, count_to(9)),
               add_copy(g, "fft", copies)));
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, (std::vector{0, 101, 202, 3, 104, 205, 6, 107, 208}));
    EXPECT_EQ(got, (std::map<int, std::multiset<int>>{{0, {0, 3, 6}}, {1, {1, 4, 7}}, {2, {2, 5, 8}}}));

    // Broadcast: each item goes to the copies that the rule names, such as those that share a halo row.
    got.clear();
    copies = 0;
    Graph b("broadcast");
    std::atomic<int> sum{0};
    const auto neighbours = [](int x) {
      return x % 3 == 2 ? std::vector{x / 3, x / 3 + 1} : std::vector{x / 3};
    };
    b.sink(
        "write", {.workers = 2}, [&](int x) { sum += x; },
        b.replicate("bands", places, neighbours, b.source("count", {}, count_to(8)),
                    add_copy(b, "fft", copies)));
    b.run({.workers = workers}).wait();
    EXPECT_EQ(got, (std::map<int, std::multiset<int>>{{0, {0, 1, 2}}, {1, {2, 3, 4, 5}}, {2, {5, 6, 7}}}));
    EXPECT_EQ(sum, 28 + 2 + 5 + 4 * 100 + 3 * 200);
  }
}

TEST(Htgs, ExecutionPipelineNests) {
  for (const int workers : {1, 2, 4}) {
    Graph g("nested");
    const std::vector two(2, Place::threads());
    const auto inner = [&](const Flow<int>& flow) {
      return g.replicate(
          "inner", two, [](int x) { return x / 2 % 2; }, flow,
          [&](const Flow<int>& part) {
            const Pool<int> own(g, "buffers", {.count = 1}, [] { return 0; });
            return g.task(
                "work", {}, [](int x, Lease<int> to) { return *to = x; }, part, own);
          });
    };
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen),
           g.replicate(
               "outer", two, [](int x) { return x % 2; }, g.source("count", {}, count_to(40)), inner));
    g.configure({.tasks = {{"work", {.workers = 1}}}});
    auto run = g.run({.workers = workers});
    run.wait();
    EXPECT_EQ(seen, first_numbers(40));
    std::map<std::string, std::int64_t> calls;
    for (const TaskReport& task : run.report().tasks)
      if (task.name.starts_with("work")) calls[task.name] = task.calls;
    EXPECT_EQ(calls, (std::map<std::string, std::int64_t>{
                         {"work[0][0]", 10}, {"work[0][1]", 10}, {"work[1][0]", 10}, {"work[1][1]", 10}}));
    EXPECT_EQ(run.report().pools.size(), 4U) << "each copy has a pool of its own";
  }
}

TEST(Htgs, MoreCopiesThanATaskHasInputs) {
  Graph g("many");
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen),
         g.replicate(
             "many", std::vector(100, Place::threads()), [](int x) { return x; },
             g.source("count", {}, count_to(100)),
             [&](const Flow<int>& flow) {
               return g.task(
                   "work", {}, [](int x) { return x; }, flow);
             }));
  g.run({.workers = 2}).wait();
  EXPECT_EQ(seen, first_numbers(100));
}

TEST(Htgs, GraphAsProducerAndConsumer) {
  // One graph feeds another: what the first emits is pushed into the second.
  for (const int workers : {1, 2, 4}) {
    Graph producer("producer");
    const auto squares = producer.task(
        "square", {}, [](int x) { return x * x; }, producer.source("count", {}, count_to(100)));
    producer.output("out", {.order = Order::stamp}, squares);
    Graph consumer("consumer");
    const auto in = consumer.input<int>("in");
    std::vector<int> seen;
    consumer.sink("write", {.order = Order::stamp}, append_to(seen), in);
    auto first = producer.run({.workers = workers});
    auto second = consumer.run({.workers = workers});
    while (const auto item = first.pop(squares)) EXPECT_TRUE(second.push(in, *item));
    second.close(in);
    first.wait();
    second.wait();
    ASSERT_EQ(seen.size(), 100U);
    for (int x = 0; x < 100; ++x) EXPECT_EQ(seen[static_cast<std::size_t>(x)], x * x);
  }
}

}  // namespace
}  // namespace tessera::graph
