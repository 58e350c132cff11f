// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::operators::detail {

/// A step of a network: orders the elements `low` and `high`. Results that nothing needs are not computed.
struct Exchange {
  int low = 0;
  int high = 0;
  bool needs_low = false;
  bool needs_high = false;
};

/// The steps that find the median of Count elements, in reverse order.
template <int Count>
struct MedianNetwork {
  std::array<Exchange, 16 * Count> steps{};
  int size = 0;
};

/// Returns the network that sorts Count elements (K. E. Batcher, Sorting networks and their applications,
/// 1968) without the steps that the median does not need. Elements beyond the count, up to a power of two,
/// would be greater than all others and never move.
template <int Count>
constexpr MedianNetwork<Count> median_network() {
  MedianNetwork<Count> all;
  int power = 1;
  while (power < Count) power *= 2;
  for (int p = 1; p < power; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < power; j += 2 * k)
        for (int i = 0; i < k; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p) && i + j + k < Count)
            all.steps[all.size++] = {i + j, i + j + k, false, false};
  std::array<bool, Count> needed{};
  needed[Count / 2] = true;
  MedianNetwork<Count> kept;
  for (int s = all.size - 1; s >= 0; --s) {
    Exchange step = all.steps[s];
    bool& low = needed[step.low];
    bool& high = needed[step.high];
    step.needs_low = low;
    step.needs_high = high;
    if (!low && !high) continue;
    low = high = true;
    kept.steps[kept.size++] = step;
  }
  return kept;
}

/// The network for Count elements.
template <int Count>
inline constexpr MedianNetwork<Count> network = median_network<Count>();

/// Performs one step.
template <int Count, std::size_t Step, class K>
[[gnu::always_inline]] inline void exchange(K* v) {
  constexpr Exchange step = network<Count>.steps[static_cast<std::size_t>(network<Count>.size) - 1 - Step];
  const K a = v[step.low], b = v[step.high];
  if constexpr (step.needs_low) v[step.low] = a < b ? a : b;
  if constexpr (step.needs_high) v[step.high] = a > b ? a : b;
}
template <int Count, class K, std::size_t... Step>
[[gnu::always_inline]] inline K median_by(K* v, std::index_sequence<Step...>) {
  (exchange<Count, Step>(v), ...);
  return v[Count / 2];
}

/// Returns the median of the elements v[0] to v[Count - 1], which are moved.
template <int Count, class K>
[[gnu::always_inline]] inline K median_of(K* v) {
  return median_by<Count>(v, std::make_index_sequence<static_cast<std::size_t>(network<Count>.size)>{});
}

/// Counts of small integers. The integer with a given rank is searched from the last one that was found, as
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

  /// Returns the element with the number `rank` in ascending order, counted from 0. There
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
  /// The block of the last value that was found, and the number of elements in the blocks before.
  std::uint32_t current_ = 0;
  std::int32_t below_ = 0;
};

#ifdef TESSERA_COMPUTES_PLANES
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

  /// The cumulative histogram of one element, for each bin that it may be in.
  std::uint16_t one_[bins][bins] = {};
  Reach reach_;
  int rank_;
  std::int64_t width_;
  std::uint16_t* coarse_;
  std::uint16_t* fine_;
};
#endif

/// A stage body: the element of T with the number `rank`, in ascending order from 0, of a window.
template <class T>
struct RankOfWindow {
  Reach reach;
  int rank;

  Box footprint(int, const Box& box) const { return reach.around(box); }

  /// Finds the bits of the result from the highest on: at most `rank` elements
  /// are less than it, and this holds for no greater number.
  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    Number result = 0;
    for (Number bit = highest_bit; bit != 0; bit = static_cast<Number>(bit / 2)) {
      const Number candidate = static_cast<Number>(result | bit);
      int less = 0;
      for (int j = -reach.y; j <= reach.y; ++j)
        for (int i = -reach.x; i <= reach.x; ++i)
          less += number_of_element(in(x + i, y + j, c)) < candidate ? 1 : 0;
      if (less <= rank) result = candidate;
    }
    return element_of<T>(static_cast<Key<T>>(result ^ sign));
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const bool median = rank == reach.count() / 2;
    if (median && reach.x == 1 && reach.y == 1) return by_network<1>(in, out, columns, rows);
    if (median && reach.x == 2 && reach.y == 2) return by_network<2>(in, out, columns, rows);
    for (std::int64_t x = columns.begin; x < columns.end; x += piece)
      by_counts(in, out, {x, std::min(x + piece, columns.end)}, rows);
  }
#endif

 private:
  /// Unsigned integers have the order of the keys if the signs of these are inverted.
  using Number = std::make_unsigned_t<Key<T>>;
  static constexpr Number highest_bit = static_cast<Number>(Number(1) << (8 * sizeof(Number) - 1));
  static constexpr Number sign = std::is_signed_v<Key<T>> ? highest_bit : Number(0);
  static constexpr std::int64_t piece = 256;

  KOKKOS_FORCEINLINE_FUNCTION static Number number_of_element(T element) {
    return static_cast<Number>(static_cast<Number>(key_of<T>(element)) ^ sign);
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <int Reach>
  static void by_network(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) {
    constexpr int extent = 2 * Reach + 1;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const T* from[extent];
      for (int j = 0; j < extent; ++j) from[j] = in.row(y + j - Reach) - Reach;
      T* const to = out.row(y);
      TESSERA_VECTORISED
      for (std::int64_t x = columns.begin; x < columns.end; ++x)
        to[x] = median_at<extent>(from, x, std::make_index_sequence<extent * extent>{});
    }
  }
  template <int Extent, std::size_t... I>
  [[gnu::always_inline]] static T median_at(const T* const* from, std::int64_t x, std::index_sequence<I...>) {
    Key<T> elements[] = {key_of<T>(from[I / Extent][x + static_cast<std::int64_t>(I % Extent)])...};
    return element_of<T>(median_of<Extent * Extent>(elements));
  }

  void by_counts(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      ByteRanks(reach, rank, columns.size()).compute(in, out, columns, rows);
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      slide(
          65536, columns, rows, [&](std::int64_t x, std::int64_t y) { return in.row(y)[x]; },
          [&](std::int64_t x, std::int64_t y, std::uint32_t value) {
            out.row(y)[x] = static_cast<T>(value);
          });
    } else {
      // The points around a part are sorted together with it.
      const std::int64_t most_rows = std::max(64, 4 * reach.y);
      for (std::int64_t y = rows.begin; y < rows.end; y += most_rows)
        by_order(in, out, columns, {y, std::min(y + most_rows, rows.end)});
    }
  }

  /// Counts elements by their places in the order of all elements of the part.
  void by_order(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t left = columns.begin - reach.x, top = rows.begin - reach.y;
    const std::int64_t width = columns.size() + 2 * reach.x, height = rows.size() + 2 * reach.y;
    const auto count = static_cast<std::size_t>(width * height);
    auto* const elements = scratch<RankOfWindow, std::uint64_t>(count);
    for (std::int64_t j = 0; j < height; ++j)
      for (std::int64_t i = 0; i < width; ++i) {
        const auto k = static_cast<std::size_t>(j * width + i);
        elements[k] = std::uint64_t{number_of_element(in.row(top + j)[left + i])} << 32 | k;
      }
    std::sort(elements, elements + count);
    auto* const places = scratch<RankOfWindow, std::uint32_t>(count);
    T* const values = scratch<RankOfWindow, T>(count);
    std::size_t different = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto number = static_cast<Number>(elements[k] >> 32);
      if (k == 0 || number != static_cast<Number>(elements[k - 1] >> 32))
        values[different++] = element_of<T>(static_cast<Key<T>>(number ^ sign));
      places[static_cast<std::uint32_t>(elements[k])] = static_cast<std::uint32_t>(different - 1);
    }
    slide(
        different, columns, rows,
        [&](std::int64_t x, std::int64_t y) { return places[(y - top) * width + x - left]; },
        [&](std::int64_t x, std::int64_t y, std::uint32_t value) { out.row(y)[x] = values[value]; });
  }

  /// Moves the window over the points of a part, there and back, and counts the elements that enter and leave
  /// it. All elements are numbers below `values`. All counts are 0 before and after, and the thread keeps
  /// them.
  template <class At, class Put>
  void slide(std::size_t values, Range columns, Range rows, const At& at, const Put& put) const {
    static thread_local SlidingCounts counts;
    counts.make_room(values);
    const auto count = [&](Range x, Range y, std::int32_t number) {
      for (std::int64_t j = y.begin; j < y.end; ++j)
        for (std::int64_t i = x.begin; i < x.end; ++i) counts.add(at(i, j), number);
    };
    std::int64_t x = columns.begin;
    count({x - reach.x, x + reach.x + 1}, {rows.begin - reach.y, rows.begin + reach.y + 1}, 1);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const Range height{y - reach.y, y + reach.y + 1};
      const int step = x == columns.begin ? 1 : -1;
      for (std::int64_t k = 0; k < columns.size(); ++k) {
        put(x, y, counts.find(rank));
        if (k + 1 == columns.size()) break;
        const std::int64_t leaves = x - step * reach.x, comes = x + step * (reach.x + 1);
        count({leaves, leaves + 1}, height, -1);
        count({comes, comes + 1}, height, 1);
        x += step;
      }
      if (y + 1 == rows.end) break;
      const Range width{x - reach.x, x + reach.x + 1};
      count(width, {y - reach.y, y - reach.y + 1}, -1);
      count(width, {y + reach.y + 1, y + reach.y + 2}, 1);
    }
    count({x - reach.x, x + reach.x + 1}, {rows.end - 1 - reach.y, rows.end + reach.y}, -1);
  }
#endif
};

}  // namespace tessera::operators::detail
