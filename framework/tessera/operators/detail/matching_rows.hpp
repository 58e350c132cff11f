// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/operators/detail/matching_task.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::operators::detail {

/// Returns scratch memory for `count` elements that begins at a multiple of 64 bytes.
template <class Owner, class T>
T* aligned_scratch(std::int64_t count) {
  constexpr std::int64_t line = 64;
  T* const memory = scratch<Owner, T>(count + line / static_cast<std::int64_t>(sizeof(T)));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (line - address % line) % line / sizeof(T);
}

/// The numbers that two rows of the images add to the errors of the columns of a strip: the squares of the
/// differences of the reference r and the match images m. As (r - m)^2 = r^2 - 2 r m + m^2, these are sums of
/// a number per column, of a number per place of a match image, and of one product of r with the sum of all
/// m. All numbers are scaled. The second row may also be subtracted, or count for nothing. For absolute
/// differences, the numbers of both images are as they are, and their differences are scaled.
///
/// For each column, the numbers for neighbouring candidates follow each other in memory: they lie `baseline`
/// places apart in a match image, so that there is an array for each remainder of places by the baseline.
///
/// Integers are pairs of numbers of 16 bits, the second row in the upper half (see Lanes::add_products).
/// Floating-point numbers, which are exact, too, have separate arrays for both rows.
template <class Number>
class MatchingRows {
 public:
  static constexpr bool has_pairs = std::is_integral_v<Number>;
  /// The number of arrays for two rows of a channel.
  static constexpr int parts = has_pairs ? 1 : 2;

  /// Makes arrays for strips of at most `columns` columns. `candidates` is the number of candidates that are
  /// read, which may be more than there are.
  MatchingRows(const MatchingTask& task, const MatchingArrays& arrays, int columns, int candidates,
               Number scale)
      : task_(task), arrays_(arrays), most_columns_(columns), candidates_(candidates), scale_(scale) {
    const std::int64_t extent = places(task, columns, candidates);
    extent_ = extent;
    constants_ = aligned_scratch<Constants, Number>(columns);
    reference_ = aligned_scratch<Reference, Number>(std::int64_t(parts) * task.channels * columns);
    squares_ = aligned_scratch<Squares, Number>(task.images * extent);
    values_ = aligned_scratch<Values, Number>(std::int64_t(parts) * task.channels * task.images * extent);
    places_ = aligned_scratch<Places, std::int32_t>(std::int64_t(task.images) * columns);
    unordered_ = aligned_scratch<Unordered, Number>((1 + parts) * extent);
  }

  /// Returns the bytes of memory that the arrays take.
  static std::int64_t bytes(const MatchingTask& task, int columns, int candidates) {
    const std::int64_t extent = places(task, columns, candidates), channels = task.channels;
    const auto number = static_cast<std::int64_t>(sizeof(Number));
    return number * (columns + parts * channels * (columns + task.images * extent) +
                     (task.images + 1 + parts) * extent) +
           4 * task.images * columns;
  }

  /// Begins a strip with the given columns, in the direction of the shift.
  [[gnu::always_inline]] void begin(Range columns) {
    columns_ = columns;
    for (int i = 0; i < task_.images; ++i) {
      const int baseline = task_.baselines[i];
      const auto length = static_cast<std::int32_t>(length_of(i));
      for (int j = 0; j < columns.size(); ++j)
        places_[i * most_columns_ + j] = j % baseline * length + j / baseline;
    }
  }

  /// Reads the row `first`, and the row `second` that is multiplied by `sign`. Rows beyond the image are
  /// those at its border.
  void read(std::int64_t first, std::int64_t second, int sign) {
    const std::int64_t last = task_.height() - 1;
    first = std::clamp<std::int64_t>(first, 0, last) + task_.image[1].begin;
    second = std::clamp<std::int64_t>(second, 0, last) + task_.image[1].begin;
    put(scale_, static_cast<Number>(sign) * scale_, factors_, factors_ + parts - 1);
    const auto read_as = [&]<class T>(std::type_identity<T>) {
      tessera::detail::call_flat_for_processor([&] {
        read_reference<T>(first, second, sign);
        for (int i = 0; i < task_.images; ++i) read_match<T>(i, first, second, sign);
      });
    };
    // Products of other numbers do not fit into 32 bits.
    if (has_pairs || task_.type == ElementType::uint8)
      read_as(std::type_identity<std::uint8_t>());
    else if constexpr (!has_pairs)
      read_as(std::type_identity<std::uint16_t>());
  }

  /// The numbers that were read, for some neighbouring candidates. Compilers keep the members of a local copy
  /// in registers.
  struct View {
    /// The sum for each column of the squares of the reference, once for each match image.
    const Number* constants;
    /// The numbers of the reference, which are multiplied by those of match images: `columns` numbers for
    /// each part and channel.
    const Number* reference;
    /// The sums over the channels of the squares of each match image, `extent` places each.
    const Number* squares;
    /// The numbers of each match image, for each part and channel.
    const Number* values;
    /// For each match image the places of the first candidate of all columns.
    const std::int32_t* places;
    std::int64_t columns;
    std::int64_t extent;
    /// The factors of the absolute differences, for each part.
    const Number* factors;
  };
  /// Returns the numbers that were read for the candidates from number `candidate` on.
  [[gnu::always_inline]] View from_candidate(int candidate) const {
    return {constants_, reference_, squares_ + candidate, values_ + candidate, places_, most_columns_,
            extent_,    factors_};
  }

 private:
  // These types only tell the memory of the arrays apart.
  struct Constants;
  struct Reference;
  struct Squares;
  struct Values;
  struct Places;
  struct Unordered;

  /// Returns at least the number of places of a match image that are compared with `columns` columns.
  static std::int64_t places(const MatchingTask& task, int columns, int candidates) {
    const std::int64_t greatest = *std::max_element(task.baselines, task.baselines + task.images);
    return (columns + greatest * (candidates + 1) + 15) / 16 * 16;
  }
  /// Returns the number of places of match image number `i` that the strip needs.
  [[gnu::always_inline]] std::int64_t count_of(int i) const {
    return columns_.size() + task_.baselines[i] * std::int64_t(candidates_ - 1);
  }
  /// Returns the number of places that have the same remainder by the baseline.
  [[gnu::always_inline]] std::int64_t length_of(int i) const {
    const int baseline = task_.baselines[i];
    return (count_of(i) + baseline - 1) / baseline;
  }

  /// Returns the address of the first of the elements of a row that are in `columns`. In the direction of the
  /// shift, they are `step()` elements apart.
  template <class T>
  [[gnu::always_inline]] const T* row(const ArrayReference& array, std::int64_t y, int channel,
                                      Range columns) const {
    const T* const origin =
        reinterpret_cast<const T*>(array.origin) + y * array.strides[1] + channel * array.strides[2];
    return origin + (task_.is_leftward ? task_.image[0].end - 1 - columns.begin
                                       : task_.image[0].begin + columns.begin);
  }
  /// Calls use(step) with the constant 1 or -1.
  template <class Use>
  [[gnu::always_inline]] void with_step(const Use& use) const {
    if (task_.is_leftward)
      use(std::integral_constant<int, -1>());
    else
      use(std::integral_constant<int, 1>());
  }

  /// Returns the factor of squares. Absolute differences need no squares, whose sums may be too large.
  [[gnu::always_inline]] Number scale_of_squares() const { return task_.is_absolute ? Number(0) : scale_; }

  template <class T>
  [[gnu::always_inline]] void read_reference(std::int64_t first, std::int64_t second, int sign) {
    const std::int64_t count = columns_.size();
    const Number scale = scale_, images = scale_of_squares() * static_cast<Number>(task_.images);
    Number* const sums = constants_;
    std::fill_n(sums, count, Number(0));
    for (int c = 0; c < task_.channels; ++c) {
      const T* const a = row<T>(arrays_.reference, first, c, columns_);
      const T* const b = row<T>(arrays_.reference, second, c, columns_);
      Number* const factors = reference_ + c * most_columns_;
      Number* const others = reference_ + ((parts - 1) * task_.channels + c) * most_columns_;
      const Number first_factor = task_.is_absolute ? Number(1) : -2 * scale;
      const Number second_factor = task_.is_absolute ? Number(1) : -2 * static_cast<Number>(sign) * scale;
      with_step([&](auto step) __attribute__((always_inline)) {
        TESSERA_VECTORISED
        for (std::int64_t j = 0; j < count; ++j) {
          const auto one = static_cast<Number>(a[step * j]), other = static_cast<Number>(b[step * j]);
          sums[j] += images * (one * one + static_cast<Number>(sign) * (other * other));
          put(first_factor * one, second_factor * other, factors + j, others + j);
        }
      });
    }
  }

  template <class T>
  [[gnu::always_inline]] void read_match(int i, std::int64_t first, std::int64_t second, int sign) {
    const std::int64_t count = count_of(i);
    const Range columns = task_.match_columns(i, columns_);
    const std::int64_t known = std::min(columns.size(), count);
    const Number scale = scale_of_squares(), signed_scale = static_cast<Number>(sign) * scale;
    const int baseline = task_.baselines[i];
    Number* const squares = baseline == 1 ? squares_ + i * extent_ : unordered_;
    std::fill_n(squares, known, Number(0));
    for (int c = 0; c < task_.channels; ++c) {
      const T* const a = row<T>(arrays_.matches[i], first, c, columns);
      const T* const b = row<T>(arrays_.matches[i], second, c, columns);
      Number* const values = values_ + (c * task_.images + i) * extent_;
      Number* const others = values_ + (((parts - 1) * task_.channels + c) * task_.images + i) * extent_;
      Number* const to = baseline == 1 ? values : unordered_ + extent_;
      Number* const to_others = baseline == 1 ? others : unordered_ + parts * extent_;
      with_step([&](auto step) __attribute__((always_inline)) {
        TESSERA_VECTORISED
        for (std::int64_t u = 0; u < known; ++u) {
          const auto one = static_cast<Number>(a[step * u]), other = static_cast<Number>(b[step * u]);
          squares[u] += scale * (one * one) + signed_scale * (other * other);
          put(one, other, to + u, to_others + u);
        }
      });
      arrange(to, known, count, baseline, values);
      if (parts > 1) arrange(to_others, known, count, baseline, others);
    }
    if (!task_.is_absolute) arrange(squares, known, count, baseline, squares_ + i * extent_);
  }

  /// Stores the numbers of both rows.
  [[gnu::always_inline]] static void put(Number one, Number other, Number* to, Number* to_other) {
    if constexpr (has_pairs) {
      *to = pair(one, other);
    } else {
      *to = one;
      *to_other = other;
    }
  }

  [[gnu::always_inline]] static std::int32_t pair(std::int32_t lower, std::int32_t upper) {
    return (lower & 0xffff) | static_cast<std::int32_t>(static_cast<std::uint32_t>(upper) << 16);
  }

  /// Divides `count` elements into one array for each remainder. The elements after those that are known are
  /// equal to the last of these.
  [[gnu::always_inline]] static void arrange(Number* from, std::int64_t known, std::int64_t count,
                                             int remainders, Number* to) {
    std::fill(from + known, from + count, from[known - 1]);
    const auto divide_by = [&](auto constant) __attribute__((always_inline)) {
      const std::int64_t step = constant, length = (count + step - 1) / step;
      for (std::int64_t p = 0; p < step; ++p) {
        const std::int64_t own = (count - p + step - 1) / step;
        TESSERA_VECTORISED
        for (std::int64_t q = 0; q < own; ++q) to[p * length + q] = from[p + q * step];
      }
    };
    // Compilers vectorise loops with small constant steps.
    if (remainders == 2) divide_by(std::integral_constant<int, 2>());
    if (remainders == 3) divide_by(std::integral_constant<int, 3>());
    if (remainders == 4) divide_by(std::integral_constant<int, 4>());
    if (remainders > 4) divide_by(remainders);
  }

  const MatchingTask& task_;
  const MatchingArrays& arrays_;
  int most_columns_;
  int candidates_;
  Number scale_;
  std::int64_t extent_ = 0;
  Range columns_;
  Number* constants_;
  Number* reference_;
  Number* squares_;
  Number* values_;
  std::int32_t* places_;
  Number* unordered_;
  Number factors_[parts];
};

}  // namespace tessera::operators::detail
