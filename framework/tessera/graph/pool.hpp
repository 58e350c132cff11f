// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tessera/graph/pool_state.hpp"

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
