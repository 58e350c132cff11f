// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "tessera/graph/block_cache.hpp"

namespace tessera::graph::detail {

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
