// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>

namespace tessera {

/// The ids [first, last) as a range, for loops and algorithms: for (int id : IdRange(2, 5)). An id is an
/// `int` or an `enum class` based on `int`. This class replaces std::views::iota, which Clang 14 cannot
/// compile with the library of g++ 12.
template <class Id>
class IdRange {
 public:
  /// An iterator. `*i` is the current id, and `++i` moves to the next one.
  class Iterator {
   public:  /// \cond
    using iterator_category = std::input_iterator_tag;
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using pointer = const Id*;
    using reference = Id;

    Iterator() = default;
    Iterator(int number, int step) : number_(number), step_(step) {}
    Id operator*() const { return static_cast<Id>(number_); }
    Iterator& operator++() {
      number_ += step_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      number_ += step_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    int number_ = 0;
    int step_ = 1;  /// \endcond
  };

  /// Makes the range of the ids from `first` on that are less than `last`. `first` must not be greater than
  /// `last`.
  IdRange(Id first, Id last) : first_(static_cast<int>(first)), last_(static_cast<int>(last)) {}
  /// Returns an iterator that points to the first id.
  Iterator begin() const { return Iterator(first_, step_); }
  /// Returns an iterator that points behind the last id.
  Iterator end() const { return Iterator(last_, step_); }
  /// Returns the ids of an ascending range in descending order.
  IdRange descending() const {
    IdRange ids = *this;
    ids.first_ = last_ - 1;
    ids.last_ = first_ - 1;
    ids.step_ = -1;
    return ids;
  }

 private:
  int first_;
  int last_;
  int step_ = 1;
};

}  // namespace tessera
