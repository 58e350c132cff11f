// SPDX-License-Identifier: BSD-3-Clause
// When bodies throw, the run ends with the exception, or the item is skipped. Nothing hangs.
#include <gtest/gtest.h>

#include <string_view>

#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::message_of;
using test::expect_message;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A number that holds a buffer wherever it goes.
struct Held {
  int number = 0;
  Lease<int> lease = {};
};

/// A graph with a body of each kind. The body that `place` names throws for the items 7, 27, 47 and so on.
class FailingGraph {
 public:
  static constexpr int items = 60;
  static constexpr std::array places = {"source", "task",       "scatter", "part",    "fold",
                                        "turn",   "condition",  "first",   "keeper",  "second",
                                        "where",  "replica[1]", "by out",  "ordered", "sink"};

  explicit FailingGraph(OnError on_error) {
    const Task options{.on_error = on_error};
    const auto read = graph_.source(
        "source", options,
        [this](std::int64_t i, Lease<int> lease) -> std::optional<Held> {
          if (i == items) return std::nullopt;
          return checked("source", Held{static_cast<int>(i), std::move(lease)});
        },
        buffers_);
    const auto task = graph_.task("task", options, passes("task"), read);
    const auto keeper = add_keeper(options, add_loop(options, add_parts(options, task)));
    const auto replicas = graph_.replicate(
        "where", {Place::threads(), Place::io()}, where(), keeper,
        [&](const Flow<Held>& flow) { return graph_.task("replica", options, passes("replica[1]"), flow); });
    const auto emitted = graph_.task<Held>(
        "by out", {.single = true, .on_error = on_error},
        [this](const Held& held, Out<Held>& out) {
          out(held);
          checked("by out", held);
        },
        replicas);
    const auto ordered =
        graph_.task("ordered", {.order = Order::stamp, .on_error = on_error}, passes("ordered"), emitted);
    graph_.sink(
        "sink", {.on = Place::io(), .order = Order::stamp, .on_error = on_error},
        [this](const Held& held) { seen_.push_back(checked("sink", held).number); }, ordered);
  }

  Graph& graph() { return graph_; }
  void set_place(std::string place) { place_ = std::move(place); }
  std::vector<int> take_seen() { return std::exchange(seen_, {}); }

 private:
  static bool is_bad(int number) { return number % 20 == 7; }

  Held checked(std::string_view here, Held held) const {
    if (place_ == here && is_bad(held.number)) throw Failure("no luck in " + place_);
    return held;
  }
  std::function<Held(const Held&)> passes(std::string here) {
    return [this, here](const Held& held) { return checked(here, held); };
  }
  std::function<int(const Held&)> where() {
    return [this](const Held& held) { return checked("where", held).number % 2; };
  }

  Flow<Held> add_parts(const Task& options, const Flow<Held>& flow) {
    const auto parts = graph_.scatter<Held>(
        "scatter", options,
        [this](const Held& held, Out<Held>& out) {
          for (int part = 0; part < 4; ++part) {
            out(held);
            if (part == 2) checked("scatter", held);
          }
        },
        flow);
    return graph_.task(
        "fold", options, [this](const std::vector<Held>& all) { return checked("fold", all.at(3)); },
        graph_.gather("gather", graph_.task("part", options, passes("part"), parts)));
  }

  Flow<Held> add_loop(const Task& options, const Flow<Held>& flow) {
    return graph_.loop(
        "condition", {.on_error = options.on_error, .most = 3}, flow,
        [&](const Flow<Held>& turn) { return graph_.task("turn", options, passes("turn"), turn); },
        [this](const Held& held) { return checked("condition", held).number % 3 == 0; });
  }

  struct Pair {
    FailingGraph* owner;
    std::optional<Held> first = {};
    void operator()(const Held& held, Out<Held>& out) { out(owner->checked("keeper", held)); }
    void operator()(int number, Out<Held>&) { static_cast<void>(owner->checked("keeper", {number})); }
  };
  Flow<Held> add_keeper(const Task& options, const Flow<Held>& flow) {
    const auto first = graph_.task("first", options, passes("first"), flow);
    const auto second = graph_.task(
        "second", options, [this](const Held& held) { return checked("second", held).number; }, flow);
    return graph_.keeper<Held>("keeper",
                               {.order = Order::stamp, .single = true, .on_error = options.on_error},
                               Pair{this}, first, second);
  }

  Graph graph_{"failing"};
  Pool<int> buffers_{graph_, "buffers", {.count = 2}, [] { return 0; }};
  std::string place_;
  std::vector<int> seen_;
};

TEST(GraphFailures, TheExceptionOfAnyBodyEndsTheRun) {
  FailingGraph failing(OnError::stop);
  for (const std::string place : FailingGraph::places)
    for (const int workers : {1, 2, 4}) {
      failing.set_place(place);
      EXPECT_EQ(message_of<Failure>([&] { failing.graph().run({.workers = workers}).wait(); }),
                "no luck in " + place);
      const std::vector<int> seen = failing.take_seen();
      // A body that emits through Out may have emitted its item before it throws, so that later ones follow.
      if (place != "by out") {
        EXPECT_LE(seen.size(), 8U) << place;
      }
      for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i)) << place;
    }
  failing.set_place("");
  failing.graph().run({.workers = 2}).wait();
  EXPECT_EQ(failing.take_seen(), graph_test::first_numbers(FailingGraph::items))
      << "a graph runs again after failures";
}

TEST(GraphFailures, TheExceptionOfAnyBodyEndsARehearsal) {
  FailingGraph failing(OnError::stop);
  for (const std::string place : FailingGraph::places)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      failing.set_place(place);
      EXPECT_EQ(message_of<Failure>([&] { failing.graph().rehearse(seed); }), "no luck in " + place);
    }
}

TEST(GraphFailures, ItemsAreSkippedAndOthersStayInOrder) {
  FailingGraph failing(OnError::skip);
  std::vector<int> expected;
  for (int number = 0; number < FailingGraph::items; ++number)
    if (number % 20 != 7) expected.push_back(number);
  for (const std::string place : FailingGraph::places)
    for (const int workers : {1, 2, 4}) {
      if (place == "where") continue;  // The choice of a place has no options.
      failing.set_place(place);
      auto run = failing.graph().run({.workers = workers});
      run.wait();
      EXPECT_EQ(failing.take_seen(), expected) << place;
      const Report report = run.report();
      EXPECT_EQ(report.items, FailingGraph::items) << place;
      ASSERT_EQ(report.skipped.size(), 3U) << place;
      for (int i = 0; i < 3; ++i) {
        const SkippedItem& skipped = report.skipped[static_cast<std::size_t>(i)];
        const std::string stamp = "item " + std::to_string(20 * i + 7);
        EXPECT_EQ(skipped.item, 20 * i + 7);
        EXPECT_EQ(skipped.task, place);
        EXPECT_EQ(skipped.reason, "no luck in " + place);
        EXPECT_EQ(skipped.stamp.substr(0, skipped.stamp.find(',')), stamp);
      }
    }
}

TEST(GraphFailures, ReportsHaveTheStampOfASkippedItem) {
  Graph g("stamps");
  const auto numbers = g.source("count", {}, count_to(2));
  const auto parts = g.scatter<int>(
      "split", {}, [](int, Out<int>& out) { out(0), out(1), out(2); }, numbers);
  const auto turned = g.loop(
      "turns", {.most = 4}, parts,
      [&](const Flow<int>& turn) {
        return g.task(
            "add", {.on_error = OnError::skip},
            [](int x) {
              if (x == 3) throw 5;  // No exception of the standard library.
              return x + 1;
            },
            turn);
      },
      [](int) { return false; });
  std::vector<std::vector<int>> seen;
  g.sink("write", {}, append_to(seen), g.gather("join", turned));
  auto run = g.run({.workers = 1});
  run.wait();
  EXPECT_TRUE(seen.empty());
  const Report report = run.report();
  ASSERT_EQ(report.skipped.size(), 2U);
  EXPECT_TRUE(report.skipped[1].stamp.starts_with("item 1, part ")) << report.skipped[1].stamp;
  EXPECT_TRUE(report.skipped[1].stamp.find(", turn ") != std::string::npos) << report.skipped[1].stamp;
  EXPECT_EQ(report.skipped[1].reason, "unknown exception");
}

struct FailsToStart {
  void start(const Place&) { throw Failure("no start"); }
  int operator()(int x) { return x; }
};

TEST(GraphFailures, ABodyThatDoesNotStartEndsTheRun) {
  for (const int workers : {1, 2, 4}) {
    Graph g("start");
    std::vector<int> seen;
    g.sink("write", {}, append_to(seen),
           g.task("task", {}, FailsToStart{}, g.source("count", {}, count_to(1000))));
    EXPECT_EQ(message_of<Failure>([&] { g.run({.workers = workers}).wait(); }), "no start");
    EXPECT_TRUE(seen.empty());
  }
}

struct FailsToFinish {
  int operator()(int x) { return x; }
  void finish(Out<int>& out) {
    out(-1);
    throw Failure("no finish");
  }
};

TEST(GraphFailures, ABodyThatDoesNotFinishEndsTheRun) {
  for (const int workers : {1, 2, 4}) {
    Graph g("finish");
    int seen = 0;
    g.sink(
        "write", {}, [&](int x) { seen += x >= 0 ? 1 : 0; },
        g.task("task", {.workers = 1}, FailsToFinish{}, g.source("count", {}, count_to(100))));
    EXPECT_EQ(message_of<Failure>([&] { g.run({.workers = workers}).wait(); }), "no finish");
    EXPECT_EQ(seen, 100);
  }
}

TEST(GraphFailures, OnlyTheFirstExceptionIsThrown) {
  Graph g("first");
  const auto numbers = g.source("count", {}, count_to(100));
  g.sink(
      "write", {.workers = 4}, [](int) { throw Failure("one of many"); }, numbers);
  auto run = g.run({.workers = 4});
  EXPECT_EQ(message_of<Failure>([&] { run.wait(); }), "one of many");
  EXPECT_NO_THROW(run.wait());
}

TEST(GraphFailures, FeedbackEndsAfterItsTurns) {
  Graph g("round");
  struct Around {
    void operator()(int x, Out<int>& around, Out<int>& out) { x < 0 ? out(x) : around(x); }
  };
  const auto numbers = g.source("count", {}, count_to(3));
  const auto back = g.feedback<int>("back", {.most = 5});
  auto [around, out] = g.keeper<int, int>("around", {.order = Order::arrival}, Around{}, numbers, back);
  g.close(back, around);
  g.discard(out);
  expect_message(message_of([&] { g.run({.workers = 1}).wait(); }),
                 {"takes more", "through feedback", "'back'"});
}

TEST(GraphFailures, ABodyThatEmitsTwiceAlthoughItIsSingleEndsTheRun) {
  Graph g("single");
  const auto twice = g.task<int>(
      "twice", {.single = true}, [](int x, Out<int>& out) { out(x), out(x); },
      g.source("count", {}, count_to(3)));
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), twice);
  expect_message(message_of<InternalError>([&] { g.run({.workers = 1}).wait(); }),
                 {"'twice'", "emitted twice", "item 0"});
}

/// Says that it is single, but is called twice for each stamp.
struct EachOfTwo {
  void operator()(int x, Out<int>& out) { out(x); }
};

TEST(GraphFailures, AKeeperThatEmitsTwiceForAStampEndsTheRun) {
  for (const int workers : {1, 2, 4}) {
    Graph g("each");
    const auto numbers = g.source("count", {}, count_to(3));
    const auto each =
        g.keeper<int>("each", {.order = Order::stamp, .single = true}, EachOfTwo{}, numbers, numbers);
    g.sink(
        "write", {.order = Order::stamp}, [](int) {}, each);
    expect_message(message_of([&] { g.run({.workers = workers}).wait(); }),
                   {"'write'", "gets item", "0 twice"});
  }
}

TEST(GraphFailures, AnInputThatGetsTwoItemsOfAStampEndsTheRun) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Graph g("each");
    const auto numbers = g.source("count", {}, count_to(3));
    const auto each =
        g.keeper<int>("each", {.order = Order::arrival, .single = true}, EachOfTwo{}, numbers, numbers);
    const auto other = g.task("other", {}, graph_test::pass_on<int>(), numbers);
    g.configure({.window = 1});
    g.discard(g.task(
        "add", {}, [](int x, int y) { return x + y; }, other, each));
    expect_message(message_of([&] { g.rehearse(seed); }), {"'add'", "gets two", "although what"});
  }
}

TEST(GraphFailures, ABodyThatCannotBeCopiedRunsOnce) {
  Graph g("once");
  g.sink(
      "write", {}, [own = std::make_unique<int>(3)](int) { EXPECT_EQ(*own, 3); },
      g.source("count", {}, count_to(3)));
  g.run({.workers = 2}).wait();
  expect_message(message_of([&] { g.run({.workers = 2}).wait(); }), {"copied runs", "graph again"});
}

TEST(GraphFailures, AnItemCannotGoToAPlaceThatDoesNotExist) {
  Graph g("places");
  g.discard(g.replicate(
      "copies", {Place::threads()}, [](int x) { return x; }, g.source("count", {}, count_to(3)),
      [](const Flow<int>& flow) { return flow; }));
  expect_message(message_of<InternalError>([&] { g.run({.workers = 2}).wait(); }),
                 {"item is sent", "not exist"});
}

TEST(GraphFailures, ItemsArePushedAndTakenAtTheEnds) {
  Graph g("ends");
  const auto in = g.input<int>("in");
  const auto made = g.task("make", {}, graph_test::pass_on<int>(), in);
  g.discard(made);
  auto run = g.run({.workers = 1});
  expect_message(message_of([&] { run.push(made, 1); }), {"items are pushed", "'make'", "not an input"});
  expect_message(message_of([&] { run.close(made); }), {"items are pushed", "'make'", "not an input"});
  expect_message(message_of<InternalError>([&] { run.pop(made); }), {"items are taken", "flow without"});
}

}  // namespace
}  // namespace tessera::graph
