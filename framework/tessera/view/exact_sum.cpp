// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exact_sum.hpp"

#include <algorithm>
#include <bit>

#include "tessera/view/instruction_sets.hpp"

namespace tessera {
namespace {

/// How many numbers a block has: enough to make the fixed cost of a block small. The sum of `block_size`
/// integers of at most 2^51 must fit into 63 bits.
constexpr std::int64_t block_size = 1024;
/// If there are fewer numbers than this, they are added one by one.
constexpr std::int64_t least_numbers = 32;

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }
std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }

/// Returns magic = 1.5 * 2^(52 + unit). If |x| <= 2^(51 + unit), the result of (x + magic) - magic is x
/// rounded to a multiple m * 2^unit, without any other error. As integers, the bits of x + magic are the bits
/// of magic plus m. There is no product that a compiler could contract with a sum.
double magic_number(int unit) {
  return std::bit_cast<double>((static_cast<std::uint64_t>(unit + 52 + 1023) << 52) |
                               (std::uint64_t(1) << 51));
}

/// The largest number of bits of an integer m of floats, without its sign. The sum of a block then fits into
/// 31 bits.
constexpr int float_bits = 20;
static_assert(block_size << float_bits <= std::int64_t(1) << 30);

/// Returns a magic number for floats, 1.625 * 2^(23 + unit). For -2^float_bits <= m < 2^float_bits, the bits
/// of x + magic differ from those of the magic number in the last float_bits + 1 bits only.
float magic_float(int unit) {
  return std::bit_cast<float>((static_cast<std::uint32_t>(unit + 23 + 127) << 23) |
                              (std::uint32_t(5) << float_bits));
}

/// The results of extract() for one block. extract() adds a magic number to each number, another one to the
/// rest, and so on. `bins` are the sums of the bits, taken as integers, after these additions. `spilled` and
/// `lost` tell whether the sums are exact.
template <class Bits, std::size_t count>
struct BlockSums {
  Bits bins[count];
  Bits spilled;  // has bits beyond those of a bin if a number is too large for the first bin
  Bits lost;     // has other bits than the sign if a number has digits below the last bin
};

/// Splits each number of a block without error into two parts, which are multiples of the units of the magic
/// numbers. The parts are summed in two bins. See Demmel and Nguyen, "Fast reproducible floating-point
/// summation" (ARITH 2013), and Rump, Ogita and Oishi, "Accurate floating-point summation" (2008). Here the
/// bins are summed as integers, so that no bits need to be reserved for carries.
template <class T>
BlockSums<std::uint64_t, 2> extract(const T* numbers, std::int64_t count, double high_magic,
                                    double low_magic) {
  BlockSums<std::uint64_t, 2> sums;
  detail::call_flat_for_processor([numbers, count, high_magic, low_magic, &sums] {
    const std::uint64_t magic_bits = bits_of(high_magic);
    std::uint64_t high = 0, low = 0, spilled = 0, lost = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double number = numbers[i];
      const double shifted = number + high_magic;
      const double rest = number - (shifted - high_magic);
      const double shifted_rest = rest + low_magic;
      high += bits_of(shifted);
      low += bits_of(shifted_rest);
      spilled |= bits_of(shifted) ^ magic_bits;
      lost |= bits_of(rest) ^ bits_of(shifted_rest - low_magic);
    }
    sums = {{high, low}, spilled, lost};
  });
  return sums;
}

/// Splits each float of a block into three parts, as extract() splits numbers into two. Vectors hold twice as
/// many floats as doubles.
BlockSums<std::uint32_t, 3> extract_floats(const float* numbers, std::int64_t count, float high_magic,
                                           float middle_magic, float low_magic) {
  BlockSums<std::uint32_t, 3> sums;
  detail::call_flat_for_processor([numbers, count, high_magic, middle_magic, low_magic, &sums] {
    const std::uint32_t magic_bits = bits_of(high_magic) - (std::uint32_t(1) << float_bits);
    std::uint32_t high = 0, middle = 0, low = 0, spilled = 0, lost = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const float shifted = numbers[i] + high_magic;
      const float rest = numbers[i] - (shifted - high_magic);
      const float shifted_rest = rest + middle_magic;
      const float last = rest - (shifted_rest - middle_magic);
      const float shifted_last = last + low_magic;
      high += bits_of(shifted);
      middle += bits_of(shifted_rest);
      low += bits_of(shifted_last);
      spilled |= bits_of(shifted) ^ magic_bits;
      lost |= bits_of(last) ^ bits_of(shifted_last - low_magic);
    }
    sums = {{high, middle, low}, spilled, lost};
  });
  return sums;
}

/// Subtracts from each number the part that one bin holds, and returns the sum of these parts. The rests are
/// left in `numbers`.
BlockSums<std::uint64_t, 1> extract_from(double* numbers, std::int64_t count, double magic) {
  BlockSums<std::uint64_t, 1> sums;
  detail::call_flat_for_processor([numbers, count, magic, &sums] {
    std::uint64_t sum = 0, left = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double shifted = numbers[i] + magic;
      numbers[i] -= shifted - magic;
      sum += bits_of(shifted);
      left |= bits_of(numbers[i]);
    }
    sums = {{sum}, 0, left};
  });
  return sums;
}

/// The settings that suited the last blocks. The next blocks are probably similar.
struct Guess {
  /// A unit suits numbers whose magnitude is less than 2^(unit + headroom).
  static constexpr int headroom = 50;

  int unit = -headroom;     // suits numbers from -1 to 1, as in most images
  int blocks_too_wide = 0;  // the number of consecutive blocks that were too wide for bins of floats
  int with_doubles = 0;     // the number of next blocks that are not tried with bins of floats

  void floats_suit() { blocks_too_wide = 0; }
  /// Notes that a block was too wide for bins of floats. After `patience` such blocks in a row, the next
  /// `pause` blocks are not tried with these bins.
  void floats_are_narrow() {
    constexpr int patience = 2, pause = 64;
    if (++blocks_too_wide >= patience) with_doubles = pause;
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
    const bool in_floats = are_floats && guess_.with_doubles == 0;
    if (!in_floats && are_floats) --guess_.with_doubles;
    if (in_floats ? add_as_floats(numbers, count, guess_.unit)
                  : add_as_doubles(numbers, count, guess_.unit)) {
      if (in_floats) guess_.floats_suit();
      return;
    }
    const int unit = unit_of_largest(numbers, count);
    if (unit > largest_unit)
      for (std::int64_t i = 0; i < count; ++i) sum_.add(numbers[i]);
    else if (!add_in_units(numbers, count, unit, in_floats))
      add_in_all_bins(numbers, count, unit);
  }

 private:
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  static constexpr bool are_floats = std::is_same_v<T, float>;
  /// The largest unit whose magic_number() is finite and that add_scaled() accepts.
  static constexpr int largest_unit = are_floats ? 128 - Guess::headroom : 1023 - 52;

  /// Adds a block in bins of floats if `in_floats` is true and these are wide enough, and otherwise in bins
  /// of doubles. Returns false if these are too narrow as well. `unit` is the unit of the largest number.
  bool add_in_units(const T* numbers, std::int64_t count, int unit, bool in_floats) {
    if (in_floats && unit != guess_.unit && add_as_floats(numbers, count, unit)) {
      guess_.unit = unit;
      return true;
    }
    if (in_floats) guess_.floats_are_narrow();
    // Bins of doubles are wide enough to use a larger unit, so that larger numbers of the next blocks fit as
    // well.
    guess_.unit = std::min(unit + 4, largest_unit);
    return add_as_doubles(numbers, count, guess_.unit);
  }

  /// Adds a block in two bins of doubles. Returns false, and adds nothing, if these are too narrow.
  bool add_as_doubles(const T* numbers, std::int64_t count, int unit) {
    // The low bin has to hold at most half a unit of the high bin.
    const int low_unit = std::max(unit - 52, ExactSum<T>::lowest_exponent);
    const double high_magic = magic_number(unit);
    const double low_magic = magic_number(low_unit);
    const auto sums = extract(numbers, count, high_magic, low_magic);
    if (sums.spilled >> 52 != 0 || sums.lost << 1 != 0) return false;
    add_bin(sums.bins[0], count, high_magic, unit);
    add_bin(sums.bins[1], count, low_magic, low_unit);
    return true;
  }

  /// Adds a block as add_as_doubles() does, but in three bins of floats. The numbers may be as large as for
  /// `unit` in bins of doubles, except for those just below a power of two. For example, 0x1.fffffep-1 has
  /// the unit -50, and its m in the first bin is rounded to 2^float_bits, which spills. Its block is then
  /// added in bins of doubles.
  bool add_as_floats([[maybe_unused]] const T* numbers, [[maybe_unused]] std::int64_t count,
                     [[maybe_unused]] int unit) {
    if constexpr (are_floats) {
      int units[3];
      units[0] = std::max(unit + Guess::headroom - float_bits, ExactSum<T>::lowest_exponent);
      if (units[0] > largest_unit) return false;
      for (int bin = 1; bin < 3; ++bin)
        units[bin] = std::max(units[bin - 1] - float_bits - 1, ExactSum<T>::lowest_exponent);
      const float magic[3] = {magic_float(units[0]), magic_float(units[1]), magic_float(units[2])};
      const auto sums = extract_floats(numbers, count, magic[0], magic[1], magic[2]);
      if (sums.spilled >> (float_bits + 1) != 0 || sums.lost << 1 != 0) return false;
      for (int bin = 0; bin < 3; ++bin) {
        const std::uint32_t rest = sums.bins[bin] - static_cast<std::uint32_t>(count) * bits_of(magic[bin]);
        sum_.add_scaled(static_cast<std::int32_t>(rest), units[bin]);
      }
      return true;
    } else {
      return false;
    }
  }

  /// Adds a block bin by bin, beginning with the bin of the largest number, until all rests are zero.
  void add_in_all_bins(const T* numbers, std::int64_t count, int unit) {
    double rests[block_size];
    std::copy(numbers, numbers + count, rests);
    for (bool any_left = true; any_left; unit = std::max(unit - 52, ExactSum<T>::lowest_exponent)) {
      const double magic = magic_number(unit);
      const auto sums = extract_from(rests, count, magic);
      add_bin(sums.bins[0], count, magic, unit);
      any_left = sums.lost << 1 != 0;
    }
  }

  /// Adds a bin to the sum. `sum` is the sum of the bits of `count` numbers, which are all `magic` plus a
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
