// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/execution.hpp"

#include <algorithm>
#include <ranges>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/ranks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::graph::detail {
namespace {

/// Appends calls of a thread to a trace. Each call gets the row of its task in the report in place of the
/// number of the task.
void append(std::vector<TracedCall>& trace, const std::vector<TracedCall>& calls,
            const IdVector<TaskId, int>& rows, int thread) {
  for (TracedCall call : calls) {
    call.task = rows[TaskId{call.task}];
    call.thread = thread;
    trace.push_back(call);
  }
}

}  // namespace

Execution::Execution(const Declaration& graph, const RunOptions& options, std::unique_ptr<JobChooser> chooser)
    : graph_(graph), options_(options), chooser_(std::move(chooser)) {
  if (options_.workers <= 0) options_.workers = processor_count();
  ordered_by_source_.resize(graph_.tasks.values().size());
  make_nodes();
  make_lanes();
  find_successors();
  for (const TaskDeclaration& task : graph_.tasks)
    if (task.kind == TaskKind::feedback) trip_limit_ += task.options.most;
  int ranks = 1;
  if (!is_rehearsal() && options_.communicator != MPI_COMM_NULL) MPI_Comm_size(options_.communicator, &ranks);
  if (ranks > 1) ranks_ = std::make_unique<Ranks>(*this, options_.communicator);
  const std::lock_guard lock(mutex());
  if (graph_.core->run != nullptr) throw InternalError("a graph runs twice at the same time");
  graph_.core->run = this;
}

Execution::~Execution() {
  if (is_started_ && (!is_done_ || !threads_.empty())) {
    abandon();
    stop();
    try {
      wait();
    } catch (...) {  // The owner has not waited for the run, so nobody can be told.
    }
  }
  const std::lock_guard lock(mutex());
  graph_.core->run = nullptr;
}

void Execution::make_nodes() {
  const IdVector<TaskId, int> depth = depths(graph_);
  for (const TaskDeclaration& task : graph_.tasks) {
    auto node = std::make_unique<Node>();
    node->task = &task;
    node->id = TaskId{nodes_.size()};
    node->depth = depth[node->id];
    for (const int pool : task.pools) node->pools.push_back(graph_.pools[pool].state.get());
    if (task.kind == TaskKind::source || task.kind == TaskKind::input) {
      node->source = std::make_unique<Source>();
      sources_.push_back(node.get());
    }
    if (task.options.order == Order::stamp) node->ordered = std::make_unique<Ordered>();
    // Items pass through the other tasks as soon as they come (see pass_through).
    node->has_jobs = task.kind < TaskKind::enter && task.kind != TaskKind::gather;
    node->holds_back = task.kind == TaskKind::keeper || task.kind == TaskKind::route || task.options.single;
    node->joins = task.inputs.size() > 1 && task.kind != TaskKind::keeper;
    node->may_wait = node->ordered != nullptr || !node->pools.empty() || task.kind == TaskKind::output;
    nodes_.push_back(std::move(node));
  }
  for (const auto& node : nodes_) {
    const TaskDeclaration& task = *node->task;
    if (task.kind == TaskKind::gather) {
      const TaskId scatter = graph_.region(graph_.flow(task.inputs.front()).region).task;
      nodes_[scatter]->gathers.push_back(node->id);
    }
  }
  finish_order_ = topological_order(graph_);
  for (const TaskId id : finish_order_) {
    Node& reader = node(id);
    if (reader.ordered == nullptr) continue;
    for (const int flow : reader.task->inputs) {
      Node& source = node(graph_.region(graph_.flow(flow).region).task);
      if (reader.ordered->sources.empty() || reader.task->kind == TaskKind::keeper)
        reader.ordered->sources.push_back(&source);
      std::vector<Node*>& list = ordered_by_source_[source.id];
      if (std::ranges::find(list, &reader) == list.end()) list.push_back(&reader);
    }
  }
  std::erase_if(finish_order_, [&](TaskId id) { return !graph_.task(id).has_finish; });
}

void Execution::make_lanes() {
  for (const auto& node : nodes_) {
    node->lane = &lane_of(is_rehearsal() ? Place::threads() : node->task->options.on);
    const TaskDeclaration& task = *node->task;
    if (task.make_body == nullptr) continue;
    const int threads = node->lane->threads;
    node->is_serial = node->ordered != nullptr || node->source != nullptr || threads == 1;
    int limit = task.kind == TaskKind::keeper || !task.is_copyable ? 1 : task.options.workers;
    if (limit == 0 || limit > threads) limit = threads;
    // Without a limit of its own, a task has a body for each thread.
    node->limit = node->is_serial || limit == threads ? 0 : limit;
    node->bodies.resize(static_cast<std::size_t>(node->is_serial ? 1 : limit));
    for (int body = node->limit; body-- > 0;) node->free_bodies.push_back(body);
  }
}

/// Finds, for each output, the only task that reads it, if a worker may go on to this task with the item.
void Execution::find_successors() {
  for (const auto& from : nodes_)
    for (const int flow : from->task->outputs) {
      Node::Successor& successor = from->successors.emplace_back();
      const std::vector<Reader>& readers = graph_.flow(flow).readers;
      if (readers.size() != 1 || is_rehearsal()) continue;
      Node& to = node(readers.front().task);
      if (to.has_jobs && !to.joins && to.pools.empty() && to.task->kind != TaskKind::output &&
          to.lane == from->lane && to.task->kind != TaskKind::turn)
        successor = {&to, readers.front().input};
    }
}

Lane& Execution::lane_of(const Place& place) {
  for (const auto& lane : lanes_)
    if (lane->place == place) return *lane;
  lanes_.push_back(std::make_unique<Lane>());
  Lane& lane = *lanes_.back();
  lane.place = place;
  lane.threads = 1;
  if (!is_rehearsal() && place.kind() == Place::Kind::threads) lane.threads = options_.workers;
  if (place.kind() == Place::Kind::numa) lane.threads = processor_count(place.number());
  if (place.kind() == Place::Kind::kernels) kernels_ = &lane;
  return lane;
}

void Execution::start() {
  for (const auto& lane : lanes_)
    for (int slot = 0; slot < lane->threads; ++slot)
      if (lane.get() != kernels_ || is_rehearsal())
        workers_.push_back(std::make_unique<Worker>(*this, lane.get(), slot));
  main_ = std::make_unique<Worker>(*this, kernels_, 0);
  for (const auto& node : nodes_)
    guests_.push_back(node->task->make_body == nullptr ? std::make_unique<Worker>(*this, nullptr, 0)
                                                       : nullptr);
  {
    const std::lock_guard lock(mutex());
    for (Node* node : sources_) {
      node->source->window = graph_.window > 0 ? graph_.window : 4 * options_.workers;
      const int rank = node->task->options.rank;
      if (ranks_ != nullptr && rank != Task::every_rank && rank % ranks_->size() != ranks_->rank())
        node->source->is_ended = true;
      else if (node->task->kind == TaskKind::source)
        start_source(*node);
    }
    check_quiet();
  }
  if (is_rehearsal()) return;
  is_started_ = true;
  if (ranks_ != nullptr) ranks_->start();
  for (const auto& worker : workers_)
    threads_.emplace_back([this, &worker = *worker] {
      if (worker.lane->place.kind() == Place::Kind::numa) bind_thread(worker.lane->place.number());
      BlockCache cache;
      BlockCache::of_thread = &cache;
      while (Job* const job = next(worker)) worker.run(*job);
      BlockCache::of_thread = nullptr;
    });
}

void Execution::rehearse() {
  Worker& worker = *workers_.front();
  Lane& lane = *lanes_.front();
  for (;;) {
    std::unique_lock lock(mutex());
    if (lane.ready.empty()) check_stuck();
    if (lane.ready.empty()) break;
    Job job = lane.take(chooser_->choose(lane.ready));
    lock.unlock();
    worker.run(job);
  }
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (!is_done_) throw InternalError("a rehearsal ends although items are under way");
}

/// Makes the job that a worker has for itself ready. The lock must be held.
void Execution::give_up_own(Worker& worker) {
  if (std::exchange(worker.has_carried, false)) worker.lane->push(*worker.carried);
}

Job* Execution::next_ready(Worker& worker) {
  std::unique_lock lock(mutex());
  give_up_own(worker);
  // Threads that compute pause while the main thread launches kernels.
  const bool pauses =
      worker.lane->place.kind() != Place::Kind::io && worker.lane->place.kind() != Place::Kind::device;
  if (worker.is_running) {
    worker.is_running = false;
    --running_;
    --worker.lane->running;
    if (pauses && --running_pausable_ == 0 && is_paused_) main_wake_.notify_all();
  }
  Lane& lane = *worker.lane;
  const auto has_job = [&] {
    return is_done_ || (!lane.ready.empty() && !(pauses && is_paused_) && !lane.should_watch());
  };
  while (!has_job()) {
    check_stuck();
    if (has_job()) break;
    ++lane.sleeping;
    lane.should_watch() ? lane.watch(lock) : lane.wake.wait(lock);
    --lane.sleeping;
  }
  if (is_done_) return nullptr;
  *worker.current = worker.lane->pop();
  worker.is_running = true;
  ++running_;
  ++lane.running;
  if (pauses) ++running_pausable_;
  return worker.current;
}

void Execution::wait() {
  std::unique_lock lock(mutex());
  const auto has_job = [&] {
    return kernels_ != nullptr && !kernels_->ready.empty() && running_pausable_ == 0;
  };
  while (!is_done_) {
    if (has_job()) {
      Job job = kernels_->pop();
      ++running_;
      lock.unlock();
      main_->run(job);
      lock.lock();
      give_up_own(*main_);
      --running_;
      if (!kernels_->ready.empty()) continue;
      is_paused_ = false;
      for (const auto& lane : lanes_) lane->wake.notify_all();
    }
    check_stuck();
    if (!is_done_ && !has_job()) main_wake_.wait(lock);
  }
  lock.unlock();
  threads_.clear();
  if (ranks_ != nullptr) {
    ranks_->join();
    const std::exception_ptr error = std::exchange(error_, nullptr);
    return collectively(ranks_->communicator(), [&] {
      if (error != nullptr) std::rethrow_exception(error);
    });
  }
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Execution::stop() {
  {
    const std::lock_guard lock(mutex());
    if (ranks_ != nullptr) ranks_->tell_all(false);
  }
  stop_here();
}

void Execution::stop_here() {
  stop_.request_stop();
  const std::lock_guard lock(mutex());
  is_stopped_ = true;
  for (Node* node : sources_) {
    if (!node->source->is_pending || node->task->kind == TaskKind::input) close_source(*node);
    node->source->room.notify_all();
  }
  check_quiet();
  check_stuck();
}

Report Execution::report() const {
  Report report;
  const std::lock_guard lock(mutex());
  IdVector<TaskId, int> rows(nodes_.values().size(), -1);
  for (const auto& node : nodes_) {
    if (node->task->make_body == nullptr) continue;
    rows[node->id] = static_cast<int>(report.tasks.size());
    TaskReport& task = report.tasks.emplace_back();
    task.name = node->task->name;
    task.kind = name_of(node->task->kind);
    const auto add = [&](const Worker& worker) {
      const Counters& counted = worker.counters(*node);
      task.calls += counted.calls;
      task.busy += static_cast<double>(counted.busy) * 1e-9;
      task.wait_input += static_cast<double>(counted.wait_input) * 1e-9;
      task.wait_place += static_cast<double>(counted.wait_place) * 1e-9;
    };
    task.wait_pool = static_cast<double>(node->wait_pool) * 1e-9;
    task.wait_order = static_cast<double>(node->wait_order) * 1e-9;
    for (const auto& worker : workers_) add(*worker);
    if (main_ != nullptr) add(*main_);
  }
  for (const PoolDeclaration& pool : graph_.pools)
    report.pools.push_back({pool.state->name, pool.state->count, pool.state->high_water()});
  report.skipped = skipped_;
  std::ranges::sort(report.skipped, {}, &SkippedItem::item);
  if (is_done_) {  // Before the end, the threads are still writing their traces.
    append(report.trace, main_->trace(), rows, 0);
    for (int thread = 0; const auto& worker : workers_) append(report.trace, worker->trace(), rows, ++thread);
  }
  report.items = closed_roots_;
  report.most_items = most_open_roots_;
  report.workers = options_.workers;
  report.seconds = seconds_ > 0 ? seconds_ : static_cast<double>(now()) * 1e-9;
  report.is_stopped = is_stopped_;
  report.began = began_;
  return report;
}

}  // namespace tessera::graph::detail
