// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/step_recorder.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <map>
#include <utility>

#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {
namespace {

std::size_t node_count(const Plan& plan) {
  std::size_t nodes = 0;
  walk(plan.root, [&nodes](const PlanNode&) { ++nodes; });
  return nodes;
}

}  // namespace

Recorder::Recorder(MPI_Comm communicator, std::size_t parts, RecorderOptions options, RunPhases& phases)
    : communicator_(communicator), totals_(parts), options_(options) {
  set_clock(phases);
  phases.end();
  for (const RunPhases::Span& span : phases.spans()) add(span);
}

void Recorder::add(const RunPhases::Span& span) {
  Total& total = phases_[static_cast<std::size_t>(span.phase)];
  const Event event{node_of(span.phase), seconds_at(span.begin), seconds_at(span.end)};
  ++total.calls;
  total.seconds += event.end - event.begin;
  last_phase_ended_ = event.end;
  add(event);
}

/// Sets `start_` to the time, by the clock of this rank, at which the first rank began. Ranks on different
/// machine nodes have different clocks. All ranks leave a barrier at about the same time. Each rank
/// subtracts from this time the longest duration for which any rank has been running.
void Recorder::set_clock(const RunPhases& phases) {
  MPI_Barrier(communicator_);
  const Clock::time_point met = Clock::now();
  // The times are exchanged as whole ticks of the clock. With rounded seconds, the first phase could begin
  // before the start.
  const auto mine = static_cast<std::int64_t>((met - phases.began()).count());
  std::int64_t longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_INT64_T, MPI_MAX, communicator_);
  start_ = met - Clock::duration(longest);
  began_run_ = seconds_at(phases.began());
}

void Recorder::begin(int part, std::int64_t item) {
  end();
  current_ = part;
  current_item_ = item;
  began_ = now();
}

void Recorder::end() {
  if (current_ < 0) return;
  if (options_.fence && Kokkos::is_initialized()) Kokkos::fence();
  const double ended = now();
  const auto part = static_cast<std::size_t>(std::exchange(current_, -1));
  const std::lock_guard lock(mutex_);
  if (part >= totals_.size()) totals_.resize(part + 1);
  ++totals_[part].calls;
  totals_[part].seconds += ended - began_;
  add(Event{static_cast<int>(part), began_, ended, 0, current_item_});
}

StepRecorder::StepRecorder(MPI_Comm communicator, const Plan& plan, RecorderOptions options,
                           RunPhases& phases)
    : Recorder(communicator, node_count(plan), options, phases), plans_{{&plan, 0}} {}

int StepRecorder::follow(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  const std::size_t first = totals_.size();
  totals_.resize(first + node_count(plan));
  plans_.emplace_back(&plan, static_cast<int>(first));
  return static_cast<int>(first);
}

std::string StepRecorder::text() const {
  std::string text;
  const auto add = [&](const std::string& name, double mine) {
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, communicator_);
    text += fmt::format("{}{} {:.4f} s", text.empty() ? "" : ", ", name, slowest);
  };
  for (const Phase phase : all_phases)
    if (phase != Phase::finish) add(name_of(phase), total(phase).seconds);
  std::map<std::string, double> seconds;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [plan, first] : plans_)
      walk(plan->root, [&, first = first](const PlanNode& node) {
        if (is_step(node))
          seconds[step_kind(node)] += totals_[static_cast<std::size_t>(first + node.id)].seconds;
      });
  }
  for (const auto& [kind, mine] : seconds) add(kind, mine);
  return text;
}

}  // namespace tessera::app
