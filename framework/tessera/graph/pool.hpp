// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tessera/graph/item.hpp"

namespace tessera::graph::detail {

class Execution;
class PoolState;

/// The task whose body runs on this thread. It is `no_task` outside bodies. Leases note it as their holder.
[[gnu::tls_model("initial-exec")]] inline thread_local TaskId running_task = no_task;

/// The lock and the run that a graph and its pools share.
struct Core {
  /// Guards the free buffers of all pools and the queues of the run.
  std::mutex mutex;
  /// The run that is under way. It is null if there is none, and guarded by the mutex.
  Execution* run = nullptr;
};

/// One buffer of a pool.
struct PoolSlot {
  /// The pool. It is null for a value that belongs to no pool.
  PoolState* pool = nullptr;
  /// The buffer, whose type the leases know.
  std::shared_ptr<void> buffer;
  /// The number of leases of the buffer.
  std::atomic<int> holders{0};
  /// The task whose body has last copied or moved a lease of the buffer. It is `no_task` if a thread
  /// outside the run has.
  std::atomic<TaskId> holder{no_task};
  /// The age of the item that was granted the buffer.
  std::uint64_t age = 0;
};

/// The buffers of a pool.
class PoolState {
 public:
  /// Makes a pool of `given_count` buffers. Each item of a source needs `given_per_item` of them at the same
  /// time. `make` makes a buffer.
  PoolState(std::shared_ptr<Core> core, std::string given_name, int given_count, int given_per_item,
            std::function<std::shared_ptr<void>()> make)
      : name(std::move(given_name)),
        count(given_count),
        per_item(given_per_item),
        core_(std::move(core)),
        make_(std::move(make)) {}

  /// Makes the buffers that are missing, and destroys those that are too many and free. Runs call this before
  /// they start.
  void allocate();
  /// Returns whether the item with the age `age` may have `wanted` buffers. `oldest` is the age of the oldest
  /// item. The buffers that it may still need stay reserved for it. The lock of the core must be held,
  /// as for all functions below except `give_back`.
  bool may_grant(int wanted, std::uint64_t age, std::uint64_t oldest) const;
  /// Returns whether a thread outside the run holds a buffer, which it may give back at any time.
  bool is_held_outside() const;
  /// Takes a free buffer, with one holder.
  PoolSlot* take(std::uint64_t age);
  /// Returns the task that holds the most buffers, and how many it holds. The task is `no_task`
  /// if no body holds them.
  std::pair<TaskId, int> greatest_holder() const;
  /// Returns the number of free buffers.
  int free_count() const { return static_cast<int>(free_.size()); }
  /// Returns the most buffers that were in use at the same time.
  int high_water() const { return high_water_; }

  /// Takes back a buffer that has no holders left. The caller must not have the lock of the core.
  void give_back(PoolSlot* slot);

  const std::string name;
  int count;
  const int per_item;

 private:
  std::shared_ptr<Core> core_;
  std::function<std::shared_ptr<void>()> make_;
  std::vector<std::unique_ptr<PoolSlot>> slots_;
  std::vector<PoolSlot*> free_;
  int high_water_ = 0;
};

}  // namespace tessera::graph::detail

namespace tessera::graph {

class Graph;

/// The right to use one buffer of a pool. Copies share the buffer, which returns to the pool when the last
/// copy is destroyed or assigned to. A lease must not outlive its graph. Copies of one lease may be used by
/// several threads, but the buffer itself has no lock.
template <class T>
class Lease {
 public:
  /// Makes a lease that has no buffer.
  Lease() = default;
  /// Makes a lease of the buffer of `slot`, and takes over one hold of it. Only graphs call this.
  explicit Lease(detail::PoolSlot* slot) : slot_(slot) { mark(); }
  /// Shares the buffer of `other`.
  Lease(const Lease& other) : slot_(other.slot_) {
    if (slot_ != nullptr) slot_->holders.fetch_add(1, std::memory_order_relaxed);
    mark();
  }
  /// Takes over the buffer of `other`, which has none afterwards.
  Lease(Lease&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) { mark(); }
  /// Gives the present buffer up, and takes that of `other`.
  Lease& operator=(Lease other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~Lease() {
    if (slot_ != nullptr && slot_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) give_back();
  }
  /// Returns a lease of a value that belongs to no pool. It is destroyed with the last lease of it.
  static Lease of(T value) {
    auto slot = std::make_unique<detail::PoolSlot>();
    slot->buffer = std::make_shared<T>(std::move(value));
    slot->holders.store(1);
    return Lease(slot.release());
  }

  /// Returns whether the lease has a buffer.
  explicit operator bool() const { return slot_ != nullptr; }
  /// Returns the buffer. The lease must have one.
  T& operator*() const { return *static_cast<T*>(slot_->buffer.get()); }
  /// Returns a pointer to the buffer. The lease must have one.
  T* operator->() const { return static_cast<T*>(slot_->buffer.get()); }

 private:
  void give_back() { slot_->pool != nullptr ? slot_->pool->give_back(slot_) : delete slot_; }
  /// Notes which task holds the lease, for the message about a pool that is too small.
  void mark() noexcept {
    if (slot_ != nullptr) slot_->holder.store(detail::running_task, std::memory_order_relaxed);
  }

  detail::PoolSlot* slot_ = nullptr;
};

/// The options of a pool.
struct PoolOptions {
  /// The number of buffers.
  int count = 1;
  /// The largest number of buffers that one item of a source holds at the same time.
  int per_item = 1;
  /// The bytes of one buffer. It is 0 if they are not known, and RunOptions::memory then does not count them.
  std::int64_t bytes = 0;
};

/// A limited number of buffers of the type T, which are made once and used again and again. A task that names
/// a pool among its inputs gets a Lease. The buffer is granted before the body starts, to the oldest item
/// first. A younger item gets a buffer only if the oldest item can still have all that it may need. So a
/// graph cannot get stuck, unless a keeper keeps leases from call to call. If a graph is stuck, the run
/// notices it at once, and Run::wait throws InputError. Threads outside of the run get leases from outputs
/// (see Run::pop) and never from bodies, so that the run knows who holds them.
template <class T>
class Pool {
 public:
  /// Adds a pool to `graph`. `make` returns a new buffer, as T or as std::shared_ptr<T>. It is called by
  /// Graph::run and Graph::rehearse, on the thread of the caller. `graph` must outlive the pool.
  template <class Make>
  Pool(Graph& graph, std::string name, PoolOptions options, Make make);

  /// Returns the number of the pool in its graph.
  int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace tessera::graph
