// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_phases.hpp"

namespace tessera::app {

const char* name_of(Phase phase) {
  constexpr std::array names = {"start", "open", "plan", "allocate", "finish"};
  static_assert(names.size() == all_phases.size());
  return names[static_cast<std::size_t>(phase)];
}

void RunPhases::begin(Phase phase) {
  const Clock::time_point now = Clock::now();
  if (is_under_way_) spans_.push_back({current_.phase, current_.begin, now});
  current_ = {phase, now, now};
  is_under_way_ = true;
}

void RunPhases::end() {
  if (!is_under_way_) return;
  current_.end = Clock::now();
  spans_.push_back(current_);
  is_under_way_ = false;
}

}  // namespace tessera::app
