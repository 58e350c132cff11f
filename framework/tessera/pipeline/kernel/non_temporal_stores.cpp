// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/machine.hpp"

#ifdef TESSERA_X86_HOST
#include <immintrin.h>
#endif

namespace tessera {

std::int64_t cache_to_write_past([[maybe_unused]] int threads) {
#ifdef TESSERA_X86_HOST
  return cache_bytes(threads);
#else
  return 0;
#endif
}

namespace detail {

#ifdef TESSERA_X86_HOST

namespace {

constexpr std::size_t line = 64;

void stream_lines(std::byte* to, const std::byte* from, std::size_t lines) {
  constexpr std::size_t part = sizeof(__m128i);
  for (std::size_t i = 0; i < lines * line; i += part)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}

/// Copies cache lines with two non-temporal stores per line.
[[gnu::target("avx")]] void stream_lines_256(std::byte* to, const std::byte* from, std::size_t lines) {
  constexpr std::size_t part = sizeof(__m256i);
  for (std::size_t i = 0; i < lines * line; i += part)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
}

/// Copies cache lines with one non-temporal store per line.
[[gnu::target("avx512f")]] void stream_lines_512(std::byte* to, const std::byte* from, std::size_t lines) {
  for (std::size_t i = 0; i < lines * line; i += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}

}  // namespace

void store_non_temporal(void* to, const void* from, std::size_t bytes) {
  auto* result = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::size_t to_line = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  const std::size_t head = std::min(bytes, to_line), lines = (bytes - head) / line;
  const std::size_t rest = bytes - head - lines * line;
  std::memcpy(result, source, head);
  if (instruction_set() >= InstructionSet::avx512)
    stream_lines_512(result + head, source + head, lines);
  else if (instruction_set() >= InstructionSet::avx2)
    stream_lines_256(result + head, source + head, lines);
  else
    stream_lines(result + head, source + head, lines);
  std::memcpy(result + (bytes - rest), source + (bytes - rest), rest);
}

void finish_non_temporal_stores() { _mm_sfence(); }

#else

void store_non_temporal(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void finish_non_temporal_stores() {}

#endif

}  // namespace detail
}  // namespace tessera
