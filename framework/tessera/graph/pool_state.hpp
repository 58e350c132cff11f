// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tessera::graph::detail {

class PoolState;

/// The task whose body runs on this thread. It is -1 outside bodies. Leases note it as their holder.
[[gnu::tls_model("initial-exec")]] inline thread_local int running_task = -1;

/// The interface of those who are told when a buffer returns to a pool.
class PoolListener {
 public:
  virtual ~PoolListener() = default;
  /// Is called after a buffer has become free. The caller has the lock of the core.
  virtual void buffer_returned() = 0;
};

/// What a graph and its pools share.
struct Core {
  /// Guards the free buffers of all pools and the queues of the run.
  std::mutex mutex;
  /// The run that is under way. It is null if there is none, and guarded by the mutex.
  PoolListener* listener = nullptr;
};

/// One buffer of a pool.
struct PoolSlot {
  /// The pool. It is null for a value that belongs to no pool.
  PoolState* pool = nullptr;
  /// The buffer, whose type the leases know.
  std::shared_ptr<void> buffer;
  /// The number of leases of the buffer.
  std::atomic<int> holders{0};
  /// The task whose body has last copied or moved a lease of the buffer. It is -1 if a thread outside the
  /// run has.
  std::atomic<int> holder{-1};
  /// The age of the item for which the buffer was granted.
  std::uint64_t age = 0;
};

/// The buffers of a pool.
class PoolState {
 public:
  /// Makes a pool of `given_count` buffers, of which each item of a source needs `given_per_item` at the same
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
  /// item, for which as many buffers stay reserved as it may still need. The lock of the core must be held,
  /// as for all functions below but `give_back`.
  bool may_grant(int wanted, std::uint64_t age, std::uint64_t oldest) const;
  /// Returns whether a thread outside the run holds a buffer, which it may give back at any time.
  bool is_held_outside() const;
  /// Takes a free buffer, with one holder.
  PoolSlot* take(std::uint64_t age);
  /// Returns the task that holds the most buffers, and how many it holds. The task is -1 if no body holds
  /// them.
  std::pair<int, int> greatest_holder() const;
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
