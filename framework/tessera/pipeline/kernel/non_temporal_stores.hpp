// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// What Target::cache_bytes should be for a rank of so many threads on this machine: 0 where nothing can be
/// written past the caches.
std::int64_t cache_to_write_past(int threads);

namespace detail {

/// What is written to an array that streams is gathered in so many bytes first, which stay in the nearest
/// cache.
inline constexpr int streamed_bytes = 1024;

/// Copies past the caches where the processor can: whole cache lines then need not be read before they are
/// written.
void stream(void* to, const void* from, std::size_t bytes);

/// To be called before other threads may read what the calling thread streamed.
void finish_streams();

}  // namespace detail
}  // namespace tessera
