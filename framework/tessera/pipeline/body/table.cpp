// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/body/table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tessera/view/instruction_sets.hpp"

#ifdef TESSERA_X86_HOST
#include <immintrin.h>
#endif

namespace tessera::detail {
namespace {

#ifdef TESSERA_X86_HOST

constexpr int lanes = 64;

/// Looks up points, one whole vector of points at a time, in a table of at most `Pairs` pairs of vectors.
/// Returns the number of points that were looked up; fewer than `lanes` points may be left. A permutation of
/// two vectors uses the lowest seven bits of an index. The higher bits choose the pair of vectors.
template <int Pairs>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] int permute(const std::uint8_t* entries,
                                                                    int entry_count,
                                                                    const std::uint16_t* indices,
                                                                    std::uint8_t* result, int count) {
  __m512i table[2 * Pairs];
  for (int v = 0; v < 2 * Pairs; ++v) {
    const int rest = std::clamp(entry_count - v * lanes, 0, lanes);
    table[v] = rest == 0 ? _mm512_setzero_si512()
                         : _mm512_maskz_loadu_epi8(~std::uint64_t(0) >> (lanes - rest), entries + v * lanes);
  }
  std::uint8_t even[lanes];
  for (int i = 0; i < lanes; ++i) even[i] = static_cast<std::uint8_t>(2 * i);
  const __m512i low_bytes = _mm512_loadu_si512(even);
  int k = 0;
  for (; k + lanes <= count; k += lanes) {
    const __m512i first = _mm512_loadu_si512(indices + k);
    const __m512i second = _mm512_loadu_si512(indices + k + lanes / 2);
    const __m512i low = _mm512_permutex2var_epi8(first, low_bytes, second);
    __m512i chosen[Pairs];
    for (int p = 0; p < Pairs; ++p) chosen[p] = _mm512_permutex2var_epi8(table[2 * p], low, table[2 * p + 1]);
    for (int pairs = Pairs, bit = 7; pairs > 1; pairs /= 2, ++bit) {
      const __m512i tested = _mm512_set1_epi16(static_cast<short>(1 << bit));
      const std::uint64_t upper = static_cast<std::uint64_t>(_mm512_test_epi16_mask(second, tested)) << 32 |
                                  _mm512_test_epi16_mask(first, tested);
      for (int p = 0; p < pairs / 2; ++p)
        chosen[p] = _mm512_mask_blend_epi8(upper, chosen[2 * p], chosen[2 * p + 1]);
    }
    _mm512_storeu_si512(result + k, chosen[0]);
  }
  return k;
}

/// Looks up points with vector instructions. Returns the number of points that were looked up, which is 0 if
/// the processor lacks these instructions.
int look_up_vectors(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices,
                    std::uint8_t* result, int count) {
  if (instruction_set() < InstructionSet::avx512 || !__builtin_cpu_supports("avx512vbmi")) return 0;
  const auto permuted = entry_count <= 128   ? permute<1>
                        : entry_count <= 256 ? permute<2>
                        : entry_count <= 512 ? permute<4>
                                             : permute<8>;
  return permuted(entries, entry_count, indices, result, count);
}

#else

int look_up_vectors(const std::uint8_t*, int, const std::uint16_t*, std::uint8_t*, int) { return 0; }

#endif

/// Looks up the points from `first` on in groups of eight, so that eight bytes take one store. Returns the
/// index of the first point that was not looked up.
int look_up_words(const std::uint8_t* entries, const std::uint16_t* indices, std::uint8_t* result, int first,
                  int count) {
  if constexpr (std::endian::native != std::endian::little) return first;
  for (; first + 8 <= count; first += 8) {
    std::uint64_t found = 0;
    for (int i = 0; i < 8; ++i) found |= std::uint64_t(entries[indices[first + i]]) << (8 * i);
    std::memcpy(result + first, &found, sizeof(found));
  }
  return first;
}

}  // namespace

void look_up(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices, std::uint8_t* result,
             int count) {
  const int in_vectors = look_up_vectors(entries, entry_count, indices, result, count);
  for (int k = look_up_words(entries, indices, result, in_vectors, count); k < count; ++k)
    result[k] = entries[indices[k]];
}

}  // namespace tessera::detail
