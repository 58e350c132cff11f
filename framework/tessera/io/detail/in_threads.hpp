// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::io::detail {

/// Calls work(index) once for each index in [0, count), on at most `threads` threads at the same time. The
/// calling thread is one of them. The others are no threads of Kokkos, so that several threads may call this
/// function at the same time. Returns when all calls have ended. If calls throw exceptions, one of these
/// exceptions is thrown again, and the work for some indices may be left out.
void in_threads(int threads, std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace tessera::io::detail
