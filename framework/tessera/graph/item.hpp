// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace tessera::graph::detail {

/// The most flows that one task reads.
inline constexpr int max_inputs = 8;
/// The most pools that one task takes buffers from.
inline constexpr int max_pools = 4;

/// The value of an item, without its type. All tasks that read the same flow share it.
class Item {
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
    if (item->lets_go()) delete item;
  }
  /// Removes one holder. Returns whether it was the last one, so that the caller must destroy the item.
  bool lets_go() { return is_sole() || holders_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// Returns whether the item lies in a block of memory that ItemMemory may keep.
  virtual bool has_block() const { return false; }
  /// Items are larger or smaller than the memory that they lie in, so that the size is not passed on.
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void operator delete(void* memory) { ::operator delete(memory); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return ::operator new(bytes, alignment);
  }
  static void operator delete(void* memory, std::align_val_t alignment) {
    ::operator delete(memory, alignment);
  }

 private:
  std::atomic<int> holders_{1};
};

/// The bytes of a block of memory for an item. Values of up to 48 bytes fit into it.
inline constexpr std::size_t item_block_bytes = 64;
template <class Made>
inline constexpr bool fits_block = sizeof(Made) <= item_block_bytes &&
                                   alignof(Made) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// The value of an item, with its type. Items are made by ItemMemory.
template <class T>
class ItemOf final : public Item {
 public:
  explicit ItemOf(T given) : value(std::move(given)) {}
  bool has_block() const override { return fits_block<ItemOf>; }
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

/// Keeps the memory of small items for the next ones. It belongs to one thread.
class ItemMemory {
 public:
  ItemMemory() = default;
  ItemMemory(const ItemMemory&) = delete;
  ItemMemory& operator=(const ItemMemory&) = delete;
  ~ItemMemory() {
    for (std::size_t i = 0; i < count_; ++i) ::operator delete(blocks_[i]);
  }

  /// Returns a new item, in memory that is kept if there is some.
  template <class T>
  Item* make(T value) {
    using Made = ItemOf<T>;
    if constexpr (!fits_block<Made>) {
      return new Made(std::move(value));
    } else {
      if (count_ == 0) return new (::operator new(item_block_bytes)) Made(std::move(value));
      return new (blocks_[--count_]) Made(std::move(value));
    }
  }

  /// Removes one holder of an item. If it was the last one, destroys the item, and keeps its memory.
  void drop(Item* item) {
    if (!item->lets_go()) return;
    if (!item->has_block() || count_ == blocks_.size()) {
      delete item;
      return;
    }
    item->~Item();
    blocks_[count_++] = item;
  }

 private:
  std::array<void*, 64> blocks_{};
  std::size_t count_ = 0;
};

/// Returns the value of an item, whose type must be T.
template <class T>
T& value_of(Item& item) {
  return static_cast<ItemOf<T>&>(item).value;
}

}  // namespace tessera::graph::detail
