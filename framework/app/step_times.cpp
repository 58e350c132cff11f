// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/step_times.hpp"

#include <fmt/format.h>

namespace tessera::app {

void StepTimes::begin(const std::string& kind) {
  const auto now = Clock::now();
  if (!current_.empty()) seconds_[current_] += std::chrono::duration<double>(now - started_).count();
  current_ = kind;
  started_ = now;
}

std::string StepTimes::text(MPI_Comm communicator) {
  begin("");
  std::string text;
  for (const auto& [kind, seconds] : seconds_) {
    double slowest = 0;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, communicator);
    text += fmt::format("{}{} {:.4f} s", text.empty() ? "" : ", ", kind, slowest);
  }
  return text;
}

}  // namespace tessera::app
