// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace tessera::graph::detail {

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
  /// Takes back what `allocate` has returned, on whichever thread, for the same size.
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
  ~Joined() override {
    for (Item* part : parts)
      if (part != nullptr) drop(part);
  }
  std::array<Item*, max_inputs> parts{};
};

/// Returns the value of an item, whose type must be T.
template <class T>
T& value_of(Item& item) {
  return static_cast<ItemOf<T>&>(item).value;
}

}  // namespace tessera::graph::detail
