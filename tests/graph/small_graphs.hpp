// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/graph/graph.hpp"

// Many tests of graphs need these: sources of numbers, sinks that collect, and texts of exceptions.
namespace tessera::graph_test {

/// Returns the body of a source that emits 0, 1 and so on, `count` numbers in all.
inline auto count_to(int count) {
  return [count](std::int64_t i) { return i < count ? std::optional(static_cast<int>(i)) : std::nullopt; };
}

/// Returns the body of a sink that appends what it gets to `values`.
template <class T>
auto append_to(std::vector<T>& values) {
  return [&values](const T& value) { values.push_back(value); };
}

/// Returns the body of a task that passes on what it gets.
template <class T>
auto pass_on() {
  return [](const T& value) { return value; };
}

/// A flag that one thread raises and another waits for.
class Signal {
 public:
  void raise() {
    const std::lock_guard lock(mutex_);
    is_raised_ = true;
    raised_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    raised_.wait(lock, [&] { return is_raised_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable raised_;
  bool is_raised_ = false;
};

/// Works for some microseconds, so that other threads get ahead. It does not give up the core, since a busy
/// machine may only give the core back after some milliseconds.
inline void work_for(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Returns 0, 1 and so on, `count` numbers in all.
inline std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Returns the text of the exception of the type Error that `act` throws.
template <class Error = InputError, class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no exception";
}

}  // namespace tessera::graph_test
