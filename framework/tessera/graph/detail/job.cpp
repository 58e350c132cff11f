// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/job.hpp"

#include <algorithm>

namespace tessera::graph::detail {

bool is_less_urgent(const Job& a, const Job& b) {
  const std::uint64_t age_a = a.age(), age_b = b.age();
  return age_a != age_b ? age_a > age_b : a.node->depth < b.node->depth;
}

void Lane::push(const Job& job) {
  ready.push_back(job);
  std::push_heap(ready.begin(), ready.end(), is_less_urgent);
  oldest.store(ready.front().age(), std::memory_order_relaxed);
  if (sleeping > 0) wake.notify_one();
}

Job Lane::pop() {
  std::pop_heap(ready.begin(), ready.end(), is_less_urgent);
  const Job job = ready.back();
  ready.pop_back();
  oldest.store(ready.empty() ? ~std::uint64_t(0) : ready.front().age(), std::memory_order_relaxed);
  return job;
}

Job Lane::take(std::size_t index) {
  const Job job = ready[index];
  ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(index));
  return job;
}

}  // namespace tessera::graph::detail
