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
  constexpr std::int64_t brief = 2000;
  is_brief = now - sampled < turns_of_sample * brief;
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

namespace {

cpu_set_t own_processors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
  return own;
}

/// Returns the processors of a NUMA domain that this process may use. Linux lists them as in "0-3,8-11".
cpu_set_t processors_of(int domain) {
  cpu_set_t own = own_processors(), found;
  CPU_ZERO(&found);
  std::ifstream list(fmt::format("/sys/devices/system/node/node{}/cpulist", domain));
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

int processor_count() {
  const cpu_set_t own = own_processors();
  return std::max(1, CPU_COUNT(&own));
}

int processor_count(int domain) {
  const cpu_set_t found = processors_of(domain);
  return std::max(1, CPU_COUNT(&found));
}

void bind_thread(int domain) {
  const cpu_set_t found = processors_of(domain);
  if (CPU_COUNT(&found) > 0) sched_setaffinity(0, sizeof found, &found);
}

}  // namespace tessera::graph::detail
