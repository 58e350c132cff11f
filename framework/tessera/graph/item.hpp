// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::graph::detail {

/// The number of a task in its graph.
enum class TaskId : int {};
/// Stands for no task.
inline constexpr TaskId no_task{-1};

/// Small blocks of memory that the thread of a worker uses again. Items and scopes live for a few hundred
/// nanoseconds, so that the general allocator would cost more than most of what is done with them.
class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() {
    for (List& list : lists_)
      while (list.first != nullptr) ::operator delete(pop(list));
  }

  /// Returns memory for an object of `size` bytes, from the cache of the calling thread if it has one.
  static void* allocate(std::size_t size) {
    if (size > largest) return ::operator new(size);
    if (of_thread != nullptr)
      if (List& list = of_thread->lists_[number_of(size)]; list.first != nullptr) return pop(list);
    return ::operator new((number_of(size) + 1) * step);
  }
  /// Takes back a block that `allocate` has returned for the same size, on any thread.
  static void deallocate(void* block, std::size_t size) {
    if (size <= largest && of_thread != nullptr)
      if (List& list = of_thread->lists_[number_of(size)]; list.count < most) {
        ++list.count;
        list.first = ::new (block) Free{list.first};
        return;
      }
    ::operator delete(block);
  }

  /// The cache of the calling thread, or null. Access by this model takes one instruction.
  [[gnu::tls_model("initial-exec")]] static inline thread_local BlockCache* of_thread = nullptr;

 private:
  /// The step from one size of blocks to the next, the largest size, and the number of blocks of one size
  /// that a thread keeps.
  static constexpr std::size_t step = 32, largest = 256;
  static constexpr int most = 256;

  struct Free {
    Free* next;
  };
  struct List {
    Free* first = nullptr;
    int count = 0;
  };
  static std::size_t number_of(std::size_t size) { return (size - 1) / step; }
  static void* pop(List& list) {
    --list.count;
    Free* const block = list.first;
    list.first = block->next;
    return block;
  }

  std::array<List, largest / step> lists_;
};

/// A base of classes whose objects take their memory from the cache of the thread.
class Cached {
 public:
  static void* operator new(std::size_t size) { return BlockCache::allocate(size); }
  static void operator delete(void* block, std::size_t size) { BlockCache::deallocate(block, size); }
  static void* operator new(std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
  }
  static void operator delete(void* block, std::align_val_t alignment) {
    ::operator delete(block, alignment);
  }
};

/// The most flows that one task reads.
inline constexpr int max_inputs = 8;
/// The most pools that one task takes buffers from.
inline constexpr int max_pools = 4;

/// The value of an item, without its type. All tasks that read the same flow share it.
class Item : public Cached {
 public:
  Item() = default;
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  virtual ~Item() = default;

  /// Returns whether the caller is the only holder, and so may move the value away.
  bool is_sole() const { return holders_.load(std::memory_order_acquire) == 1; }
  /// Adds `count` holders.
  void hold(int count = 1) { holders_.fetch_add(count, std::memory_order_relaxed); }
  /// Removes one holder. The last one destroys the item.
  static void drop(Item* item) {
    if (item->is_sole() || item->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete item;
  }

 private:
  std::atomic<int> holders_{1};
};

/// Ends a hold of an item.
struct DropItem {
  void operator()(Item* item) const { Item::drop(item); }
};
/// One hold of an item. Its end may give a buffer back to a pool, so that it must not come while the lock of
/// the core is held.
using ItemHold = std::unique_ptr<Item, DropItem>;

/// The value of an item, with its type.
template <class T>
class ItemOf final : public Item {
 public:
  explicit ItemOf(T given) : value(std::move(given)) {}
  T value;
};

/// The items of one stamp that a task with several inputs reads together.
class Joined final : public Item {
 public:
  std::array<ItemHold, max_inputs> parts;
};

/// Returns the value of an item, whose type must be T.
template <class T>
T& value_of(Item& item) {
  return static_cast<ItemOf<T>&>(item).value;
}

/// A lock for sections of a few instructions.
class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

/// Items of one scope that wait for others of the same scope, so that a task can read them together.
struct Partial {
  TaskId task = no_task;
  /// The number of items that are still missing.
  int missing = 0;
  /// The largest number of feedbacks that one of the items has gone through.
  std::uint32_t trips = 0;
  /// The time at which the first item came, in nanoseconds.
  std::int64_t since = 0;
  /// It is null when the task has got all of them.
  std::unique_ptr<Joined> joined;
};

/// An item that a gather keeps until its group is complete.
struct Gathered {
  std::int64_t ordinal = 0;
  ItemHold item;
};

/// The collected items of one gather.
struct Gathering {
  TaskId task = no_task;
  std::vector<Gathered> items;
};

/// An item of a source, a turn of a loop, or a part of a scatter. Each item belongs to one. Every item that
/// is under way holds its scope, and so does every running body and every inner scope. A scope closes when it
/// has no holds left. Scopes are the timestamps of timely dataflow (D. Murray et al., "Naiad", SOSP 2013) for
/// loops and scatters that are nested.
class Scope : public Cached {
 public:
  /// `root` is an item of a source, `turn` a turn of a loop, `group` all parts of one scatter, and `part` one
  /// of them.
  enum class Kind : std::uint8_t { root, turn, group, part };

  /// Makes a scope with one hold. An inner scope takes over one hold of `given_parent`.
  Scope(Scope* given_parent, Kind given_kind, std::int64_t given_ordinal)
      : parent(given_parent),
        root(given_parent == nullptr ? this : given_parent->root),
        ordinal(given_ordinal),
        kind(given_kind) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Adds `count` holds.
  void hold(std::int64_t count = 1) { holds_.fetch_add(count, std::memory_order_relaxed); }
  /// Ends `count` holds. Returns the remaining holds, and in `parked` the number of parked items.
  std::int64_t release(std::int64_t count, std::int64_t& parked) {
    // Nobody else can hold the scope again, unless it is the stand-in of a scope of another rank.
    if (home < 0 && holds_.load(std::memory_order_acquire) == count) return parked = 0;
    const std::int64_t left = holds_.fetch_sub(count, std::memory_order_acq_rel) - count;
    parked = left >> parked_shift;
    return left & (parked_one - 1);
  }
  /// Turns one hold into a parked item, which waits for its turn at an ordered task. Returns the remaining
  /// holds and parked items as `release` does.
  std::int64_t park(std::int64_t& parked) { return release(1 - parked_one, parked); }
  /// Turns one parked item into a hold.
  void unpark() { holds_.fetch_add(1 - parked_one, std::memory_order_relaxed); }
  /// Returns whether the scope has no holds. Parked items do not count.
  bool is_settled() const { return (holds_.load(std::memory_order_acquire) & (parked_one - 1)) == 0; }

  /// The scope around this one. It is null for roots.
  Scope* const parent;
  /// The scope of the item of a source that this scope belongs to.
  Scope* const root;
  /// The number of the item of the source, of the turn or of the part, from 0.
  const std::int64_t ordinal;
  const Kind kind;
  /// For roots: the source.
  TaskId source = no_task;
  /// For roots: a number that is smaller for items that are older. The oldest items come first.
  std::uint64_t age = 0;
  /// For stand-ins of scopes of other ranks: the rank of the scope, and its number there. The rank is -1 for
  /// all other scopes.
  int home = -1;
  std::uint64_t home_scope = 0;
  /// For stand-ins: the rank that must be told when the stand-in has no holds left, and the number of the
  /// scope there. The rank is -1 if there is none.
  int engaged_by = -1;
  std::uint64_t engaged_scope = 0;
  /// For roots: whether the item is skipped because a body has thrown an exception.
  std::atomic<bool> is_skipped{false};

  /// Guards `partials` and `gatherings`.
  SpinLock lock;
  /// Items that wait for others of this scope.
  std::vector<Partial> partials;
  /// For groups: what gathers have collected.
  std::vector<Gathering> gatherings;
  /// For groups: the scatter.
  TaskId scatter = no_task;

 private:
  static constexpr int parked_shift = 40;
  static constexpr std::int64_t parked_one = std::int64_t(1) << parked_shift;

  std::atomic<std::int64_t> holds_{1};
};

}  // namespace tessera::graph::detail
