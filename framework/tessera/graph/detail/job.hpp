// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tessera/graph/declaration.hpp"

namespace tessera::graph::detail {

struct Node;

/// A call of a body that a worker will make. A job has one hold of its scope.
struct Job {
  Node* node = nullptr;
  Item* item = nullptr;
  Scope* scope = nullptr;
  /// The input at which the item came. It is `finish_input` for the call of `finish`, and `dropped_input` for
  /// a job whose item is only to be dropped.
  std::int32_t input = 0;
  /// The number of feedbacks that the item has gone through.
  std::uint32_t trips = 0;
  /// The time at which the job began to wait, in nanoseconds.
  std::int64_t since = 0;
  /// The buffers that were granted, in the order of the pools of the task.
  std::array<PoolSlot*, max_pools> grants{};

  static constexpr std::int32_t finish_input = -1;
  static constexpr std::int32_t dropped_input = -2;
  /// Returns the age of the item of the source that the job belongs to (see Scope::age).
  std::uint64_t age() const { return scope->root->age; }
};

/// Returns whether the job `a` is less urgent than `b`: jobs of older items come first, then those that are
/// nearer to the end of the graph.
bool is_less_urgent(const Job& a, const Job& b);

/// The threads of one place and the jobs that are ready for them. The lock of the core guards the queue.
struct Lane {
  Place place = Place::threads();
  int threads = 0;
  /// A heap of jobs, the most urgent one first.
  std::vector<Job> ready;
  /// The age of the most urgent job, which workers read without the lock.
  std::atomic<std::uint64_t> oldest{~std::uint64_t(0)};
  /// The number of threads that run bodies, and of those that wait for a job.
  int running = 0;
  int sleeping = 0;
  /// True if the items of the sources of this lane take so little time that several threads would only wait
  /// for each other. Then one thread carries all items, and one other thread watches whether it gets on.
  bool is_brief = false;
  bool is_watched = false;
  /// The number of calls of sources since `sampled`, a time in nanoseconds, and of all jobs that were taken.
  static constexpr std::int64_t turns_of_sample = 16;
  std::int64_t turns = 0;
  std::int64_t sampled = 0;
  std::int64_t taken = 0;
  std::condition_variable wake;

  /// Adds a job, and wakes a thread if one sleeps.
  void push(const Job& job);
  /// Counts a call of a source. Returns whether `note_time` must be called.
  bool needs_time() { return threads > 1 && ++turns == turns_of_sample; }
  /// Finds out, from the time in nanoseconds, whether the items of the sources take little time.
  void note_time(std::int64_t now);
  /// Returns whether a thread that looks for a job should leave what there is to another one.
  bool should_watch() const;
  /// Sleeps for a while, or until a job is pushed that somebody should take. If the other threads have taken
  /// nothing by then, they are no longer left alone.
  void watch(std::unique_lock<std::mutex>& lock);
  /// Takes the most urgent job.
  Job pop();
  /// Takes the job at `index` of `ready`, for rehearsals.
  Job take(std::size_t index);
};

/// The items that wait for their turn at an ordered task.
struct Ordered {
  /// For each input of a keeper, the source of its items. Other tasks get the items of all inputs together,
  /// and have one.
  std::vector<const Node*> sources;
  /// The items with one ordinal.
  struct Slot {
    /// The jobs that have come, in the order of their inputs.
    std::vector<Job> arrived;
    /// The inputs at which the item has arrived, or will not arrive any more, as bits.
    std::uint32_t known = 0;
  };
  std::map<std::int64_t, Slot> slots;
  /// The ordinal whose turn it is, which other threads read without the lock.
  std::atomic<std::int64_t> next{0};
  /// True if the body runs or is about to run.
  bool is_busy = false;
};

/// The state of a source or an input.
struct Source {
  /// The largest number of items that are under way.
  std::int64_t window = 1;
  /// The ordinal of the next item.
  std::int64_t next = 0;
  /// The number of items that are under way.
  std::int64_t in_flight = 0;
  /// True if a call of the source is under way or waits for a buffer.
  bool is_pending = false;
  bool is_ended = false;
  /// True if the scope of each item from `first_open` on is closed.
  std::deque<bool> closed;
  /// The ordinal of the oldest item that is under way.
  std::int64_t first_open = 0;
  /// For inputs: wakes Run::push when the window has room.
  std::condition_variable room;

  /// Notes that the scope of an item is closed.
  void close(std::int64_t ordinal);
};

/// A count that one thread changes, and that others may read at any time.
class Count {
 public:
  /// Adds `more`. Only one thread may call this function.
  void operator+=(std::int64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  operator std::int64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// The counts of one thread for one task. Times are in nanoseconds.
struct Counters {
  Count calls, busy, wait_input, wait_place;
};

/// A task in a run.
struct Node {
  const TaskDeclaration* task = nullptr;
  TaskId id = no_task;
  /// The number of tasks on the longest way from a source.
  int depth = 0;
  Lane* lane = nullptr;
  std::vector<PoolState*> pools;
  /// True if items become jobs when they come. Items go on at once where there is no body, and gathers
  /// collect them.
  bool has_jobs = false;
  /// True if items wait for others of their stamp.
  bool joins = false;
  /// True if items may have to wait for their turn, for buffers or for Run::pop.
  bool may_wait = false;
  /// The gathers that collect the parts of this scatter.
  std::vector<TaskId> gathers;

  /// For each output: the only task that reads it, if that is one whose body the same thread can call at
  /// once, and its input. The task is null otherwise.
  struct Successor {
    Node* node = nullptr;
    std::int32_t input = 0;
  };
  std::vector<Successor> successors;
  /// True if an emitted item waits until the body emits the next one or returns, so that the same thread can
  /// carry the last one on. Bodies that may go on for long after they have emitted something do not wait.
  bool holds_back = false;
  /// The bodies. Those of tasks without a limit belong to the threads of the lane.
  IdVector<int, std::unique_ptr<Body>> bodies;
  /// The largest number of bodies that run at the same time. It is 0 if the threads of the lane are the
  /// limit.
  int limit = 0;
  /// True if there is one body only, and something other than `limit` makes sure that one thread at a time
  /// calls it: the order, the source, or a lane of one thread.
  bool is_serial = false;
  /// Guards `free_bodies`, `admitted` and `backlog`.
  SpinLock lock;
  /// The bodies that no job has taken, if there is a limit.
  std::vector<int> free_bodies;
  /// The number of jobs that have taken a body or may take one.
  int admitted = 0;
  /// A heap of jobs that wait for a body.
  std::vector<Job> backlog;
  /// Returns whether a job may take a body. Otherwise the job waits until one is free.
  bool admits(const Job& job) { return limit == 0 || admits_within_limit(job); }
  /// Takes a body for the thread with the number `slot`, and returns its number. The job must have been
  /// admitted.
  int take_body(int slot) {
    if (limit > 1) return take_free_body();
    return bodies.size() == 1 ? 0 : slot;
  }
  /// Takes back a body of a task with a limit. Returns true if `next` is a job that has waited for it.
  bool free_body(int body, Job& next);

  /// The nanoseconds that items have waited for buffers and for their turn in the order.
  std::int64_t wait_pool = 0;
  std::int64_t wait_order = 0;

  /// For tasks with Order::stamp. It is null for all others.
  std::unique_ptr<Ordered> ordered;
  /// For sources and inputs. It is null for all others.
  std::unique_ptr<Source> source;
  /// For outputs: the items that wait to be taken.
  std::deque<Job> offered;
  /// For outputs: wakes Run::pop when an item has come.
  std::condition_variable offer;

 private:
  bool admits_within_limit(const Job& job);
  int take_free_body();
};

/// Chooses the next job of a rehearsal, in which one thread makes all calls.
class JobChooser {
 public:
  /// Seed 0 means the oldest item first, and seed 1 the newest first. Seed 2 + t means that the task with the
  /// number t is called only when nothing else is ready. All other seeds mean a random order.
  JobChooser(std::uint64_t seed, int tasks)
      : seed_(seed), tasks_(static_cast<std::uint64_t>(tasks)), state_(seed) {}
  /// Returns the index of a job of `ready`, which is not empty.
  std::size_t choose(const std::vector<Job>& ready);

 private:
  std::uint64_t seed_, tasks_, state_;
};

/// Returns the number of processors that this process may use, in one NUMA domain if `domain` names one.
/// Returns 1 if the domain is not known.
int processor_count(std::optional<int> domain = {});
/// Binds the calling thread to the processors of a NUMA domain. Does nothing if the domain is not known.
void bind_thread(int domain);

}  // namespace tessera::graph::detail
