// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/graph/declaration.hpp"
#include "tessera/graph/pairing.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/graph/run.hpp"
#include "tessera/graph/task.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/graph/typed_body.hpp"

namespace tessera::graph {

/// A graph of tasks through which items flow: frames of a video, tiles of a plate, blocks of a matrix. Verbs
/// add tasks, and return the flows of the items that the tasks emit. A graph is data: it can be checked,
/// explained, saved, rehearsed and run, and nothing runs before `run` is called.
///
/// Each item has a stamp: the number of the item of a source, and inside loops and scatters also the numbers
/// of the turn and of the part. A task emits items with the stamp of the items that it reads. A task with
/// several inputs is called with items of equal stamps. So results do not depend on the number of workers.
///
/// The arguments of a verb after the body are flows and pools, in any order. The body gets a value for each
/// flow, and a Lease for each pool. Bodies are copied: each worker has one of its own. If a body has the
/// member `start(const Place&)`, it is called before the first item, on the thread of the first call. If a
/// body has the member `finish(Out<U>&...)`, with one Out for each output of the task, it is called after the
/// last item of the run.
///
/// Names of tasks and pools must be unique, since decks name tasks by them.
///
/// The verbs `input`, `output`, `discard`, `scatter`, `gather`, `merge` and `replicate` are experimental: no
/// program of Tessera needs them yet, and any version may change them.
class Graph {
 public:
  /// Makes a graph without tasks. Messages call it by its name.
  explicit Graph(std::string name);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Adds a source. `body(ordinal, leases...)` returns a std::optional of an item, which is empty at the end.
  /// It is called with 0, 1, 2 and so on, one call at a time. It may take a std::stop_token as its last
  /// parameter, which tells it that the run stops.
  template <class Body, class... Ts>
  auto source(std::string name, Task options, Body body, const Pool<Ts>&... pools) {
    using U = typename detail::ItemType<detail::SourceResult<Body, Ts...>>::Type;
    using Typed = detail::SourceBody<Body, U, Ts...>;
    return add_typed<Typed, U>(detail::TaskKind::source, false, std::move(name), options, std::move(body),
                               pools...);
  }

  /// Adds an input, at which Run::push puts items of the type T into the graph. This verb is experimental.
  template <class T>
  Flow<T> input(std::string name, Task options = {}) {
    return add<T>({.name = std::move(name), .kind = detail::TaskKind::input, .options = options}, false);
  }

  /// Adds a task without state. `body(values..., leases...)`, in the order of the arguments, returns one
  /// item, or a std::optional of one. With explicit output types, as in task<A, B>, `body(values...,
  /// leases..., Out<A>&, Out<B>&)` emits any number of items, and the result is a flow, or a std::tuple of
  /// flows.
  template <class... Outputs, class Body, class... Arguments>
  auto task(std::string name, Task options, Body body, const Arguments&... arguments) {
    return add_body<detail::TaskKind::task, Outputs...>(std::move(name), options, std::move(body),
                                                        arguments...);
  }

  /// Adds a body with state, which is called for one item after the other, whichever input it comes from:
  /// `body(value, leases..., Out<Outputs>&...)`, with an overload for each type of input. Flows come before
  /// pools among the arguments. `options.order` must say in which order items come.
  template <class... Outputs, class Body, class... Arguments>
  auto keeper(std::string name, Task options, Body body, const Arguments&... arguments) {
    using Typed = detail::KeeperBody<Body, detail::Types<Outputs...>, detail::FlowTypes<Arguments...>,
                                     detail::PoolTypes<Arguments...>>;
    return add_typed<Typed, Outputs...>(detail::TaskKind::keeper, !options.single, std::move(name), options,
                                        std::move(body), arguments...);
  }

  /// Adds a keeper that emits the pairs of `pairing`: a Paired<T> as soon as both items of a pair are there.
  /// `number(item)` is the number of an item in the pairing, where `number` may be a pointer to a member.
  /// Each item is kept until its last pair, so that a lease in it then goes back, and one without pairs is
  /// dropped at once. T must be copyable. The run ends with an InternalError if an item with pairs comes
  /// twice, if one of two items of a pair never comes although the run leaves none out, or if a number is
  /// negative. The order of the pairs differs from run to run.
  template <class T, class Number>
  Flow<Paired<T>> pair(std::string name, Pairing pairing, Number number, const Flow<T>& flow) {
    using Body = detail::PairBody<T, Number>;
    return keeper<Paired<T>>(std::move(name), {.order = Order::arrival},
                             Body(std::move(pairing), std::move(number)), flow);
  }

  /// Adds a task that emits nothing, such as one that writes files. `body(values..., leases...)` is called by
  /// one thread at a time unless `options.workers` says otherwise.
  template <class Body, class... Arguments>
  void sink(std::string name, Task options, Body body, const Arguments&... arguments) {
    if (options.workers == 0) options.workers = 1;
    add_body<detail::TaskKind::sink>(std::move(name), options, std::move(body), arguments...);
  }

  /// Adds an output, at which Run::pop takes the items of `flow` out of the graph. An item counts as under
  /// way until it is taken. This verb is experimental.
  template <class T>
  void output(std::string name, Task options, const Flow<T>& flow) {
    add_task({.name = std::move(name),
              .kind = detail::TaskKind::output,
              .options = options,
              .inputs = {flow.number()}});
  }

  /// Says that nobody needs the items of `flow`. Without this call, `check` refuses flows that no task reads.
  /// This verb is experimental.
  template <class T>
  void discard(const Flow<T>& flow) {
    declaration_->flow(flow.number()).is_discarded = true;
  }

  /// Adds a task that takes one item apart: `body(values..., leases..., Out<U>&)`. Each part that it emits
  /// has a stamp of its own, and `gather` puts parts together again. This verb is experimental.
  template <class U, class Body, class... Arguments>
  Flow<U> scatter(std::string name, Task options, Body body, const Arguments&... arguments) {
    return add_body<detail::TaskKind::scatter, U>(std::move(name), options, std::move(body), arguments...);
  }

  /// Adds a task that collects the parts of each scatter. When the last part has come or has been dropped, it
  /// emits a std::vector of the parts in the order in which the scatter emitted them. The vector may be
  /// empty. Throws InputError if no scatter emits `parts`. This verb is experimental.
  template <class T>
  Flow<std::vector<T>> gather(std::string name, const Flow<T>& parts) {
    return add<std::vector<T>>({.name = std::move(name),
                                .kind = detail::TaskKind::gather,
                                .inputs = {parts.number()},
                                .make_body = [] { return std::make_unique<detail::GatherBody<T>>(); }},
                               false);
  }

  /// Adds a loop: items enter `body`, which adds tasks and returns the flow of what they make of the item. An
  /// item leaves the loop when `until(item)` is true after a turn, or after `options.most` turns, and then
  /// has the stamp again with which it entered. Several items may be in different turns at the same time.
  template <class T, class Body, class Until>
  Flow<T> loop(std::string name, Task options, const Flow<T>& entering, const Body& body, Until until) {
    const Flow<T> turn(enter_loop(name, options, entering.number()));
    const Flow<T> turned = body(turn);
    return Flow<T>(leave_loop(turn.number(), turned.number(), options,
                              detail::body_maker<detail::TurnBody<T, Until>>(std::move(until))));
  }

  /// Makes a flow that `close` connects later, so that tasks can read items that result from their own. The
  /// items keep their stamps. The run ends with an InputError if an item goes through feedbacks more often
  /// than the `options.most` of all feedbacks of the graph together.
  template <class T>
  Flow<T> feedback(std::string name, Task options) {
    return Flow<T>(add_feedback(std::move(name), options));
  }
  /// Closes a feedback, so that it has the items of `flow`. Throws InputError if `feedback` is closed
  /// already, or does not come from the verb `feedback`.
  template <class T>
  void close(const Flow<T>& feedback, const Flow<T>& flow) {
    close_feedback(feedback.number(), flow.number());
  }

  /// Joins flows of the same type into one, which has the items of all of them. Throws InputError if there
  /// are none. This verb is experimental.
  template <class T>
  Flow<T> merge(std::string name, const std::vector<Flow<T>>& flows) {
    std::vector<int> numbers;
    for (const Flow<T>& flow : flows) numbers.push_back(flow.number());
    return Flow<T>(add_merge(std::move(name), numbers, detail::no_task));
  }

  /// Makes a copy of a part of the graph for each of `places`. `where(item)` is the index of the place that
  /// an item goes to, or a std::vector of indices, and it then goes to each of these once. `body(flow)` adds
  /// the tasks of one place and returns a flow. Their names get the index of the place, as in "fft[1]", and
  /// their place is this one unless their options say otherwise. Returns the flow of the items of all copies.
  /// Copies may be replicated again. Throws InputError if there are no places. This verb is experimental.
  template <class T, class Where, class Body>
  auto replicate(std::string name, const std::vector<Place>& places, Where where, const Flow<T>& flow,
                 const Body& body) {
    using Chosen = std::remove_cvref_t<std::invoke_result_t<Where&, const T&>>;
    const int count = static_cast<int>(places.size());
    detail::TaskDeclaration task{
        .name = name,
        .kind = detail::TaskKind::route,
        .inputs = {flow.number()},
        .make_body = detail::body_maker<detail::RouteBody<T, Where>>(std::move(where), count)};
    const detail::TaskId route = add_route(std::move(task), count, !std::integral<Chosen>);
    const std::vector<int> routes = declaration_->task(route).outputs;
    using Result = std::invoke_result_t<const Body&, Flow<T>>;
    std::vector<int> results;
    for (std::size_t i = 0; i < places.size(); ++i) {
      places_.emplace_back(places[i], static_cast<int>(i));
      results.push_back(body(Flow<T>(routes[i])).number());
      places_.pop_back();
    }
    return Result(add_merge(name + " results", results, route));
  }

  /// Sends each item to the rank `key(item)` modulo the number of ranks. The tasks that read the returned
  /// flow are called there. The key is an integer, or a list of integers, such as a std::vector, to each of
  /// whose ranks the item goes once. Items keep their stamps. Transfer must know the type T.
  template <class T, class Key>
  Flow<T> send(std::string name, Key key, const Flow<T>& flow) {
    using Body = detail::SendBody<T, Key>;
    return add<T>({.name = std::move(name),
                   .kind = detail::TaskKind::send,
                   .inputs = {flow.number()},
                   .make_body = detail::body_maker<Body>(std::move(key))},
                  !Body::is_single);
  }

  /// Changes options of tasks, sizes of pools and the window. Throws InputError for names that the graph
  /// lacks.
  void configure(const Settings& settings);
  /// Throws InputError, with one line that says why, if the graph cannot run.
  void check(const RunOptions& options = {}) const;
  /// Checks the graph, makes the buffers of the pools and starts a run. The graph must outlive the Run, and
  /// only one Run of a graph may exist at a time. Collective if `options.communicator` has several ranks.
  Run run(const RunOptions& options = {});
  /// Runs the graph on this thread, one body at a time, in an order that `seed` determines. 0 means the
  /// oldest item first, and 1 the newest first. 2 + t means that the task whose number in `to_json` is
  /// t is called only when nothing else is ready. All others mean a random order. The results are the same as
  /// those of a run unless a body is not pure or an order is missing. Bodies may launch kernels. Throws as
  /// Run::wait does. The graph must have no inputs and outputs.
  Report rehearse(std::uint64_t seed, const RunOptions& options = {});

  /// The name of the graph.
  const std::string& name() const { return declaration_->name; }
  /// Returns the names of all tasks, in the order of their numbers.
  std::vector<std::string> task_names() const;

  /// Returns the graph as data. Only functions of this room use it.
  const detail::Declaration& declaration() const { return *declaration_; }

 private:
  template <class T>
  friend class Pool;

  int add_pool(std::string name, const PoolOptions& options, std::function<std::shared_ptr<void>()> make);
  detail::TaskId add_task(detail::TaskDeclaration task);
  int enter_loop(const std::string& name, const Task& options, int entering);
  int leave_loop(int turn, int turned, const Task& options,
                 std::function<std::unique_ptr<detail::Body>()> until);
  int add_feedback(std::string name, const Task& options);
  void close_feedback(int feedback, int flow);
  /// `route` is the task whose replicas the flows come from, or `no_task`.
  int add_merge(std::string name, const std::vector<int>& flows, detail::TaskId route);
  detail::TaskId add_route(detail::TaskDeclaration task, int places, bool to_several);
  int add_output(detail::TaskId task, bool several);

  /// Adds a task with one output.
  template <class U>
  Flow<U> add(detail::TaskDeclaration task, bool several) {
    return Flow<U>(add_output(add_task(std::move(task)), several));
  }

  /// Adds a task that has bodies of the type Typed, and an output for each of Outputs.
  template <class Typed, class... Outputs, class Body, class... Arguments>
  auto add_typed(detail::TaskKind kind, [[maybe_unused]] bool several, std::string name, const Task& options,
                 Body body, const Arguments&... arguments) {
    detail::TaskDeclaration task{.name = std::move(name),
                                 .kind = kind,
                                 .options = options,
                                 .make_body = detail::body_maker<Typed>(std::move(body)),
                                 .is_copyable = std::is_copy_constructible_v<Body>,
                                 .has_finish = Typed::has_finish,
                                 .takes_values = !Typed::shares_values,
                                 .launches_kernels = detail::launches_kernels<Body>};
    ((detail::ArgumentOf<Arguments>::is_flow ? task.inputs : task.pools).push_back(arguments.number()), ...);
    const detail::TaskId id = add_task(std::move(task));
    if constexpr (sizeof...(Outputs) == 1)
      return Flow<std::tuple_element_t<0, std::tuple<Outputs...>>>(add_output(id, several));
    else if constexpr (sizeof...(Outputs) > 1)
      return std::tuple<Flow<Outputs>...>{Flow<Outputs>(add_output(id, several))...};
  }

  /// Adds a task, sink or scatter.
  template <detail::TaskKind kind, class... Outputs, class Body, class... Arguments>
  auto add_body(std::string name, const Task& options, Body body, const Arguments&... arguments) {
    if constexpr (sizeof...(Outputs) > 0) {
      using Typed = detail::TaskBody<true, Body, detail::Types<Outputs...>, Arguments...>;
      return add_typed<Typed, Outputs...>(kind, kind == detail::TaskKind::task && !options.single,
                                          std::move(name), options, std::move(body), arguments...);
    } else if constexpr (kind == detail::TaskKind::sink) {
      using Typed = detail::TaskBody<false, Body, detail::Types<>, Arguments...>;
      add_typed<Typed>(kind, false, std::move(name), options, std::move(body), arguments...);
    } else {
      using Result = std::invoke_result_t<Body&, detail::ValueOf<Arguments>...>;
      static_assert(!std::is_void_v<Result>,
                    "the body of a task returns an item; use sink for bodies without");
      using U = typename detail::ItemType<Result>::Type;
      using Typed = detail::TaskBody<false, Body, detail::Types<U>, Arguments...>;
      return add_typed<Typed, U>(kind, false, std::move(name), options, std::move(body), arguments...);
    }
  }

  std::unique_ptr<detail::Declaration> declaration_;
  /// The places of the replicas that are being built, from the outermost.
  std::vector<std::pair<Place, int>> places_;
};

template <class T>
template <class Make>
Pool<T>::Pool(Graph& graph, std::string name, PoolOptions options, Make make) {
  number_ =
      graph.add_pool(std::move(name), options, [make = std::move(make)]() mutable -> std::shared_ptr<void> {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(make())>, std::shared_ptr<T>>)
          return make();
        else
          return std::make_shared<T>(make());
      });
}

/// Returns the graph as tables for people. The first table has a line for each task: where its bodies run,
/// how many of them run at the same time, in which order they see items, which tasks and pools it reads, and
/// which tasks read what it emits. A semicolon separates the outputs of a task. Tasks inside loops and
/// between scatter and gather are indented. The second table has the pools. The lines at the end name limits
/// of turns and everything that results may depend on. The graph need not be complete.
std::string to_text(const Graph& graph);

/// Returns the graph as text for Graphviz (DOT). If there is a report of a run of the graph, the labels also
/// have the calls and times of tasks, and the most buffers of pools that were in use at the same time.
std::string to_dot(const Graph& graph, const Report* report = nullptr);

/// Returns the graph as one JSON object, with its name, its window, and lists of its tasks, flows, regions
/// and pools. A region is a part of the graph in which items have stamps of the same depth: below a source,
/// inside a loop, or between a scatter and its gather. Tasks name their flows, and flows their regions, by
/// their places in these lists, from 0. Where there is none, the place is -1.
std::string to_json(const Graph& graph);

/// Returns a number that is equal on all ranks that have built the same graph. Settings that decks may
/// change do not change it: places, workers, the number of buffers of pools, and the window.
std::uint64_t hash(const Graph& graph);

}  // namespace tessera::graph
