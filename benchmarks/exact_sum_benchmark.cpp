// SPDX-License-Identifier: BSD-3-Clause
// ExactSum beside a plain vectorised sum of the same numbers: the time of a number, and `ratio` to the plain
// sum, the two interleaved.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tessera/view/exact_sum.hpp"

namespace {

using tessera::ExactSum;

/// Uniform numbers of [0, 1), multiplied by 2^-spread to 2^spread.
template <class T>
std::vector<T> numbers_of(std::int64_t count, int spread) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<T> fractions(0, 1);
  std::uniform_int_distribution<int> exponents(-spread, spread);
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (T& number : numbers) number = std::ldexp(fractions(engine), exponents(engine));
  return numbers;
}

template <class T>
T plain_sum(const T* numbers, std::int64_t count) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

template <class T>
T exact_sum(const T* numbers, std::int64_t count) {
  ExactSum<T> sum;
  sum.add(numbers, count);
  return sum.value();
}

template <class T>
double seconds(T (*sum)(const T*, std::int64_t), const std::vector<T>& numbers, int repetitions) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) {
    const T* first = numbers.data();
    benchmark::DoNotOptimize(first);
    T result = sum(first, std::ssize(numbers));
    benchmark::DoNotOptimize(result);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repetitions;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Arguments: KiB of numbers, and their spread.
template <class T>
void compare_sums(benchmark::State& state) {
  const auto numbers = numbers_of<T>(state.range(0) * 1024 / std::int64_t(sizeof(T)), int(state.range(1)));
  const int repetitions = static_cast<int>(std::max<std::int64_t>(1, 4096 / state.range(0)));
  std::vector<double> plain, exact;
  for (auto _ : state) {
    plain.push_back(seconds<T>(plain_sum<T>, numbers, repetitions));
    exact.push_back(seconds<T>(exact_sum<T>, numbers, repetitions));
    state.SetIterationTime(exact.back() * repetitions);
  }
  const double nanoseconds = 1e9 / static_cast<double>(numbers.size());
  state.counters["plain_ns"] = median(plain) * nanoseconds;
  state.counters["exact_ns"] = median(exact) * nanoseconds;
  state.counters["ratio"] = median(exact) / median(plain);
}

/// First, second and no level of cache; the spread of pixels, and those that need more and more bins.
void arguments(benchmark::internal::Benchmark* benchmark) {
  for (const int kibibytes : {16, 512, 65536})
    for (const int spread : {0, 12, 20, 100}) benchmark->Args({kibibytes, spread});
  benchmark->ArgNames({"KiB", "spread"})->UseManualTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK_TEMPLATE(compare_sums, float)->Apply(arguments);
BENCHMARK_TEMPLATE(compare_sums, double)->Apply(arguments);

}  // namespace

BENCHMARK_MAIN();
