// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane.hpp"
#include "tessera/operators/detail/plane_stage.hpp"

#ifdef TESSERA_COMPUTES_PLANES

namespace tessera::operators::detail {

/// Computes the element with the number `rank`, in ascending order, of the window around each point of a part
/// of a plane. The time for a point does not depend on the window: there is a histogram of each column of the
/// window, which moves down by a row, and that of the window moves along x by a column. The histograms have
/// two levels, and a part of the lower one is only brought up to date where the element lies (S. Perreault
/// and P. Hébert, Median filtering in constant time, IEEE Transactions on Image Processing, 2007). Here they
/// are cumulative: a bin counts the elements of the bins before, too. The bin of an element is then the
/// number of bins whose count is not greater than its rank, which takes no branches.
class ByteRanks {
 public:
  ByteRanks(const Reach& reach, int rank, std::int64_t most_columns)
      : reach_(reach),
        rank_(rank),
        width_(most_columns + 2 * reach.x),
        coarse_(scratch<Coarse, std::uint16_t>(width_ * bins)),
        fine_(scratch<Fine, std::uint16_t>(width_ * bins * bins)) {
    for (int value = 0; value < bins; ++value)
      for (int bin = value; bin < bins; ++bin) one_[value][bin] = 1;
  }

  void compute(const Plane<const std::uint8_t>& in, const Plane<std::uint8_t>& out, Range columns,
               Range rows) {
    std::fill_n(coarse_, width_ * bins, std::uint16_t(0));
    std::fill_n(fine_, width_ * bins * bins, std::uint16_t(0));
    const std::int64_t begin = columns.begin - reach_.x, count = columns.size() + 2 * reach_.x;
    for (std::int64_t y = rows.begin - reach_.y; y < rows.begin + reach_.y; ++y)
      count_row<true>(in.row(y) + begin, count);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      count_row<true>(in.row(y + reach_.y) + begin, count);
      find_row(out.row(y) + columns.begin, columns.size());
      count_row<false>(in.row(y - reach_.y) + begin, count);
    }
  }

 private:
  static constexpr int bins = 16;
  // The owners of the memory of each level.
  struct Coarse;
  struct Fine;

  std::uint16_t* coarse(std::int64_t column) { return coarse_ + column * bins; }
  std::uint16_t* fine(int bin, std::int64_t column) { return fine_ + (bin * width_ + column) * bins; }

  /// Counts each element of a row in the histogram of its column, or takes it out.
  template <bool Adds>
  void count_row(const std::uint8_t* row, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const int value = row[i];
      combine<Adds>(coarse(i), one_[value / bins]);
      combine<Adds>(fine(value / bins, i), one_[value % bins]);
    }
  }

  /// The counts of a level as a vector.
  typedef std::uint16_t Counts __attribute__((vector_size(bins * sizeof(std::uint16_t))));

  /// Adds counts to others, or subtracts them.
  template <bool Adds>
  [[gnu::always_inline]] static void combine(std::uint16_t* to, const std::uint16_t* counts) {
    Counts result, change;
    __builtin_memcpy(&result, to, sizeof result);
    __builtin_memcpy(&change, counts, sizeof change);
    result = Adds ? result + change : result - change;
    __builtin_memcpy(to, &result, sizeof result);
  }
  /// Returns the bin with the element number `rank`.
  [[gnu::always_inline]] static int find(const std::uint16_t* counts, std::uint16_t rank) {
    Counts all;
    __builtin_memcpy(&all, counts, sizeof all);
    const auto is_before = all <= rank;  // all bits of a count, or none
    std::uint64_t words[sizeof(Counts) / sizeof(std::uint64_t)];
    __builtin_memcpy(words, &is_before, sizeof words);
    int bits = 0;
    for (const std::uint64_t word : words) bits += __builtin_popcountll(word);
    return bits / 16;
  }

  void find_row(std::uint8_t* out, std::int64_t count) {
    const int extent = 2 * reach_.x + 1;
    const auto rank = static_cast<std::uint16_t>(rank_);
    std::uint16_t upper[bins] = {}, lower[bins][bins] = {};
    // lower[b] is the histogram of the window at known[b].
    std::int64_t known[bins];
    for (std::int64_t& x : known) x = -extent;
    for (int i = 0; i < extent - 1; ++i) combine<true>(upper, coarse(i));
    for (std::int64_t x = 0; x < count; ++x) {
      combine<true>(upper, coarse(x + extent - 1));
      const int bin = find(upper, rank);
      bring_up_to_date(lower[bin], known[bin], bin, x, extent);
      const int below = bin == 0 ? 0 : upper[bin - 1];
      out[x] =
          static_cast<std::uint8_t>(bin * bins + find(lower[bin], static_cast<std::uint16_t>(rank - below)));
      combine<false>(upper, coarse(x));
    }
  }

  void bring_up_to_date(std::uint16_t* lower, std::int64_t& known, int bin, std::int64_t x, int extent) {
    if (2 * (x - known) >= extent) {
      for (int i = 0; i < bins; ++i) lower[i] = 0;
      for (int i = 0; i < extent; ++i) combine<true>(lower, fine(bin, x + i));
    } else {
      for (; known < x; ++known) {
        combine<false>(lower, fine(bin, known));
        combine<true>(lower, fine(bin, known + extent));
      }
    }
    known = x;
  }

  /// The cumulative histogram of one element, for each bin in which it may lie.
  std::uint16_t one_[bins][bins] = {};
  Reach reach_;
  int rank_;
  std::int64_t width_;
  std::uint16_t* coarse_;
  std::uint16_t* fine_;
};

}  // namespace tessera::operators::detail

#endif
