// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Returns the size in bytes of the last-level cache that belongs to a rank of `threads` threads on this
/// machine. It is the value for Target::cache_bytes. Returns 0 if this build has no non-temporal stores for
/// the processor, or if the machine does not report the size of its caches. With 0, no result is written past
/// the caches.
std::int64_t cache_to_write_past(int threads);

namespace detail {

/// The number of bytes of a row that are gathered in a buffer before they are written past the caches. The
/// buffer is small, so that it stays in the nearest cache.
inline constexpr int non_temporal_piece_bytes = 1024;

/// Copies `bytes` bytes. If the processor has non-temporal stores, whole cache lines are written by such
/// stores, and need not be read from memory before they are written.
void store_non_temporal(void* to, const void* from, std::size_t bytes);

/// Orders the non-temporal stores of the calling thread before all its later stores. A thread must call this
/// function before other threads may read what it has stored.
void finish_non_temporal_stores();

}  // namespace detail
}  // namespace tessera
