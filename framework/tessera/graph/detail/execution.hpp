// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "tessera/graph/detail/job.hpp"
#include "tessera/graph/run.hpp"

namespace tessera::graph::detail {

class Ranks;
class Worker;

/// A run of a graph on one rank: its queues and threads. The lock of the core, `mutex()`, guards its state.
/// Public functions take the lock themselves unless a comment says something else.
///
/// A thread that holds the lock of the core may take Node::lock, or the lock of the queue of Ranks, but never
/// the other way round. Scope::lock is held alone. No item is dropped and no scope is closed while one of
/// these locks is held, since both may give a buffer back, which takes the lock of the core.
class Execution {
 public:
  /// Makes a run that is not started yet. `chooser` is null except for rehearsals.
  Execution(const Declaration& graph, const RunOptions& options, std::unique_ptr<JobChooser> chooser);
  ~Execution();

  /// Starts the sources and the threads.
  void start();
  /// Makes all calls of a rehearsal on this thread. Throws the first exception of a body.
  void rehearse();

  // These functions do what those of Run promise.
  void stop();
  void wait();
  Report report() const;
  bool push(int flow, ItemHold item);
  void close(int flow);
  Item* pop(int flow);
  /// Drops an item that `pop` has returned, after the caller has taken its value.
  void drop_popped(Item* item);

  // These functions move items. The caller gives up the item and one hold of the scope. `may_carry` says that
  // the body of the caller is about to return, so that the worker may make the next call itself.
  /// Gives an item to all tasks that read the flow.
  void deliver_to_readers(Worker& worker, int flow, Item* item, Scope* scope, std::uint32_t trips,
                          bool may_carry);
  /// Gives an item to one task.
  void deliver(Worker& worker, const Reader& reader, Item* item, Scope* scope, std::uint32_t trips,
               bool may_carry);
  /// Ends one hold of a scope, and closes the scope if it was the last.
  void release(Worker& worker, Scope* scope);

  // Workers call these functions before and after they call bodies.
  /// Says that a body has returned, and lets the next job of the node in.
  void leave(Node& node, int body) {
    if (node.limit > 0 || node.ordered != nullptr) leave_limited(node, body);
  }
  /// Says that the call of a source has returned. If the source has ended, its scope is destroyed.
  void end_source_call(Node& node, Scope* scope, bool is_ended);
  /// Notes the exception that is being handled, and ends the run or skips the item.
  void fail(Node* node, Scope* scope);
  /// Drops a job without a call.
  void discard(Worker& worker, Job& job);
  /// Returns whether a body has thrown an exception that ends the run, here or on another rank.
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  /// Returns whether the items of a scope are to be dropped.
  bool is_dropped(const Scope& scope) const {
    return has_failed() || scope.root->is_skipped.load(std::memory_order_relaxed);
  }

  /// Turns a job whose body has emitted `item` last into the job of the only task that reads it. Returns
  /// whether the worker is to call that body at once.
  inline bool goes_on(Worker& worker, Job& job, const Node::Successor& to, Item* item);
  /// Waits for the next job of a worker, which stays valid until the next call. Returns null at the end of
  /// the run.
  inline Job* next(Worker& worker);
  /// Gives the buffer to a job that waits for one. The lock must be held.
  void buffer_returned() { grant_waiting(true); }

  // These functions are for Ranks.
  /// Returns the part of the run that speaks with other ranks. It is null if the run has one rank only.
  Ranks* ranks() { return ranks_.get(); }
  /// Says that the calling thread, which is no worker, is about to deliver or release something. The lock
  /// must be held.
  void begin_work() { ++running_; }
  /// Says that the calling thread has done what it called `begin_work` for. The lock must be held.
  void end_work();
  /// Stops the sources of this rank.
  void stop_here();
  /// Ends the run because another rank has failed.
  void fail_elsewhere();
  /// Goes on to the end of the run, since all ranks have closed the scopes of their own sources.
  void ranks_agree(bool has_failed);
  /// Gives buffers to the oldest job that waits for some, or ends the run if there are none. Nothing must be
  /// under way on any rank.
  void resolve_stuck();
  /// Returns whether no thread of this rank has anything to do. The lock must be held.
  bool is_idle() const;
  /// Returns whether jobs wait for buffers that no thread outside the run can give back. The lock must be
  /// held.
  bool waits_for_buffers() const { return !pool_waiters_.empty() && !may_get_buffers(); }
  /// Returns whether the run has ended.
  bool is_done() const { return is_done_; }
  std::mutex& mutex() const { return graph_.core->mutex; }

  Node& node(TaskId id) { return *nodes_[id]; }
  const Declaration& graph() const { return graph_; }
  bool is_timed() const { return is_timed_; }
  bool is_traced() const { return options_.traced; }
  CallObserver* observer() const { return options_.observer; }
  bool is_rehearsal() const { return chooser_ != nullptr; }
  /// Returns the nanoseconds since the start of the run.
  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - began_)
        .count();
  }
  const std::stop_source& stop_source() const { return stop_; }
  /// True if the run has not been stopped, and no task skips items.
  bool has_all_items() const;

 private:
  void make_nodes();
  void make_lanes();
  void find_successors();
  void abandon();
  /// Returns the input that emits a flow. Throws InputError if a task of another kind does.
  Node& input_of(int flow);
  Lane& lane_of(const Place& place);

  // The lock must be held for these functions.
  /// The waits of a job, in this order: for its turn, for buffers, and for a free body.
  enum class Stage : std::uint8_t { order, pools, body };
  /// Moves a job on, from the given stage until it has to wait or is ready.
  /// `carrier` is the worker that may make the call itself, or null.
  void proceed(Job& job, Stage stage, Worker* carrier = nullptr);
  /// Takes a job of an ordered task.
  void arrive(Job& job, Worker* carrier);
  void advance(Node& node);
  void leave_ordered(Node& node);
  /// Opens the scope of the next item of a source.
  Scope* open_root(Node& node);
  void settle_parked(TaskId source, std::int64_t ordinal);
  void note_complete(Node& reader, TaskId source, std::int64_t ordinal);
  bool grant(Job& job, bool reserves);
  void grant_waiting(bool reserves);
  void push_ready(const Job& job);
  void start_source(Node& node);
  void close_source(Node& node);
  std::uint64_t oldest_age() const;
  static std::uint64_t age_of(const Node& source, std::int64_t ordinal);
  /// Begins the end of the run if all sources have ended and all their scopes are closed.
  void check_quiet();
  void give_up_own(Worker& worker);
  void check_stuck();
  /// Returns whether threads outside the run hold buffers that jobs wait for.
  bool may_get_buffers() const;
  void find_buffers();
  std::string stuck_message() const;
  void fail_with(std::exception_ptr error);
  /// Makes a job ready whose item must be dropped.
  void push_dropped(Job job);
  void finish_next();
  void end_run();
  /// Gives an item to Run::pop.
  void offer(const Job& job);
  Worker& guest(const Node& node) { return *guests_[node.id]; }

  // The lock must not be held for these functions.
  /// Takes the next job from the queue of the lane. Waits for one.
  Job* next_ready(Worker& worker);
  /// Sends an item through a task that has no body.
  void pass_through(Worker& worker, Node& to, Item* item, Scope* scope, std::uint32_t trips, bool may_carry);
  /// Returns whether a worker may make the call of a job although others are ready.
  inline bool is_most_urgent(const Worker& worker, const Job& job) const;
  bool match(Worker& worker, Node& node, int input, Item*& item, Scope* scope, std::uint32_t& trips);
  void leave_limited(Node& node, int body);
  /// Does what `leave` and `goes_on` do, if one of the two tasks is ordered.
  bool goes_on_in_order(Worker& worker, Job& job, Node& from);
  void close_stand_in(Worker& worker, int home, std::uint64_t home_scope);
  void close_root(Scope* scope);
  void close_group(Worker& worker, Scope* group);
  void fail_input(const std::string& message);
  void gather(Worker& worker, const Node& node, Item* item, Scope* scope);

  const Declaration& graph_;
  RunOptions options_;
  bool is_timed_ = options_.timed || options_.traced;
  std::unique_ptr<JobChooser> chooser_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::stop_source stop_;

  IdVector<TaskId, std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  /// The lane of Place::kernels(). It is null if no task runs there.
  Lane* kernels_ = nullptr;
  /// The ordered tasks that read items of a source, nearest to the source first, by the number of the source.
  IdVector<TaskId, std::vector<Node*>> ordered_by_source_;
  /// The nodes of sources and inputs, by the number of the source.
  std::vector<Node*> sources_;
  /// The sum of `most` of all feedbacks.
  std::int64_t trip_limit_ = 0;

  /// Jobs that wait for buffers, the oldest first.
  std::vector<Job> pool_waiters_;
  /// The numbers of items of sources that are under way, at present and at most, and that are finished.
  std::int64_t open_roots_ = 0;
  std::int64_t most_open_roots_ = 0;
  std::int64_t closed_roots_ = 0;
  /// The number of threads that run bodies, and of those among them that pause for kernels.
  int running_ = 0;
  int running_pausable_ = 0;
  std::atomic<bool> is_paused_{false};
  std::atomic<bool> is_done_{false};
  bool is_agreeing_ = false;
  bool is_started_ = false;
  /// The number of items whose values callers are about to take. Nobody knows yet which buffers they hold.
  int popping_ = 0;
  /// True if nobody can take items out of the run any more.
  bool is_abandoned_ = false;
  /// The tasks whose bodies have something to do after the last item, and how many of them are done.
  std::vector<TaskId> finish_order_;
  std::size_t finishing_ = 0;
  std::condition_variable main_wake_;

  std::atomic<bool> has_failed_{false};
  std::exception_ptr error_;
  bool is_stopped_ = false;
  std::vector<SkippedItem> skipped_;

  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Worker> main_;
  /// The workers with which threads outside the run push and pop, by the number of the task.
  IdVector<TaskId, std::unique_ptr<Worker>> guests_;
  std::unique_ptr<Ranks> ranks_;
  std::vector<std::jthread> threads_;
  double seconds_ = 0;
};

/// The state of a thread that calls bodies. It takes the items that they emit.
class Worker final : public Emitter {
 public:
  /// Makes a worker for the thread with the number `slot` of a lane. The lane is null for threads outside the
  /// run.
  Worker(Execution& execution, Lane* lane, int slot);

  /// Makes the call of a job, and passes on what it emits.
  void run(Job& job);

  /// Returns the buffers to their pools that the body has not taken.
  void put_back_grants(Job& job) {
    if (!job.node->pools.empty()) put_back(job);
  }

  void emit(int output, Item* item) override;
  void emit_last(int output, Item* item) override;
  int rank_of(std::int64_t key) const override;
  int own_rank() const override;
  bool has_all_items() const override;
  void send(int rank, Bytes bytes) override;

  Counters& counters(const Node& node) { return counters_[node.id]; }
  const Counters& counters(const Node& node) const { return counters_[node.id]; }
  const std::vector<TracedCall>& trace() const { return trace_; }

  Lane* const lane;
  const int slot;
  /// Makes `job` the next one of this thread, which must return to `next` without changing it.
  void carry(const Job& job) {
    if (&job == current)
      std::swap(current, carried);
    else if (&job != carried)
      *carried = job;
    has_carried = true;
  }

  /// The job that this thread runs, and the next one if `has_carried` is true. Jobs are written where they
  /// are read, since copies of them are what a hop would cost most.
  std::array<Job, 2> jobs;
  Job* current = &jobs[0];
  Job* carried = &jobs[1];
  bool has_carried = false;
  /// True if the worker counts among the running ones.
  bool is_running = false;

 private:
  void run_body(Job& job);
  void run_source(Job& job);
  void run_turn(Job& job);
  void run_finish(Job& job);
  bool call(Job& job, Body& body, Call& call);
  void deliver(int output, Item* item);
  /// Passes on what was kept until its body, or all bodies of the task, had returned.
  void deliver_kept();
  void open_group(const Job& job);
  static void put_back(Job& job);
  Body& body_of(Node& node, int body) {
    const std::unique_ptr<Body>& made = node.bodies[body];
    return made == nullptr ? make_body(node, body) : *made;
  }
  Body& make_body(Node& node, int body);

  Execution& execution_;
  IdVector<TaskId, Counters> counters_;
  std::vector<TracedCall> trace_;
  /// The job whose body runs.
  Job* job_ = nullptr;
  /// The scope around the parts that the running scatter emits, and the number of the next part.
  Scope* group_ = nullptr;
  std::int64_t parts_ = 0;
  /// The outputs at which the running body has emitted, as bits.
  std::uint64_t emitted_ = 0;
  /// The outputs and the items that the running body has emitted, if its item may be skipped or if the task
  /// finishes.
  std::vector<std::pair<int, ItemHold>> kept_;
  /// The last item that the running body has emitted, if it is only passed on when the body returns.
  ItemHold last_;
  int last_output_ = 0;
};

bool Execution::is_most_urgent(const Worker& worker, const Job& job) const {
  return !is_paused_.load(std::memory_order_relaxed) &&
         worker.lane->oldest.load(std::memory_order_relaxed) >= job.age();
}

bool Execution::goes_on(Worker& worker, Job& job, const Node::Successor& to, Item* item) {
  Node& from = *job.node;
  job.node = to.node;
  job.item = item;
  job.input = to.input;
  if (is_timed()) job.since = now();
  if (from.ordered != nullptr || to.node->ordered != nullptr) return goes_on_in_order(worker, job, from);
  if (!to.node->admits(job)) return false;
  if (is_most_urgent(worker, job)) return true;
  worker.carry(job);
  return false;
}

Job* Execution::next(Worker& worker) {
  if (!worker.has_carried || !is_most_urgent(worker, *worker.carried)) return next_ready(worker);
  std::swap(worker.current, worker.carried);
  worker.has_carried = false;
  return worker.current;
}

}  // namespace tessera::graph::detail
