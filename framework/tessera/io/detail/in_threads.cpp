// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera::io::detail {
namespace {

/// Starts `count` threads that call `run`, or fewer if the system gives no more.
template <class Run>
std::vector<std::jthread> started_threads(std::int64_t count, const Run& run) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  try {
    for (std::int64_t i = 0; i < count; ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {
    return threads;
  }
  return threads;
}

}  // namespace

void in_threads(int threads, std::int64_t count, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::int64_t index = next++; index < count; index = next++) work(index);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  if (count > 0) {
    const auto others = started_threads(std::min<std::int64_t>(threads, count) - 1, run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera::io::detail
