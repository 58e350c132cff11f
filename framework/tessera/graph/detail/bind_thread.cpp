// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/bind_thread.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>

namespace tessera::graph::detail {
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
