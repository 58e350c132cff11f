// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/step_recorder.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <map>

#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {

StepRecorder::StepRecorder(MPI_Comm communicator, const Plan& plan, RecorderOptions options)
    : communicator_(communicator), plan_(plan), options_(options) {
  std::size_t nodes = 0;
  walk(plan.root, [&nodes](const PlanNode&) { ++nodes; });
  totals_.resize(nodes);
  MPI_Barrier(communicator_);
  start_ = Clock::now();
}

double StepRecorder::now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void StepRecorder::begin(const PlanNode& node) {
  end();
  current_ = node.id;
  began_ = now();
}

void StepRecorder::end() {
  if (current_ < 0) return;
  if (options_.fence) Kokkos::fence();
  const double ended = now();
  const std::lock_guard lock(mutex_);
  Total& total = totals_[static_cast<std::size_t>(current_)];
  ++total.calls;
  total.seconds += ended - began_;
  if (options_.events) events_.push_back({current_, began_, ended});
  current_ = -1;
}

std::string StepRecorder::text() const {
  std::map<std::string, double> seconds;
  {
    const std::lock_guard lock(mutex_);
    walk(plan_.root, [&](const PlanNode& node) {
      if (is_step(node)) seconds[step_kind(node)] += totals_[static_cast<std::size_t>(node.id)].seconds;
    });
  }
  std::string text;
  for (const auto& [kind, mine] : seconds) {
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, communicator_);
    text += fmt::format("{}{} {:.4f} s", text.empty() ? "" : ", ", kind, slowest);
  }
  return text;
}

}  // namespace tessera::app
