// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>

namespace tessera {

namespace detail {

/// An iterator over ascending integers. `*i` is the current integer, and `++i` moves to the next one.
struct IdIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = int;

  int value = 0;

  int operator*() const { return value; }
  IdIterator& operator++() {
    ++value;
    return *this;
  }
  IdIterator operator++(int) { return {value++}; }
  bool operator==(const IdIterator&) const = default;
};

}  // namespace detail

/// The integers [first, last) as a range, for loops and algorithms: for (int id : IdRange(2, 5)). This class
/// replaces std::views::iota, which Clang 14 cannot compile with the library of g++ 12.
class IdRange {
 public:
  /// Makes the range of the integers from `first` to `last` - 1. `first` must not be greater than `last`.
  IdRange(int first, int last) : first_(first), last_(last) {}
  /// Returns an iterator that points to the first integer.
  detail::IdIterator begin() const { return {first_}; }
  /// Returns an iterator that points behind the last integer.
  detail::IdIterator end() const { return {last_}; }

 private:
  int first_;
  int last_;
};

}  // namespace tessera
