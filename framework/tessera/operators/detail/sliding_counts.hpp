// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::operators::detail {

/// Counts of small integers, from which the one with a given rank is found. It is found from the last one, as
/// in T. S. Huang, G. J. Yang and G. Y. Tang, A fast two-dimensional median filtering algorithm, IEEE
/// Transactions on Acoustics, Speech, and Signal Processing, 1979; but blocks of counts are skipped.
class SlidingCounts {
 public:
  /// Makes room for counts of the integers from 0 to values - 1, which are 0 in the beginning.
  void make_room(std::size_t values) {
    if (values / block + 1 <= blocks_.size()) return;
    blocks_.resize(values / block + 1);
    counts_.resize(blocks_.size() * block);
  }

  /// Adds `number` to the count of a value. The sums are never negative.
  void add(std::uint32_t value, std::int32_t number) {
    counts_[value] += number;
    blocks_[value / block] += number;
    if (value / block < current_) below_ += number;
  }

  /// Returns the value of which there is the element with the number `rank` in ascending order, from 0. There
  /// are more than `rank` elements.
  std::uint32_t find(std::int32_t rank) {
    while (below_ > rank) below_ -= blocks_[--current_];
    while (below_ + blocks_[current_] <= rank) below_ += blocks_[current_++];
    std::int32_t less = below_;
    std::uint32_t value = current_ * block;
    while (less + counts_[value] <= rank) less += counts_[value++];
    return value;
  }

 private:
  static constexpr std::uint32_t block = 64;
  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> blocks_;
  /// The block in which the last value was found, and the number of elements in the blocks before.
  std::uint32_t current_ = 0;
  std::int32_t below_ = 0;
};

}  // namespace tessera::operators::detail
