// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/job.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace tessera::graph::detail {

bool is_less_urgent(const Job& a, const Job& b) {
  const std::uint64_t age_a = a.age(), age_b = b.age();
  return age_a != age_b ? age_a > age_b : a.node->depth < b.node->depth;
}

void Lane::push(const Job& job) {
  ready.push_back(job);
  if (ready.size() > 1) std::push_heap(ready.begin(), ready.end(), is_less_urgent);
  oldest.store(ready.front().age(), std::memory_order_relaxed);
  if (sleeping > 0 && !(is_watched && job.node->source != nullptr)) wake.notify_one();
}

void Lane::note_time(std::int64_t now) {
  constexpr std::int64_t brief_call = 2000;  // nanoseconds
  is_brief = now - sampled < turns_of_sample * brief_call;
  sampled = now;
  turns = 0;
}

bool Lane::should_watch() const {
  if (!is_brief || is_watched || running == 0) return false;
  return ready.empty() || (ready.size() == 1 && ready.front().node->source != nullptr);
}

void Lane::watch(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::microseconds patience(100);
  constexpr std::int64_t turns_until_next_sample = 1024;
  const std::int64_t taken_before = taken;
  is_watched = true;
  const bool is_late = wake.wait_for(lock, patience) == std::cv_status::timeout;
  is_watched = false;
  if (!is_late || taken != taken_before) return;
  is_brief = false;
  turns = -turns_until_next_sample;
}

Job Lane::pop() {
  if (ready.size() > 1) std::pop_heap(ready.begin(), ready.end(), is_less_urgent);
  const Job job = ready.back();
  ready.pop_back();
  ++taken;
  oldest.store(ready.empty() ? ~std::uint64_t(0) : ready.front().age(), std::memory_order_relaxed);
  return job;
}

Job Lane::take(std::size_t index) {
  const Job job = ready[index];
  ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(index));
  return job;
}

void Source::close(std::int64_t ordinal) {
  --in_flight;
  closed[static_cast<std::size_t>(ordinal - first_open)] = true;
  while (!closed.empty() && closed.front()) {
    closed.pop_front();
    ++first_open;
  }
}

bool Node::admits_within_limit(const Job& job) {
  const std::lock_guard guard(lock);
  if (admitted < limit) {
    ++admitted;
    return true;
  }
  backlog.push_back(job);
  std::push_heap(backlog.begin(), backlog.end(), is_less_urgent);
  return false;
}

int Node::take_free_body() {
  const std::lock_guard guard(lock);
  const int body = free_bodies.back();
  free_bodies.pop_back();
  return body;
}

bool Node::free_body(int body, Job& next) {
  const std::lock_guard guard(lock);
  if (limit > 1) free_bodies.push_back(body);
  if (backlog.empty()) {
    --admitted;
    return false;
  }
  std::pop_heap(backlog.begin(), backlog.end(), is_less_urgent);
  next = backlog.back();
  backlog.pop_back();
  return true;
}

std::size_t JobChooser::choose(const std::vector<Job>& ready) {
  const auto index_of = [&](auto found) { return static_cast<std::size_t>(found - ready.begin()); };
  if (seed_ == 0) return index_of(std::ranges::max_element(ready, is_less_urgent));
  if (seed_ == 1) return index_of(std::ranges::min_element(ready, is_less_urgent));
  // The generator is SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
  std::uint64_t bits = state_ += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  bits ^= bits >> 31;
  if (seed_ - 2 < tasks_) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < ready.size(); ++i)
      if (static_cast<std::uint64_t>(to_int(ready[i].node->id)) != seed_ - 2) others.push_back(i);
    if (!others.empty()) return others[bits % others.size()];
  }
  return bits % ready.size();
}

namespace {

/// Returns the processors that this process may use, in one NUMA domain if `domain` names one. Linux lists
/// those of a domain as in "0-3,8-11".
cpu_set_t processors(std::optional<int> domain) {
  cpu_set_t own, found;
  CPU_ZERO(&own);
  CPU_ZERO(&found);
  if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
  if (!domain) return own;
  std::ifstream list(fmt::format("/sys/devices/system/node/node{}/cpulist", *domain));
  for (int first = 0; list >> first;) {
    int last = first;
    if (list.peek() == '-') list.ignore() >> last;
    for (int processor = first; processor <= last && processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &own)) CPU_SET(processor, &found);
    list.ignore();
  }
  return found;
}

}  // namespace

int processor_count(std::optional<int> domain) {
  const cpu_set_t found = processors(domain);
  return std::max(1, CPU_COUNT(&found));
}

void bind_thread(int domain) {
  const cpu_set_t found = processors(domain);
  if (CPU_COUNT(&found) > 0) sched_setaffinity(0, sizeof found, &found);
}

}  // namespace tessera::graph::detail
