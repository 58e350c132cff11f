// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "messages.hpp"
#include "tessera/domain/json.hpp"

namespace tessera::graph {
namespace {

std::optional<int> count_to_four(std::int64_t ordinal) {
  return ordinal < 4 ? std::optional<int>(static_cast<int>(ordinal)) : std::nullopt;
}

int add_one(int x) { return x + 1; }

/// A source, a loop with a task, and a sink in order.
void add_loop(Graph& graph) {
  const auto numbers = graph.source("count", {.on = Place::io()}, count_to_four);
  const auto grown = graph.loop(
      "grow", {.most = 50}, numbers, [&](Flow<int> x) { return graph.task("add", {}, add_one, x); },
      [](int x) { return x > 9; });
  graph.sink(
      "write", {.order = Order::stamp}, [](int) {}, grown);
}

/// A keeper that sees what it emits again, and a pool.
void add_feedback(Graph& graph) {
  struct Keep {
    void operator()(int x, Out<int>& again, Out<int>& done) { (x < 3 ? again : done)(x); }
  };
  Pool<std::vector<int>> rows(graph, "rows", {.count = 4, .per_item = 2, .bytes = 2048},
                              [] { return std::vector<int>(512); });
  Pool<int> words(graph, "words", {.count = 1}, [] { return 0; });
  const auto numbers = graph.source(
      "count", {.rank = Task::every_rank},
      [](std::int64_t ordinal, const Lease<std::vector<int>>&) { return count_to_four(ordinal); }, rows);
  const auto again = graph.feedback<int>("again", {.most = 1});
  auto [more, done] = graph.keeper<int, int>("keep", {.order = Order::arrival}, Keep{}, numbers, again);
  graph.close(again, graph.task(
                         "add", {.workers = 2, .on_error = OnError::skip},
                         [](int x, const Lease<int>&) { return x + 3; }, more, words));
  graph.discard(done);
}

/// Two replicas of a task.
void add_replicas(Graph& graph) {
  const auto numbers = graph.source("count", {}, count_to_four);
  const auto added = graph.replicate(
      "halves", {Place::numa(0), Place::numa(1)}, [](int x) { return x % 2; }, numbers,
      [&](Flow<int> x) { return graph.task("add", {}, add_one, x); });
  graph.sink(
      "write", {}, [](int) {}, added);
}

TEST(GraphText, HasLoopsAsOneTaskAndIndentsTheirBodies) {
  Graph graph("numbers");
  add_loop(graph);
  EXPECT_EQ(to_text(graph),
            "graph 'numbers': 4 tasks, 0 pools\n"
            "Each source has at most 4 items for each worker under way.\n"
            "\n"
            "task   kind    place    workers  order  reads       emits to\n"
            "count  source  io       1                           grow\n"
            "grow   loop                             count, add  add; write\n"
            "  add  task    threads  all             grow        grow\n"
            "write  sink    threads  1        stamp  grow\n"
            "\n"
            "loop 'grow' lets an item take at most 50 turns.\n");
}

TEST(GraphText, NamesPoolsTurnsAndWhatResultsMayDependOn) {
  Graph graph("numbers");
  add_feedback(graph);
  graph.configure({.window = 8});
  EXPECT_EQ(to_text(graph),
            "graph 'numbers': 4 tasks, 2 pools\n"
            "Each source has at most 8 items under way.\n"
            "\n"
            "task   kind      place    workers  order    reads             emits to\n"
            "count  source    threads  1                 pool rows         keep\n"
            "again  feedback                             add               keep\n"
            "keep   keeper    threads  1        arrival  count, again      add; nobody\n"
            "add    task      threads  2                 keep, pool words  again\n"
            "\n"
            "pool   buffers  per item  one buffer  all buffers\n"
            "rows   4        2         2.0 KiB     8.0 KiB\n"
            "words  1        1\n"
            "\n"
            "source 'count' runs on every rank.\n"
            "feedback 'again' lets an item take at most 1 turn.\n"
            "keeper 'keep' sees items as they arrive, so that results may depend on arrival.\n"
            "task 'add' skips items that its body fails on.\n");
}

TEST(GraphText, HasReplicasAsOneTaskAndItsCopies) {
  Graph graph("numbers");
  add_replicas(graph);
  EXPECT_EQ(to_text(graph),
            "graph 'numbers': 5 tasks, 0 pools\n"
            "Each source has at most 4 items for each worker under way.\n"
            "\n"
            "task    kind       place    workers  order  reads                  emits to\n"
            "count   source     threads  1                                      halves\n"
            "halves  replicate                           count, add[0], add[1]  add[0]; add[1]; write\n"
            "add[0]  task       numa 0   all             halves                 halves\n"
            "add[1]  task       numa 1   all             halves                 halves\n"
            "write   sink       threads  1               halves\n");
}

TEST(GraphText, ShowsGraphsThatAreNotComplete) {
  Graph graph("numbers");
  graph.feedback<int>("again", {});
  graph.source("count", {}, count_to_four);
  EXPECT_EQ(to_text(graph),
            "graph 'numbers': 2 tasks, 0 pools\n"
            "Each source has at most 4 items for each worker under way.\n"
            "\n"
            "task   kind      place    workers  order  reads  emits to\n"
            "again  feedback                                  nobody\n"
            "count  source    threads  1                      nobody\n");
}

/// Expects one digraph whose lines are statements that end with a semicolon, in which every edge goes from
/// one declared node to another. Returns the names of the nodes.
std::set<std::string> nodes_of(const std::string& dot) {
  const std::string id = R"re("((?:[^"\\]|\\.)*)")re",
                    attributes = R"re((?: \[(?:[a-z]+=(?:"(?:[^"\\]|\\.)*"|[a-z]+)(?:, )?)+\])?;)re";
  const std::regex node("  " + id + attributes), edge("  " + id + " -> " + id + attributes),
      other(R"re(  (?:[a-z]+=[^;]+|node \[fontname="[a-z-]+"\]);)re");
  EXPECT_EQ(std::ranges::count(dot, '{'), 1);
  EXPECT_TRUE(dot.starts_with("digraph graph_of_tasks {\n") && dot.ends_with(";\n}\n"));
  std::set<std::string> nodes;
  std::istringstream lines(dot.substr(dot.find('\n') + 1, dot.size() - dot.find('\n') - 3));
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, node)) {
      EXPECT_TRUE(nodes.insert(parts[1]).second) << line;
    } else if (std::regex_match(line, parts, edge)) {
      EXPECT_TRUE(nodes.contains(parts[1]) && nodes.contains(parts[2])) << line;
    } else {
      EXPECT_TRUE(std::regex_match(line, other)) << line;
    }
  }
  return nodes;
}

TEST(GraphDot, DrawsLoopsAsOneTask) {
  Graph graph("numbers");
  add_loop(graph);
  EXPECT_EQ(nodes_of(to_dot(graph)), (std::set<std::string>{"add", "count", "grow", "write"}));
  EXPECT_EQ(to_dot(graph),
            "digraph graph_of_tasks {\n"
            "  label=\"numbers\";\n"
            "  labelloc=t;\n"
            "  node [fontname=\"sans-serif\"];\n"
            "  \"count\" [label=\"count\\nsource on io\", shape=cds];\n"
            "  \"grow\" [label=\"grow\\nloop\\nat most 50 turns\", shape=ellipse];\n"
            "  \"add\" [label=\"add\\ntask, workers: all\", shape=box];\n"
            "  \"write\" [label=\"write\\nsink\\norder: stamp\", shape=doubleoctagon];\n"
            "  \"count\" -> \"grow\";\n"
            "  \"add\" -> \"grow\" [style=dashed, constraint=false];\n"
            "  \"grow\" -> \"add\";\n"
            "  \"grow\" -> \"write\";\n"
            "}\n");
}

TEST(GraphDot, DrawsReplicasAsOneTaskAndItsCopies) {
  Graph graph("a \"quoted\" name");
  add_replicas(graph);
  EXPECT_EQ(nodes_of(to_dot(graph)), (std::set<std::string>{"add[0]", "add[1]", "count", "halves", "write"}));
  EXPECT_NE(to_dot(graph).find(R"(  label="a \"quoted\" name";)"), std::string::npos);
}

TEST(GraphDot, HasWhatARunHasMeasured) {
  Graph graph("numbers");
  add_feedback(graph);
  Report report{.tasks = {{.name = "add", .kind = "task", .calls = 12, .busy = 0.25, .wait_pool = 0.001}},
                .pools = {{.name = "rows", .count = 4, .high_water = 3}}};
  EXPECT_EQ(nodes_of(to_dot(graph, &report)),
            (std::set<std::string>{"add", "again", "count", "keep", "pool rows", "pool words"}));
  EXPECT_EQ(to_dot(graph, &report),
            "digraph graph_of_tasks {\n"
            "  label=\"numbers\";\n"
            "  labelloc=t;\n"
            "  node [fontname=\"sans-serif\"];\n"
            "  \"count\" [label=\"count\\nsource\", shape=cds];\n"
            "  \"again\" [label=\"again\\nfeedback\\nat most 1 turn\", shape=ellipse];\n"
            "  \"keep\" [label=\"keep\\nkeeper\\norder: arrival\", shape=box];\n"
            "  \"add\" [label=\"add\\ntask, workers: 2\\n12 calls, busy 250.0 ms\\nwaited for pool 1.0 ms\", "
            "shape=box];\n"
            "  \"pool rows\" [label=\"rows\\n4 buffers, 2 per item\\n2.0 KiB each\\nat most 3 in use\", "
            "shape=cylinder];\n"
            "  \"pool words\" [label=\"words\\n1 buffer, 1 per item\", shape=cylinder];\n"
            "  \"pool rows\" -> \"count\" [style=dotted, arrowhead=none];\n"
            "  \"add\" -> \"again\" [style=dashed, constraint=false];\n"
            "  \"count\" -> \"keep\";\n"
            "  \"again\" -> \"keep\";\n"
            "  \"keep\" -> \"add\";\n"
            "  \"pool words\" -> \"add\" [style=dotted, arrowhead=none];\n"
            "}\n");
}

TEST(GraphJson, IsTheGraphAsData) {
  Graph graph("numbers");
  add_loop(graph);
  EXPECT_EQ(parse_json(to_json(graph)), parse_json(R"(
      {"name": "numbers", "window": 0, "tasks": [{"name": "count", "kind": "source", "number": 0,
      "place": "io", "workers": 0, "order": "unsaid", "single": false, "on_error": "stop", "most":
      0, "rank": 0, "inputs": [], "outputs": [0], "pools": []}, {"name": "grow", "kind": "loop",
      "number": 1, "place": "threads", "workers": 0, "order": "unsaid", "single": false, "on_error":
      "stop", "most": 50, "rank": 0, "inputs": [0, 2], "outputs": [1, 3], "pools": []}, {"name":
      "add", "kind": "task", "number": 2, "place": "threads", "workers": 0, "order": "unsaid",
      "single": false, "on_error": "stop", "most": 0, "rank": 0, "inputs": [1], "outputs": [2],
      "pools": []}, {"name": "write", "kind": "sink", "number": 4, "place": "threads", "workers": 1,
      "order": "stamp", "single": false, "on_error": "stop", "most": 0, "rank": 0, "inputs": [3],
      "outputs": [], "pools": []}], "flows": [{"from": "count", "to": ["grow"], "region": 0,
      "several": false, "discarded": false}, {"from": "grow", "to": ["add"], "region": 1, "several":
      false, "discarded": false}, {"from": "add", "to": ["grow"], "region": 1, "several": false,
      "discarded": false}, {"from": "grow", "to": ["write"], "region": 0, "several": false,
      "discarded": false}], "regions": [{"kind": "source", "parent": -1, "task": "count"}, {"kind":
      "loop", "parent": 0, "task": "grow"}], "pools": []}
  )"));
}

TEST(GraphJson, HasPools) {
  Graph graph("numbers");
  add_feedback(graph);
  const Json json = parse_json(to_json(graph));
  ASSERT_NE(json.find("pools"), nullptr);
  EXPECT_EQ(*json.find("pools"), parse_json(R"(
      [{"bytes": 2048, "count": 4, "name": "rows", "per_item": 2}, {"bytes": 0, "count": 1, "name":
      "words", "per_item": 1}]
  )"));
  EXPECT_EQ(json.find("tasks")->get<Json::List>().front(), parse_json(R"(
      {"inputs": [], "kind": "source", "most": 0, "name": "count", "number": 0, "on_error": "stop",
      "order": "unsaid", "outputs": [0], "place": "threads", "pools": [0], "rank": "every",
      "single": false, "workers": 0}
  )"));
}

TEST(GraphHash, IsTheSameOnAllMachines) {
  Graph graph("numbers");
  add_loop(graph);
  EXPECT_EQ(hash(graph), 6679389575632889242U);
}

TEST(GraphHash, DependsOnTasksButNotOnSettings) {
  Graph a("numbers"), b("numbers"), c("numbers");
  add_feedback(a);
  add_feedback(b);
  add_loop(c);
  b.configure({.window = 3, .tasks = {{"add", {.workers = 4, .on = Place::io()}}}, .pools = {{"rows", 9}}});
  EXPECT_EQ(hash(a), hash(b));
  EXPECT_NE(to_json(a), to_json(b));
  EXPECT_NE(hash(a), hash(c));
}

TEST(GraphReport, IsJson) {
  const Report report{
      .tasks = {{.name = "add", .kind = "task", .calls = 12, .busy = 0.25, .wait_pool = 0.5}},
      .pools = {{.name = "rows", .count = 4, .high_water = 3}},
      .skipped = {{.task = "add", .item = 2, .stamp = "item 2, turn 1", .reason = "no \"file\""}},
      .trace = {{.task = 0, .thread = 1, .item = 2, .begin = 30, .end = 40}},
      .items = 4,
      .most_items = 2,
      .workers = 2,
      .seconds = 1.5,
      .is_stopped = true};
  EXPECT_EQ(parse_json(to_json(report)), parse_json(R"(
      {"items": 4, "most_items": 2, "workers": 2, "seconds": 1.5, "is_stopped": true, "tasks":
      [{"name": "add", "kind": "task", "calls": 12, "busy": 0.25, "wait_input": 0.0, "wait_pool":
      0.5, "wait_order": 0.0, "wait_place": 0.0}], "pools": [{"name": "rows", "count": 4,
      "high_water": 3}], "skipped": [{"task": "add", "item": 2, "stamp": "item 2, turn 1", "reason":
      "no \"file\""}], "trace": [{"task": 0, "thread": 1, "item": 2, "begin": 30, "end": 40}]}
  )"));
}

TEST(GraphReport, TracesNameTheirTasks) {
  Graph graph("numbers");
  add_loop(graph);
  auto run = graph.run({.workers = 2, .traced = true});
  run.wait();
  const Report report = run.report();
  std::map<std::string, std::int64_t> calls;
  std::map<int, std::int64_t> last_end;
  for (const TracedCall& call : report.trace) {
    ++calls[report.tasks[static_cast<std::size_t>(call.task)].name];
    // One thread makes one call after the other.
    EXPECT_GE(call.begin, last_end[call.thread]);
    last_end[call.thread] = call.end;
  }
  EXPECT_EQ(calls,
            (std::map<std::string, std::int64_t>{{"add", 34}, {"count", 5}, {"grow", 34}, {"write", 4}}));
}

TEST(GraphErrors, TasksReadFlowsAndReplicasHavePlaces) {
  const auto message_of = [](const auto& declare) -> std::string {
    Graph graph("numbers");
    try {
      declare(graph);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  test::expect_message(message_of([](Graph& graph) { graph.merge("all", std::vector<Flow<int>>{}); }),
                       {"merge", "'all'", "no flow"});
  test::expect_message(message_of([](Graph& graph) {
                         graph.replicate(
                             "copies", {}, [](int) { return 0; }, graph.source("count", {}, count_to_four),
                             [](Flow<int> x) { return x; });
                       }),
                       {"replicate", "'copies'", "no places"});
}

}  // namespace
}  // namespace tessera::graph
