// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exact_sum.hpp"

#include <algorithm>
#include <bit>

namespace tessera {
namespace {

/// The number of numbers in a block. It is so large that the fixed cost of a block does not matter. The sum
/// of `block_size` integers of at most 2^51 must fit into 63 bits.
constexpr std::int64_t block_size = 1024;
/// If there are fewer numbers than this, they are added one by one.
constexpr std::int64_t least_numbers = 32;

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

/// Returns magic = 1.5 * 2^(52 + unit). If |x| <= 2^(51 + unit), the result of (x + magic) - magic is x
/// rounded to a multiple m * 2^unit, without any other error. As integers, the bits of x + magic are the bits
/// of magic plus m. There is no product that a compiler could contract with a sum.
double magic_number(int unit) {
  return std::bit_cast<double>((static_cast<std::uint64_t>(unit + 52 + 1023) << 52) |
                               (std::uint64_t(1) << 51));
}

/// The results of extract() for one block. extract() adds a magic number to each number, and may add another
/// one to the rest. `high` and `low` are the sums of the bits, taken as integers, after these additions.
/// `spilled` and `lost` tell whether the sums are exact.
struct BlockSums {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t spilled = 0;  // has exponent or sign bits if a number is too large for the high bin
  std::uint64_t lost = 0;     // has other bits than the sign if a number has digits below the lowest bin

  bool exact() const { return spilled >> 52 == 0 && lost << 1 == 0; }
};

/// Splits each number of a block without error into one or two parts, which are multiples of the units of the
/// magic numbers. The parts are summed in one or two bins. See Demmel and Nguyen, "Fast reproducible
/// floating-point summation" (ARITH 2013), and Rump, Ogita and Oishi, "Accurate floating-point summation"
/// (2008). Here the bins are summed as integers, so that no bits need to be reserved for carries.
template <int bins, class T>
BlockSums extract(const T* numbers, std::int64_t count, double high_magic, double low_magic) {
  const std::uint64_t magic_bits = bits_of(high_magic);
  std::uint64_t high = 0, low = 0, spilled = 0, lost = 0;
#pragma omp simd reduction(+ : high, low) reduction(| : spilled, lost)
  for (std::int64_t i = 0; i < count; ++i) {
    const double number = numbers[i];
    const double shifted = number + high_magic;
    const double kept = shifted - high_magic;
    high += bits_of(shifted);
    spilled |= bits_of(shifted) ^ magic_bits;
    if constexpr (bins == 1) {
      lost |= bits_of(number) ^ bits_of(kept);
    } else {
      const double rest = number - kept;
      const double shifted_rest = rest + low_magic;
      low += bits_of(shifted_rest);
      lost |= bits_of(rest) ^ bits_of(shifted_rest - low_magic);
    }
  }
  return {high, low, spilled, lost};
}

/// Subtracts from each number the part that one bin holds, and returns the sum of these parts. The rests are
/// left in `numbers`.
BlockSums extract_from(double* numbers, std::int64_t count, double magic) {
  std::uint64_t sum = 0, left = 0;
#pragma omp simd reduction(+ : sum) reduction(| : left)
  for (std::int64_t i = 0; i < count; ++i) {
    const double shifted = numbers[i] + magic;
    numbers[i] -= shifted - magic;
    sum += bits_of(shifted);
    left |= bits_of(numbers[i]);
  }
  return {.high = sum, .lost = left};
}

/// The settings that suited the last blocks. The next blocks are probably similar.
struct Guess {
  static constexpr int headroom = 50;

  int unit = -headroom;     // suits numbers from -1 to 1, as in most images
  int blocks_too_wide = 0;  // the number of consecutive blocks that were too wide for one bin
  int with_two_bins = 0;    // the number of next blocks for which one bin is not tried

  void one_bin_suits() { blocks_too_wide = 0; }
  void one_bin_is_narrow() {
    constexpr int patience = 2, pause = 64;
    if (++blocks_too_wide >= patience) with_two_bins = pause;
  }
};

/// The guess of this thread. It is kept between calls of ExactSum::add, because a call often adds only one
/// row.
template <class T>
thread_local Guess guess;

/// Adds blocks of numbers to a sum. The largest number of a block is determined only if the unit of the last
/// block does not suit this block.
template <class T>
class BlockAdder {
 public:
  explicit BlockAdder(ExactSum<T>& sum) : sum_(sum), guess_(guess<T>) {}

  void add(const T* numbers, std::int64_t count) {
    const bool one_bin = may_suit_one_bin && guess_.with_two_bins == 0;
    if (!one_bin && may_suit_one_bin) --guess_.with_two_bins;
    if (one_bin ? add_exactly<1>(numbers, count, guess_.unit) : add_exactly<2>(numbers, count, guess_.unit)) {
      if (one_bin) guess_.one_bin_suits();
      return;
    }
    const int unit = unit_of_largest(numbers, count);
    if (unit > largest_unit)
      for (std::int64_t i = 0; i < count; ++i) sum_.add(numbers[i]);
    else if (!add_in_units(numbers, count, unit, one_bin))
      add_in_all_bins(numbers, count, unit);
  }

 private:
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  static constexpr bool may_suit_one_bin = std::is_same_v<T, float>;
  /// The largest unit for which magic_number() is finite and which add_scaled() accepts.
  static constexpr int largest_unit = std::is_same_v<T, float> ? 128 - Guess::headroom : 1023 - 52;

  /// Adds a block with one bin if `one_bin` is true and one bin is wide enough, and otherwise with two bins.
  /// Returns false if two bins are too narrow as well. `unit` is the unit of the largest number.
  bool add_in_units(const T* numbers, std::int64_t count, int unit, bool one_bin) {
    if (one_bin && unit != guess_.unit && add_exactly<1>(numbers, count, unit)) {
      guess_.unit = unit;
      return true;
    }
    if (one_bin) guess_.one_bin_is_narrow();
    // Two bins are wide enough to use a larger unit, so that larger numbers of the next blocks fit as well.
    guess_.unit = std::min(unit + 4, largest_unit);
    return add_exactly<2>(numbers, count, guess_.unit);
  }

  template <int bins>
  bool add_exactly(const T* numbers, std::int64_t count, int unit) {
    // The low bin has to hold at most half a unit of the high bin.
    const int low_unit = std::max(unit - 52, ExactSum<T>::lowest_exponent);
    const double high_magic = magic_number(unit);
    const double low_magic = magic_number(low_unit);
    const BlockSums sums = extract<bins>(numbers, count, high_magic, low_magic);
    if (!sums.exact()) return false;
    add_bin(sums.high, count, high_magic, unit);
    if (bins == 2) add_bin(sums.low, count, low_magic, low_unit);
    return true;
  }

  /// Adds a block bin by bin, beginning with the bin of the largest number, until all rests are zero.
  void add_in_all_bins(const T* numbers, std::int64_t count, int unit) {
    double rests[block_size];
    std::copy(numbers, numbers + count, rests);
    for (bool any_left = true; any_left; unit = std::max(unit - 52, ExactSum<T>::lowest_exponent)) {
      const double magic = magic_number(unit);
      const BlockSums sums = extract_from(rests, count, magic);
      add_bin(sums.high, count, magic, unit);
      any_left = sums.lost << 1 != 0;
    }
  }

  /// Adds a bin to the sum. `sum` is the sum of the bits of `count` numbers, each of which is `magic` plus a
  /// multiple of 2^unit.
  void add_bin(std::uint64_t sum, std::int64_t count, double magic, int unit) {
    sum_.add_scaled(static_cast<std::int64_t>(sum - static_cast<std::uint64_t>(count) * bits_of(magic)),
                    unit);
  }

  /// Returns the unit of the number with the largest magnitude. The result is greater than largest_unit for
  /// infinities and NaN, and for the largest numbers of type double.
  static int unit_of_largest(const T* numbers, std::int64_t count) {
    constexpr int stored_bits = std::numeric_limits<T>::digits - 1;
    constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
    Bits largest = 0;
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < count; ++i) {
      const Bits magnitude = std::bit_cast<Bits>(numbers[i]) & ~sign;
      largest = magnitude > largest ? magnitude : largest;
    }
    const int exponent = static_cast<int>(largest >> stored_bits);
    if (exponent == std::numeric_limits<T>::max_exponent * 2 - 1) return largest_unit + 1;
    const int bound = exponent + std::numeric_limits<T>::min_exponent - 1;
    return std::max(bound - Guess::headroom, ExactSum<T>::lowest_exponent);
  }

  ExactSum<T>& sum_;
  Guess& guess_;
};

/// Returns whether results are rounded to nearest and subnormal numbers are not flushed to zero. The operands
/// are volatile, so that the operations are executed at run time.
bool arithmetic_is_standard() {
  const volatile double one = 1;
  const volatile double small = 0x1p-60;
  const volatile double smallest = std::numeric_limits<double>::denorm_min();
  const double doubled = smallest + smallest;
  return one + small == 1 && one - small == 1 && bits_of(doubled) == 2;
}

}  // namespace

template <class T>
void ExactSum<T>::add(const T* numbers, std::int64_t count) {
  std::int64_t begin = 0;
  if (count >= least_numbers && arithmetic_is_standard()) {
    BlockAdder<T> blocks(*this);
    for (; begin < count; begin += block_size)
      blocks.add(numbers + begin, std::min(block_size, count - begin));
  }
  for (; begin < count; ++begin) add(numbers[begin]);
}

template class ExactSum<float>;
template class ExactSum<double>;

}  // namespace tessera
