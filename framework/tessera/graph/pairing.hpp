// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/domain/id_vector.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph {

/// Says which items belong together two by two, such as tiles that are neighbours. Items and pairs have
/// numbers from 0 on. An item may belong to any number of pairs, also to none.
class Pairing {
 public:
  /// Makes a pairing without pairs.
  Pairing() = default;
  /// Makes a pairing of the pairs in a list. A pair is the numbers of its two items. Throws InputError
  /// if a number is negative, or if an item is paired with itself.
  explicit Pairing(std::vector<std::array<int, 2>> pairs);
  /// Makes a pairing of the pairs in a list whose elements have the members `first` and `second`, such as
  /// std::pair. Throws as the other constructor does.
  template <class Pair>
  explicit Pairing(const std::vector<Pair>& pairs) : Pairing(numbers_of(pairs)) {}

  /// Returns the number of pairs.
  int size() const { return pairs_.size(); }
  /// Returns the greatest number of an item that has a pair, plus 1.
  int items() const { return pairs_of_item_.size(); }
  /// Returns the numbers of the two items of a pair.
  const std::array<int, 2>& operator[](int pair) const { return pairs_[pair]; }
  /// Returns the pairs of an item, in the order of the list.
  std::span<const int> pairs_of(int item) const;
  /// Returns the greatest number of items that are kept at the same time if items come in the order `order`,
  /// and each one is kept until its last pair. An item that just comes counts as kept. Items that are not
  /// in `order` never come, so that their partners are kept to the end. This is the number of buffers that a
  /// pool needs for Graph::pair.
  int most_kept(std::span<const int> order) const;

 private:
  template <class Pair>
  static std::vector<std::array<int, 2>> numbers_of(const std::vector<Pair>& pairs) {
    std::vector<std::array<int, 2>> numbers;
    for (const Pair& pair : pairs) numbers.push_back({pair.first, pair.second});
    return numbers;
  }

  IdVector<int, std::array<int, 2>> pairs_;
  IdVector<int, std::vector<int>> pairs_of_item_;
};

/// A pair of items that Graph::pair emits.
template <class T>
struct Paired {
  /// The number of the pair in the pairing.
  int pair = 0;
  /// The item with the first number of the pair.
  T first;
  /// The item with the second number of the pair.
  T second;
};

namespace detail {

/// Throws InternalError, since an item that must come once has come twice.
[[noreturn]] void fail_paired_twice(int item);
/// Throws InternalError, since an item has come whose partner in a pair has not.
[[noreturn]] void fail_unpaired(int item, int partner);
/// Returns the number of an item. Throws InternalError if it is negative or too large.
int checked_number(std::int64_t item);

/// Keeps items until their last pair, and emits each pair when both of its items are there.
template <class T, class Number>
class PairBody {
 public:
  PairBody(Pairing pairing, Number number)
      : pairing_(std::move(pairing)),
        number_(std::move(number)),
        kept_(static_cast<std::size_t>(pairing_.items())) {}

  void operator()(const T& item, Out<Paired<T>>& pairs) {
    const int number = checked_number(static_cast<std::int64_t>(std::invoke(number_, item)));
    const std::span<const int> own = pairing_.pairs_of(number);
    if (own.empty()) return;
    Kept& kept = kept_[number];
    if (kept.has_come) fail_paired_twice(number);
    kept = {.item = item, .pairs_left = own.size(), .has_come = true};
    for (const int pair : own) {
      const auto [first, second] = pairing_[pair];
      if (!kept_[first].item || !kept_[second].item) continue;
      pairs({pair, *kept_[first].item, *kept_[second].item});
      for (const int done : {first, second})
        if (--kept_[done].pairs_left == 0) kept_[done].item.reset();
    }
  }

  /// Checks that all pairs were emitted, unless items may have been left out.
  void finish(const Out<Paired<T>>& pairs) const {
    if (!pairs.has_all_items()) return;
    for (int pair = 0; pair < pairing_.size(); ++pair) {
      const auto [first, second] = pairing_[pair];
      const bool has_first = kept_[first].has_come, has_second = kept_[second].has_come;
      if (has_first != has_second) fail_unpaired(has_first ? first : second, has_first ? second : first);
    }
  }

 private:
  struct Kept {
    std::optional<T> item = {};
    std::size_t pairs_left = 0;
    bool has_come = false;
  };

  Pairing pairing_;
  Number number_;
  IdVector<int, Kept> kept_;
};

}  // namespace detail

}  // namespace tessera::graph
