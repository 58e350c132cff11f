// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/streamed_stores.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::detail {

#ifdef __SSE2__

void stream(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t line = 64, part = sizeof(__m128i);
  auto* result = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::size_t to_line = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  const std::size_t head = std::min(bytes, to_line), lines = (bytes - head) / line;
  std::memcpy(result, source, head);
  result += head;
  source += head;
  for (std::size_t i = 0; i < lines; ++i, result += line, source += line)
    for (std::size_t k = 0; k < line; k += part)
      _mm_stream_si128(reinterpret_cast<__m128i*>(result + k),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + k)));
  std::memcpy(result, source, bytes - head - lines * line);
}

void finish_streams() { _mm_sfence(); }

#else

void stream(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void finish_streams() {}

#endif

}  // namespace tessera::detail
