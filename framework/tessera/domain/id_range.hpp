// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>

namespace tessera {

/// The integers [first, last) as a range, for loops and algorithms: for (int id : IdRange(2, 5)). It stands
/// in for std::views::iota, which Clang 14 cannot compile with the library of g++ 12.
class IdRange {
 public:
  /// An iterator whose value is the integer at which it stands.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    Iterator() = default;
    /// An iterator that stands at `value`.
    explicit Iterator(int value) : value_(value) {}
    int operator*() const { return value_; }
    Iterator& operator++() {
      ++value_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++value_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    int value_ = 0;
  };

  /// The integers from `first` to `last` - 1; `first` must not be greater than `last`.
  IdRange(int first, int last) : first_(first), last_(last) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }

 private:
  int first_;
  int last_;
};

}  // namespace tessera
