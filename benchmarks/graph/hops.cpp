// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

#include "graph/cases.hpp"
#include "tessera/graph/graph.hpp"

namespace bench {
namespace {

using tessera::graph::Flow, tessera::graph::Graph, tessera::graph::Lease, tessera::graph::Order,
    tessera::graph::Out, tessera::graph::Pool, tessera::graph::Task;

struct Item {
  std::uint32_t seen = 0;
};

struct Keeper {
  void operator()(Item* item, Out<Item*>& out) const { out(item); }
};

enum class Chain { parallel, serial, in_order, keepers, keepers_in_order, ordered };

/// Passes all items through the chain. Each of the tasks between the first and the last one passes a pointer
/// on.
std::string run_chain(std::vector<Item>& items, int tasks, Chain kind, int workers) {
  for (Item& item : items) item.seen = 0;
  Graph graph("hops");
  graph.configure({.window = 64});
  Flow<Item*> flow = graph.source("make", {}, [&](std::int64_t i) {
    return i < std::ssize(items) ? std::optional(&items[static_cast<std::size_t>(i)]) : std::nullopt;
  });
  for (int task = 1; task + 1 < tasks; ++task) {
    const std::string name = fmt::format("pass {}", task);
    if (kind == Chain::keepers || kind == Chain::keepers_in_order)
      flow = graph.keeper<Item*>(
          name, {.order = kind == Chain::keepers ? Order::arrival : Order::stamp, .single = true}, Keeper{},
          flow);
    else
      flow = graph.task(
          name,
          {.workers = kind == Chain::serial ? 1 : 0,
           .order = kind == Chain::in_order ? Order::stamp : Order::unsaid},
          [](Item* item) { return item; }, flow);
  }
  const bool is_last_ordered =
      kind == Chain::ordered || kind == Chain::in_order || kind == Chain::keepers_in_order;
  Task last{.order = is_last_ordered ? Order::stamp : Order::unsaid};
  if (kind == Chain::parallel) last.workers = workers;
  graph.sink(
      "count", last, [](Item* item) { ++item->seen; }, flow);
  graph.run({.workers = workers}).wait();
  const bool is_right = std::ranges::all_of(items, [](const Item& item) { return item.seen == 1; });
  return is_right ? "check=ok" : "check=FAIL";
}

/// Works for a millisecond of processor time.
int work(int value) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  const double end = now() + 1;
  while (now() < end) ++value;
  return value;
}

/// The memory that the process uses now, in KiB.
long used_kib() {
  std::ifstream sizes("/proc/self/statm");
  long all = 0, used = 0;
  sizes >> all >> used;
  return used * sysconf(_SC_PAGESIZE) / 1024;
}

}  // namespace

std::vector<GraphCase> hop_cases(Size size) {
  std::vector<GraphCase> cases;
  const double hops = static_cast<double>(size.width) * size.height;
  for (const auto& [name, kind] :
       {std::pair("tessera-parallel", Chain::parallel), std::pair("tessera-serial", Chain::serial),
        std::pair("tessera-in-order", Chain::in_order), std::pair("tessera-keepers", Chain::keepers),
        std::pair("tessera-keepers-in-order", Chain::keepers_in_order),
        std::pair("tessera-ordered-sink", Chain::ordered)})
    cases.push_back({name, "hops", size, "ptr", hops, 0,
                     [size, kind = kind,
                      items = std::make_shared<std::vector<Item>>(static_cast<std::size_t>(size.width))](
                         int workers) { return run_chain(*items, size.height, kind, workers); },
                     [hops](double ms) { return fmt::format("ns_per_hop={:.1f}", ms * 1e6 / hops); }});
  return cases;
}

std::vector<GraphCase> sleep_cases(Size size) {
  const auto run = [size](int workers) -> std::string {
    Graph graph("work");
    Flow<int> flow = graph.source("make", {}, [size](std::int64_t i) {
      return i < size.width ? std::optional(static_cast<int>(i)) : std::nullopt;
    });
    for (int task = 0; task < size.height; ++task)
      flow = graph.task(fmt::format("work {}", task), {}, work, flow);
    int seen = 0;
    graph.sink(
        "count", {}, [&](int) { ++seen; }, flow);
    graph.run({.workers = workers}).wait();
    return seen == size.width ? "check=ok" : "check=FAIL";
  };
  // Nothing happens for a while, except that each millisecond an item comes from outside.
  const auto idle = [size](int workers) -> std::string {
    Graph graph("idle");
    const auto in = graph.input<std::chrono::steady_clock::time_point>("in");
    std::vector<double> latencies;
    graph.sink(
        "out", {},
        [&](std::chrono::steady_clock::time_point sent) {
          latencies.push_back(
              std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - sent).count());
        },
        in);
    auto run_of_graph = graph.run({.workers = workers});
    for (int item = 0; item < size.width; ++item) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      run_of_graph.push(in, std::chrono::steady_clock::now());
    }
    run_of_graph.close(in);
    run_of_graph.wait();
    std::ranges::sort(latencies);
    return fmt::format("check=ok wake_up_us={:.1f}", latencies[latencies.size() / 2]);
  };
  // The memory of a stream whose sink is slow, at its end against the time when its first frames have come.
  const auto memory = [](int workers) -> std::string {
    constexpr int frames = 10'000, first_frames = 100, buffers = 64, bytes = 64 * 1024;
    Graph graph("memory");
    using Frame = std::vector<char>;
    const Pool<Frame> pool(graph, "frames", {.count = buffers}, [] { return Frame(bytes, 1); });
    const auto read = graph.source(
        "read", {},
        [](std::int64_t i, Lease<Frame> to) {
          return i < frames ? std::optional(std::move(to)) : std::nullopt;
        },
        pool);
    int written = 0;
    long early = 0, late = 0;
    graph.sink(
        "write", {.order = Order::stamp},
        [&](const Lease<Frame>&) {
          std::this_thread::sleep_for(std::chrono::microseconds(10));
          if (++written == first_frames) early = used_kib();
          if (written == frames) late = used_kib();
        },
        read);
    graph.run({.workers = workers}).wait();
    return fmt::format("check={} pool_kib={} growth_kib={}", written == frames ? "ok" : "FAIL",
                       buffers * bytes / 1024, late - early);
  };
  const double calls = static_cast<double>(size.width) * size.height;
  return {{"tessera", "sleeps", size, "int", calls, 0, run,
           [calls](double ms) { return fmt::format("ms_per_call={:.3f}", ms / calls); }},
          {"tessera-idle", "sleeps", size, "int", calls, 0, idle, [](double) { return std::string(); }},
          {"tessera-memory", "sleeps", size, "u8", calls, 0, memory, [](double) { return std::string(); }}};
}

std::vector<GraphBenchmark> graph_benchmarks() {
  return {{"hops", {"1000000x8"}, hop_cases},
          {"sleeps", {"100x2"}, sleep_cases},
          {"stream_sobel", {"1920x1080", "3840x2160"}, stream_cases}};
}

}  // namespace bench
