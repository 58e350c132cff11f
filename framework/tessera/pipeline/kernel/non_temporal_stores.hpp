// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// The value that Target::cache_bytes should have, in bytes, for a rank of `threads` threads on this machine:
/// 0 where the processor has no non-temporal stores that this build knows.
std::int64_t cache_to_write_past(int threads);

namespace detail {

/// Points of an array that is written past the caches are gathered first, this many bytes at a time, which
/// stay in the nearest cache.
inline constexpr int non_temporal_piece_bytes = 1024;

/// Copies `bytes` bytes by non-temporal stores where the processor has them: whole cache lines then need not
/// be read before they are written.
void store_non_temporal(void* to, const void* from, std::size_t bytes);

/// Orders the stores of `store_non_temporal`. The calling thread must call it before other threads may read
/// what it stored.
void finish_non_temporal_stores();

}  // namespace detail
}  // namespace tessera
