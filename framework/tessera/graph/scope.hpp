// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tessera/graph/item.hpp"

namespace tessera::graph::detail {

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
  int task = 0;
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
  Item* item = nullptr;
};

/// The collected items of one gather.
struct Gathering {
  int task = 0;
  std::vector<Gathered> items;
};

/// What an item belongs to: an item of a source, a turn of a loop, or a part of a scatter. Every item that is
/// under way holds its scope, and so does every running body and every inner scope. A scope closes when it
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
  /// For roots: the number of the source.
  int source = -1;
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
  /// For groups: the number of the scatter.
  int region = -1;

 private:
  static constexpr int parked_shift = 40;
  static constexpr std::int64_t parked_one = std::int64_t(1) << parked_shift;

  std::atomic<std::int64_t> holds_{1};
};

/// Returns the stamp of a scope as text, such as "item 4" or "item 4, turn 2, part 0".
std::string stamp_text(const Scope& scope);
/// Returns the ordinals of the scope and of all scopes around it, beginning with the root. Groups are left
/// out.
std::vector<std::int64_t> path_of(const Scope& scope);

}  // namespace tessera::graph::detail
