// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <utility>
#include <vector>

#include "domain/random.hpp"
#include "pipeline/limited_instructions.hpp"
#include "tessera/view/mpi_objects.hpp"
#include "tessera/view/reduce.hpp"
#include "view/exact_integer.hpp"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace {

using namespace tessera;
using test::ExactInteger;
using test::Random;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T largest = std::numeric_limits<T>::max();
template <class T>
constexpr T smallest = std::numeric_limits<T>::denorm_min();

template <class T>
bool same_bytes(ExactSum<T> a, ExactSum<T> b) {
  a.normalise();
  b.normalise();
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

template <class T>
ExactSum<T> one_by_one(const std::vector<T>& numbers) {
  ExactSum<T> sum;
  for (const T number : numbers) sum.add(number);
  return sum;
}

template <class T>
ExactSum<T> all_at_once(const std::vector<T>& numbers) {
  ExactSum<T> sum;
  sum.add(numbers.data(), static_cast<std::int64_t>(numbers.size()));
  return sum;
}

template <class T>
ExactInteger oracle(const std::vector<T>& numbers) {
  ExactInteger sum;
  for (const T number : numbers) sum += ExactInteger::units(number);
  return sum;
}

/// A number with any bits, infinities and NaN left out.
template <class T>
T any_finite(Random& random) {
  for (;;) {
    T number;
    const std::uint64_t bits = random.bits();
    std::memcpy(&number, &bits, sizeof(T));
    if (std::isfinite(number)) return number;
  }
}

/// Kinds of data from easy to hard for the fast path.
enum class Data { pixels, fractions, signs, wide, any, subnormal, huge, mixed, count };

template <class T>
T number_of(Data data, Random& random) {
  const auto scaled = [&](int low, int high) {
    return std::ldexp(static_cast<T>(random.real(-1, 1)), random.small(low, high));
  };
  switch (data) {
    case Data::pixels:
      return random.chance(20) ? T(0) : static_cast<T>(random.small(0, 255)) / T(255);
    case Data::fractions:
      return static_cast<T>(random.real(0, 1));
    case Data::signs:
      return random.chance(5) ? -T(0) : static_cast<T>(random.real(-3, 3));
    case Data::wide:
      return scaled(-30, 30);
    case Data::any:
      return any_finite<T>(random);
    case Data::subnormal:
      return smallest<T> * static_cast<T>(random.between(-(1 << 22), 1 << 22));
    case Data::huge:
      return largest<T> * static_cast<T>(random.real(-1, 1));
    default:
      return random.chance(1) ? any_finite<T>(random) : static_cast<T>(random.real(0, 255));
  }
}

template <class T>
std::vector<T> numbers_of(Data data, std::int64_t count, Random& random) {
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(number_of<T>(data, random));
  return numbers;
}

template <class Test>
void for_each_data(const Test& test) {
  for (int data = 0; data < static_cast<int>(Data::count); ++data) test(static_cast<Data>(data));
}

/// Calls a test for each set of instructions.
template <class Test>
void for_each_set(const Test& test) {
  for (const InstructionSet set : test::all_instruction_sets) {
    SCOPED_TRACE(to_string(set));
    const test::LimitedInstructions limited(set);
    test();
  }
}

template <class T>
class ExactSums : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSums, Types);

TYPED_TEST(ExactSums, AreRoundedOnceToNearestEven) {
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const auto data = static_cast<Data>(random.small(0, static_cast<int>(Data::count) - 1));
    auto numbers = numbers_of<TypeParam>(data, random.small(1, 12), random);
    // Rests after cancellation, and halves of a last digit.
    if (random.chance(50)) numbers.push_back(-numbers.front());
    if (random.chance(50)) numbers.push_back(std::nextafter(numbers.front(), TypeParam(0)) / 2);
    if (random.chance(20)) numbers.push_back(random.chance(50) ? smallest<TypeParam> : -smallest<TypeParam>);
    const TypeParam value = one_by_one(numbers).value();
    EXPECT_TRUE(test::nearest(oracle(numbers), value)) << "sample " << i << ": " << value;
  }
}

TYPED_TEST(ExactSums, RoundTiesToEvenAtEveryExponent) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits;
  using Limits = std::numeric_limits<T>;
  for (int exponent = Limits::min_exponent - 1; exponent < Limits::max_exponent; ++exponent) {
    const T power = std::ldexp(T(1), exponent);
    const T step = std::ldexp(power, 1 - digits);
    const T half = std::ldexp(power, -digits);
    if (half == 0) continue;
    for (const T sign : {T(1), T(-1)}) {
      EXPECT_EQ(one_by_one<T>({sign * power, sign * half}).value(), sign * power);
      EXPECT_EQ(one_by_one<T>({sign * power, sign * step, sign * half}).value(), sign * (power + 2 * step));
      EXPECT_EQ(one_by_one<T>({sign * power, sign * half, sign * smallest<T>}).value(),
                sign * (power + step));
      if (half > smallest<T>) {
        EXPECT_EQ(one_by_one<T>({sign * power, sign * step, sign * half, -sign * smallest<T>}).value(),
                  sign * (power + step));
      }
    }
  }
}

TYPED_TEST(ExactSums, CancelExactly) {
  using T = TypeParam;
  const T huge = largest<T> / 2;
  EXPECT_EQ(one_by_one<T>({huge, 1, -huge}).value(), 1);
  EXPECT_EQ(one_by_one<T>({huge, smallest<T>, -huge}).value(), smallest<T>);
  EXPECT_EQ(one_by_one<T>({-huge, -smallest<T>, huge}).value(), -smallest<T>);
  EXPECT_EQ(one_by_one<T>({1, huge, 1, -huge}).value(), 2);
}

TYPED_TEST(ExactSums, OfZerosAndNothingArePlusZero) {
  using T = TypeParam;
  for (const T value : {ExactSum<T>().value(), one_by_one<T>({T(-0.0)}).value(),
                        one_by_one<T>({1, -1}).value(), all_at_once(std::vector<T>(3000, T(-0.0))).value()}) {
    EXPECT_EQ(value, 0);
    EXPECT_FALSE(std::signbit(value));
  }
}

TYPED_TEST(ExactSums, ComeBackFromBeyondTheRange) {
  using T = TypeParam;
  const T half_step = std::ldexp(largest<T>, -std::numeric_limits<T>::digits - 1);
  EXPECT_EQ(one_by_one<T>({largest<T>, largest<T>}).value(), infinity<T>);
  EXPECT_EQ(one_by_one<T>({-largest<T>, -largest<T>}).value(), -infinity<T>);
  EXPECT_EQ(one_by_one<T>({largest<T>, largest<T>, -largest<T>}).value(), largest<T>);
  // The largest finite number and less than half a step beyond, which is odd: a tie goes to infinity.
  EXPECT_EQ(one_by_one<T>({largest<T>, half_step}).value(), largest<T>);
  EXPECT_EQ(one_by_one<T>({largest<T>, std::nextafter(half_step, infinity<T>)}).value(), infinity<T>);
  EXPECT_EQ(one_by_one(std::vector<T>(100000, -largest<T>)).value(), -infinity<T>);
}

TYPED_TEST(ExactSums, KeepInfinitiesAndNaN) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t size : {1, 40, 3000}) {
    std::vector<T> numbers(size, T(0.5));
    numbers[size / 2] = infinity<T>;
    EXPECT_EQ(all_at_once(numbers).value(), infinity<T>);
    numbers[size / 2] = -infinity<T>;
    EXPECT_EQ(all_at_once(numbers).value(), -infinity<T>);
    numbers.push_back(infinity<T>);
    EXPECT_TRUE(std::isnan(all_at_once(numbers).value()));
    numbers[size / 2] = -nan;
    EXPECT_TRUE(std::isnan(all_at_once(numbers).value()));
    EXPECT_TRUE(same_bytes(all_at_once(numbers), one_by_one(numbers)));
  }
  EXPECT_FALSE(one_by_one<T>({infinity<T>}) == one_by_one<T>({-infinity<T>}));
}

TYPED_TEST(ExactSums, AreTheSameAllAtOnceAsOneByOne) {
  using T = TypeParam;
  Random random(2);
  for_each_data([&](Data data) {
    const auto numbers = numbers_of<T>(data, 1026, random);
    std::vector<ExactSum<T>> expected;
    for (std::size_t size = 0; size < numbers.size(); ++size)
      expected.push_back(
          one_by_one(std::vector<T>(numbers.end() - static_cast<std::ptrdiff_t>(size), numbers.end())));
    const auto many = numbers_of<T>(data, 20000 + random.small(0, 999), random);
    const std::vector<T> some(many.begin(), many.begin() + 3000);
    const ExactSum<T> of_many = one_by_one(many);
    const ExactInteger of_some = oracle(some);
    for_each_set([&] {
      for (std::size_t size = 0; size < numbers.size(); ++size) {
        const std::vector<T> last(numbers.end() - static_cast<std::ptrdiff_t>(size), numbers.end());
        EXPECT_TRUE(same_bytes(all_at_once(last), expected[size])) << static_cast<int>(data) << ": " << size;
      }
      EXPECT_TRUE(same_bytes(all_at_once(many), of_many)) << static_cast<int>(data);
      EXPECT_TRUE(test::nearest(of_some, all_at_once(some).value())) << static_cast<int>(data);
    });
  });
}

TYPED_TEST(ExactSums, TakeBlocksOfEveryScale) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for_each_set([] {
    Random random(3);
    std::vector<T> numbers;
    for (int exponent = Limits::min_exponent - Limits::digits; exponent <= Limits::max_exponent; ++exponent)
      for (int spread = 0; spread < 120; spread += 7) {
        numbers.clear();
        for (int i = 0; i < 70; ++i)
          numbers.push_back(
              std::ldexp(static_cast<T>(random.real(-1, 1)), exponent - random.small(0, spread)));
        numbers.push_back(std::ldexp(Limits::epsilon() / 2 - 1, exponent));
        ASSERT_TRUE(same_bytes(all_at_once(numbers), one_by_one(numbers))) << exponent << ", " << spread;
      }
  });
}

// Among them are those whose sum with a magic number has its exponent, but not its sign, and those just below
// powers of two, which are rounded to more than a bin of floats holds.
TYPED_TEST(ExactSums, TakeEqualNumbersOfEverySize) {
  using T = TypeParam;
  const T one = T(1) + std::numeric_limits<T>::epsilon();
  const auto expect_same = [one](T number) {
    // The first numbers of this thread decide on the bins: those of a little more than 1.
    static_cast<void>(all_at_once(std::vector<T>(100, std::ldexp(one, 60))));
    static_cast<void>(all_at_once(std::vector<T>(100, one)));
    const std::vector<T> numbers(100, number);
    EXPECT_TRUE(same_bytes(all_at_once(numbers), one_by_one(numbers))) << number;
  };
  for_each_set([&expect_same] {
    for (const T sign : {T(1), T(-1)})
      for (int eighths = 8; eighths < 16; ++eighths)
        for (int exponent = -12; exponent <= 12; ++exponent) {
          const T number = sign * std::ldexp(static_cast<T>(eighths), exponent - 3);
          expect_same(number);
          expect_same(std::nextafter(number, T(0)));
        }
  });
}

TYPED_TEST(ExactSums, AreTheSameUnderEveryRoundingMode) {
  Random random(4);
  for_each_data([&](Data data) {
    const auto numbers = numbers_of<TypeParam>(data, 2000, random);
    const ExactSum<TypeParam> expected = one_by_one(numbers);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const ExactSum<TypeParam> sum = all_at_once(numbers);
      const TypeParam value = sum.value();
      std::fesetround(FE_TONEAREST);
      EXPECT_TRUE(same_bytes(sum, expected));
      EXPECT_EQ(value, expected.value());
    }
  });
}

#ifdef __SSE2__
TYPED_TEST(ExactSums, AreTheSameWhereSubnormalNumbersAreFlushedToZero) {
  Random random(8);
  for_each_data([&](Data data) {
    const auto numbers = numbers_of<TypeParam>(data, 2000, random);
    const ExactSum<TypeParam> expected = one_by_one(numbers);
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    const ExactSum<TypeParam> sum = all_at_once(numbers);
    _mm_setcsr(before);
    EXPECT_TRUE(same_bytes(sum, expected));
  });
}
#endif

/// Merges sums in pairs of any two until one is left.
template <class T>
ExactSum<T> merged(std::vector<ExactSum<T>> sums, Random& random) {
  while (sums.size() > 1) {
    std::swap(sums.back(), sums[static_cast<std::size_t>(random.between(0, std::ssize(sums) - 1))]);
    const ExactSum<T> last = sums.back();
    sums.pop_back();
    sums[static_cast<std::size_t>(random.between(0, std::ssize(sums) - 1))].merge(last);
  }
  return sums.empty() ? ExactSum<T>() : sums.front();
}

TYPED_TEST(ExactSums, DependNeitherOnOrderNorOnParts) {
  using T = TypeParam;
  Random random(5);
  for_each_data([&](Data data) {
    auto numbers = numbers_of<T>(data, 5000, random);
    const ExactSum<T> expected = one_by_one(numbers);
    for (int repetition = 0; repetition < 10; ++repetition) {
      for (std::size_t i = numbers.size(); i > 1; --i)
        std::swap(numbers[i - 1], numbers[static_cast<std::size_t>(random.bits() % i)]);
      std::vector<ExactSum<T>> parts(static_cast<std::size_t>(random.small(1, 60)));
      for (std::size_t i = 0; i < numbers.size();) {
        const std::size_t count =
            std::min(numbers.size() - i, static_cast<std::size_t>(random.small(1, 200)));
        parts[random.bits() % parts.size()].add(&numbers[i], static_cast<std::int64_t>(count));
        i += count;
      }
      for (ExactSum<T>& part : parts)
        if (random.chance(30)) part.normalise();
      const ExactSum<T> sum = merged(parts, random);
      EXPECT_TRUE(sum == expected);
      EXPECT_TRUE(same_bytes(sum, expected));
    }
    ExactSum<T> other = expected;
    other.add(smallest<T>);
    EXPECT_FALSE(other == expected);
  });
}

TYPED_TEST(ExactSums, CarryThroughMoreAdditionsThanALimbHolds) {
  using T = TypeParam;
  // Doubling counts as many additions as it stands for: 2^61 of a number with all digits set.
  for (const T number : {largest<T>, -largest<T>, T(1) / T(3), -smallest<T>}) {
    ExactSum<T> sum;
    sum.add(number);
    ExactInteger expected = ExactInteger::units(number);
    for (int i = 0; i < 61; ++i) {
      sum.merge(ExactSum<T>(sum));
      expected += ExactInteger(expected);
      ASSERT_TRUE(test::nearest(expected, sum.value())) << number << " * 2^" << i + 1;
    }
  }
}

TYPED_TEST(ExactSums, HoldMillionsOfEqualNumbers) {
  using T = TypeParam;
  const std::vector<T> numbers(1 << 22, T(1) / T(3));
  EXPECT_EQ(all_at_once(numbers).value(), std::ldexp(T(1) / T(3), 22));
  ExactSum<T> sum;
  for (int i = 0; i < (1 << 22); ++i) sum.add(largest<T>);
  for (int i = 0; i < (1 << 22) - 1; ++i) sum.add(-largest<T>);
  EXPECT_EQ(sum.value(), largest<T>);
}

TYPED_TEST(ExactSums, AreReducedByKokkos) {
  using T = TypeParam;
  using Space = HostExecutionSpace;
  Random random(6);
  for_each_data([&](Data data) {
    const auto numbers = numbers_of<T>(data, 10000, random);
    const T* const first = numbers.data();
    ExactSum<T> sum;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Space>(0, 10000), [=](int i, ExactSum<T>& part) { part.add(first[i]); },
        ExactSumReducer<T>(sum));
    EXPECT_TRUE(same_bytes(sum, one_by_one(numbers)));

    Kokkos::View<ExactSum<T>, Kokkos::HostSpace> result("result");
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>(0, 100),
        [=](int i, ExactSum<T>& part) { part.add(first + 100 * i, 100); },
        ExactSumReducer<T, Kokkos::HostSpace>(result));
    Space().fence();
    EXPECT_TRUE(same_bytes(result(), sum));
  });
}

TYPED_TEST(ExactSums, AreReducedByMPI) {
  using T = TypeParam;
  const Communicator communicator(MPI_COMM_WORLD);
  const ValueReduction addition(sizeof(ExactSum<T>), &detail::join_values<Sum<T>>);
  Random random(7);
  for_each_data([&](Data data) {
    const auto numbers = numbers_of<T>(data, 4001, random);
    const auto of_rank = [&](std::int64_t rank) {
      return numbers.data() + std::ssize(numbers) * rank / communicator.size();
    };
    ExactSum<T> sum;
    sum.add(of_rank(communicator.rank()), of_rank(communicator.rank() + 1) - of_rank(communicator.rank()));
    addition.run(&sum, communicator.handle());
    EXPECT_TRUE(sum == one_by_one(numbers));
  });
}

}  // namespace
