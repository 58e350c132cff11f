// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/tap_sums.hpp"

#include <type_traits>

#include "tessera/view/instruction_sets.hpp"

#ifdef TESSERA_X86_HOST
#include <immintrin.h>
#endif

namespace tessera::detail {

template <class In>
using FloatRows = TapRows<In, float, float>;
using FixedRows = TapRows<std::uint8_t, std::int16_t, std::int16_t>;

#ifdef TESSERA_X86_HOST

namespace {

// The elements that neighbouring points need lie close to each other. They are loaded as a block, and a
// permutation moves one element of each point into the lane of the point. The places in the block and the
// weights are the same in all rows, so that several rows are computed together. Functions that are compiled
// for other processors than the rest of the program cannot contain lambdas with vector instructions.

/// The number of rows that are computed together.
constexpr int rows_together = 4;

/// The distance from the first to the last element of a point.
template <class Rows>
int reach(const Rows& rows) {
  return (rows.taps - 1) * rows.step;
}

/// Returns the least index of an element of the points from `x` on. If the elements of a point lie several
/// places apart, neighbouring points belong to different channels, and any of the first points may have the
/// least index.
template <class Rows>
std::int32_t least_first(const Rows& rows, std::int64_t x) {
  std::int32_t least = rows.firsts[x];
  const std::int64_t end = std::min(x + rows.step, rows.columns.end);
  for (std::int64_t i = x + 1; i < end; ++i) least = std::min(least, rows.firsts[i]);
  return least;
}

/// Returns a mask of the first `count` lanes of `Lanes` lanes. All lanes are chosen if `count` is greater,
/// and none if it is negative.
template <int Lanes>
std::uint64_t first_lanes(std::int64_t count) {
  const auto chosen = static_cast<unsigned>(std::clamp<std::int64_t>(count, 0, Lanes));
  return chosen == 0 ? 0 : ~std::uint64_t(0) >> (64 - chosen);
}

/// Loads 16 elements as numbers of type `float`. Only the first `count` elements are read.
template <class In>
[[gnu::target("avx512f,avx512bw,avx512vl")]] inline __m512 load_16(const In* from, std::int64_t count) {
  const auto lanes = static_cast<__mmask16>(first_lanes<16>(count));
  if constexpr (std::is_same_v<In, float>)
    return _mm512_maskz_loadu_ps(lanes, from);
  else if constexpr (sizeof(In) == 2)
    return _mm512_maskz_cvtepi32_ps(
        lanes, _mm512_maskz_cvtepu16_epi32(lanes, _mm256_maskz_loadu_epi16(lanes, from)));
  else
    return _mm512_maskz_cvtepi32_ps(lanes,
                                    _mm512_maskz_cvtepu8_epi32(lanes, _mm_maskz_loadu_epi8(lanes, from)));
}

/// Computes `Count` rows from `row` on with vectors of 64 bytes. Returns the end of the points that are
/// computed.
template <int Count, class In>
[[gnu::target("avx512f,avx512bw,avx512vl")]] std::int64_t sum_512(const FloatRows<In>& rows, int row) {
  const In* const input = rows.input + row * rows.input_stride;
  float* const output = rows.output + row * rows.output_stride;
  const __m512i greatest = _mm512_set1_epi32(31 - reach(rows));
  const __m512i step = _mm512_set1_epi32(rows.step);
  for (std::int64_t x = rows.columns.begin; x < rows.columns.end; x += 16) {
    const auto lanes = static_cast<__mmask16>(first_lanes<16>(rows.columns.end - x));
    const std::int32_t base = least_first(rows, x);
    const std::int64_t count = rows.readable.end - base;
    __m512i place =
        _mm512_sub_epi32(_mm512_maskz_loadu_epi32(lanes, rows.firsts + x), _mm512_set1_epi32(base));
    if (_mm512_mask_cmpgt_epu32_mask(lanes, place, greatest) != 0) return x;
    __m512 low[Count], high[Count], sum[Count];
    const float* weights = rows.weights + x;
    const __m512 first_weight = _mm512_maskz_loadu_ps(lanes, weights);
    for (int r = 0; r < Count; ++r) {
      low[r] = load_16(input + r * rows.input_stride + base, count);
      high[r] = load_16(input + r * rows.input_stride + base + 16, count - 16);
      sum[r] = _mm512_mul_ps(first_weight, _mm512_permutex2var_ps(low[r], place, high[r]));
    }
    for (int tap = 1; tap < rows.taps; ++tap) {
      weights += rows.weights_stride;
      place = _mm512_add_epi32(place, step);
      const __m512 weight = _mm512_maskz_loadu_ps(lanes, weights);
      for (int r = 0; r < Count; ++r)
        sum[r] = _mm512_add_ps(sum[r], _mm512_mul_ps(weight, _mm512_permutex2var_ps(low[r], place, high[r])));
    }
    for (int r = 0; r < Count; ++r) _mm512_mask_storeu_ps(output + r * rows.output_stride + x, lanes, sum[r]);
  }
  return rows.columns.end;
}

/// Computes `Count` rows of fixed-point sums from `row` on with vectors of 64 bytes. Elements become the
/// upper bytes of lanes of 16 bits. Returns the end of the points that are computed.
template <int Count>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] std::int64_t sum_512(const FixedRows& rows, int row) {
  const std::uint8_t* const input = rows.input + row * rows.input_stride;
  std::int16_t* const output = rows.output + row * rows.output_stride;
  constexpr __mmask64 upper_bytes = 0xaaaaaaaaaaaaaaaa;
  const __m512i greatest = _mm512_set1_epi32(63 - reach(rows));
  const __m512i step = _mm512_set1_epi16(static_cast<short>(rows.step << 8));
  const __m512i centre = _mm512_set1_epi8(static_cast<char>(0x80));
  for (std::int64_t x = rows.columns.begin; x < rows.columns.end; x += 32) {
    const auto lanes = static_cast<__mmask32>(first_lanes<32>(rows.columns.end - x));
    const std::int32_t base = least_first(rows, x);
    const __mmask64 bytes = first_lanes<64>(rows.readable.end - base);
    const auto lower_lanes = static_cast<__mmask16>(lanes), upper_lanes = static_cast<__mmask16>(lanes >> 16);
    const __m512i bases = _mm512_set1_epi32(base);
    const __m512i lower = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(lower_lanes, rows.firsts + x), bases);
    const __m512i upper =
        _mm512_sub_epi32(_mm512_maskz_loadu_epi32(upper_lanes, rows.firsts + x + 16), bases);
    if (_mm512_mask_cmpgt_epu32_mask(lower_lanes, lower, greatest) != 0) return x;
    if (_mm512_mask_cmpgt_epu32_mask(upper_lanes, upper, greatest) != 0) return x;
    __m512i place =
        _mm512_slli_epi16(_mm512_maskz_inserti64x4(
                              0xff, _mm512_castsi256_si512(_mm512_maskz_cvtepi32_epi16(lower_lanes, lower)),
                              _mm512_maskz_cvtepi32_epi16(upper_lanes, upper), 1),
                          8);
    __m512i block[Count], sum[Count];
    const std::int16_t* weights = rows.weights + x;
    const __m512i first_weight = _mm512_maskz_loadu_epi16(lanes, weights);
    for (int r = 0; r < Count; ++r) {
      block[r] =
          _mm512_xor_si512(_mm512_maskz_loadu_epi8(bytes, input + r * rows.input_stride + base), centre);
      sum[r] = _mm512_mulhrs_epi16(first_weight, _mm512_maskz_permutexvar_epi8(upper_bytes, place, block[r]));
    }
    for (int tap = 1; tap < rows.taps; ++tap) {
      weights += rows.weights_stride;
      place = _mm512_add_epi16(place, step);
      const __m512i weight = _mm512_maskz_loadu_epi16(lanes, weights);
      for (int r = 0; r < Count; ++r)
        sum[r] = _mm512_add_epi16(
            sum[r], _mm512_mulhrs_epi16(weight, _mm512_maskz_permutexvar_epi8(upper_bytes, place, block[r])));
    }
    for (int r = 0; r < Count; ++r)
      _mm512_mask_storeu_epi16(output + r * rows.output_stride + x, lanes, sum[r]);
  }
  return rows.columns.end;
}

/// Loads 8 elements as numbers of type `float`.
template <class In>
[[gnu::target("avx2")]] inline __m256 load_8(const In* from) {
  if constexpr (std::is_same_v<In, float>)
    return _mm256_loadu_ps(from);
  else if constexpr (sizeof(In) == 2)
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  else
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}

/// Returns the elements of the block of 8 elements at `from` that `place` names.
template <class In>
[[gnu::target("avx2")]] inline __m256 gathered(const In* from, __m256i place) {
  return _mm256_permutevar8x32_ps(load_8(from), place);
}

/// Returns the distances of 8 indices from `base`.
[[gnu::target("avx2")]] inline __m256i distances(const std::int32_t* firsts, std::int32_t base) {
  return _mm256_sub_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(firsts)),
                          _mm256_set1_epi32(base));
}

/// Whether all lanes are in [0, greatest].
[[gnu::target("avx2")]] inline bool are_within(__m256i lanes, int greatest) {
  const __m256i outside = _mm256_or_si256(lanes, _mm256_sub_epi32(_mm256_set1_epi32(greatest), lanes));
  return _mm256_movemask_ps(_mm256_castsi256_ps(outside)) == 0;
}

/// Computes `Count` rows from `row` on with vectors of 32 bytes. Returns the end of the points that are
/// computed.
template <int Count, class In>
[[gnu::target("avx2")]] std::int64_t sum_256(const FloatRows<In>& rows, int row) {
  const In* const input = rows.input + row * rows.input_stride;
  float* const output = rows.output + row * rows.output_stride;
  std::int64_t x = rows.columns.begin;
  for (; x + 8 <= rows.columns.end; x += 8) {
    const std::int32_t base = least_first(rows, x);
    const __m256i place = distances(rows.firsts + x, base);
    if (!are_within(place, 7) || base + reach(rows) + 8 > rows.readable.end) return x;
    __m256 sum[Count];
    const float* weights = rows.weights + x;
    const In* from = input + base;
    const __m256 first_weight = _mm256_loadu_ps(weights);
    for (int r = 0; r < Count; ++r)
      sum[r] = _mm256_mul_ps(first_weight, gathered(from + r * rows.input_stride, place));
    for (int tap = 1; tap < rows.taps; ++tap) {
      weights += rows.weights_stride;
      from += rows.step;
      const __m256 weight = _mm256_loadu_ps(weights);
      for (int r = 0; r < Count; ++r)
        sum[r] = _mm256_add_ps(sum[r], _mm256_mul_ps(weight, gathered(from + r * rows.input_stride, place)));
    }
    for (int r = 0; r < Count; ++r) _mm256_storeu_ps(output + r * rows.output_stride + x, sum[r]);
  }
  return x;
}

/// Loads 16 integers of 16 bits.
[[gnu::target("avx2")]] inline __m256i load_integers(const std::int16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

/// Returns elements of two blocks of 16 bytes each, one for each half of the result. They become the upper
/// bytes of lanes of 16 bits, where 128 is subtracted from them. `place` names them.
[[gnu::target("avx2")]] inline __m256i gathered(const std::uint8_t* lower, const std::uint8_t* upper,
                                                __m256i place) {
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower));
  const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper));
  const __m256i blocks = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
  return _mm256_xor_si256(_mm256_shuffle_epi8(blocks, place), _mm256_set1_epi16(static_cast<short>(0x8000)));
}

/// Computes `Count` rows of fixed-point sums from `row` on with vectors of 32 bytes. Each half of a vector
/// has a block of its own. Returns the end of the points that are computed.
template <int Count>
[[gnu::target("avx2")]] std::int64_t sum_256(const FixedRows& rows, int row) {
  const std::uint8_t* const input = rows.input + row * rows.input_stride;
  std::int16_t* const output = rows.output + row * rows.output_stride;
  const __m256i zero_lower_byte = _mm256_set1_epi16(0x0080);
  std::int64_t x = rows.columns.begin;
  for (; x + 16 <= rows.columns.end; x += 16) {
    const std::int32_t bases[2] = {least_first(rows, x), least_first(rows, x + 8)};
    const __m256i lower = distances(rows.firsts + x, bases[0]);
    const __m256i upper = distances(rows.firsts + x + 8, bases[1]);
    if (!are_within(lower, 15) || !are_within(upper, 15) ||
        std::max(bases[0], bases[1]) + reach(rows) + 16 > rows.readable.end)
      return x;
    // The packed numbers of the two vectors alternate in groups of four.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi32(lower, upper), 0xd8);
    const __m256i place = _mm256_or_si256(_mm256_slli_epi16(packed, 8), zero_lower_byte);
    __m256i sum[Count];
    const std::int16_t* weights = rows.weights + x;
    const std::uint8_t *from = input + bases[0], *from_upper = input + bases[1];
    const __m256i first_weight = load_integers(weights);
    for (int r = 0; r < Count; ++r) {
      const std::ptrdiff_t offset = r * rows.input_stride;
      sum[r] = _mm256_mulhrs_epi16(first_weight, gathered(from + offset, from_upper + offset, place));
    }
    for (int tap = 1; tap < rows.taps; ++tap) {
      weights += rows.weights_stride;
      from += rows.step;
      from_upper += rows.step;
      const __m256i weight = load_integers(weights);
      for (int r = 0; r < Count; ++r) {
        const std::ptrdiff_t offset = r * rows.input_stride;
        const __m256i elements = gathered(from + offset, from_upper + offset, place);
        sum[r] = _mm256_add_epi16(sum[r], _mm256_mulhrs_epi16(weight, elements));
      }
    }
    for (int r = 0; r < Count; ++r)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(output + r * rows.output_stride + x), sum[r]);
  }
  return x;
}

/// Computes all rows in blocks. The entry i of `functions` computes i + 1 rows. The end of the points that
/// are computed is the same for all rows.
template <class Rows>
std::int64_t in_blocks(const Rows& rows,
                       std::int64_t (*const (&functions)[rows_together])(const Rows&, int)) {
  std::int64_t end = rows.columns.end;
  for (int row = 0; row < rows.rows; row += rows_together)
    end = functions[std::min(rows_together, rows.rows - row) - 1](rows, row);
  return end;
}

template <class In>
std::int64_t sum_floats(const FloatRows<In>& rows) {
  if (instruction_set() >= InstructionSet::avx512 && reach(rows) < 32)
    return in_blocks<FloatRows<In>>(rows, {sum_512<1, In>, sum_512<2, In>, sum_512<3, In>, sum_512<4, In>});
  if (instruction_set() >= InstructionSet::avx2)
    return in_blocks<FloatRows<In>>(rows, {sum_256<1, In>, sum_256<2, In>, sum_256<3, In>, sum_256<4, In>});
  return rows.columns.begin;
}

}  // namespace

std::int64_t sum_taps(const FloatRows<float>& rows) { return sum_floats(rows); }
std::int64_t sum_taps(const FloatRows<std::uint16_t>& rows) { return sum_floats(rows); }
std::int64_t sum_taps(const FloatRows<std::uint8_t>& rows) { return sum_floats(rows); }
std::int64_t sum_taps(const FixedRows& rows) {
  if (instruction_set() >= InstructionSet::avx512 && __builtin_cpu_supports("avx512vbmi") && reach(rows) < 64)
    return in_blocks<FixedRows>(rows, {sum_512<1>, sum_512<2>, sum_512<3>, sum_512<4>});
  if (instruction_set() >= InstructionSet::avx2)
    return in_blocks<FixedRows>(rows, {sum_256<1>, sum_256<2>, sum_256<3>, sum_256<4>});
  return rows.columns.begin;
}

#else

std::int64_t sum_taps(const FloatRows<float>& rows) { return rows.columns.begin; }
std::int64_t sum_taps(const FloatRows<std::uint16_t>& rows) { return rows.columns.begin; }
std::int64_t sum_taps(const FloatRows<std::uint8_t>& rows) { return rows.columns.begin; }
std::int64_t sum_taps(const FixedRows& rows) { return rows.columns.begin; }

#endif

}  // namespace tessera::detail
