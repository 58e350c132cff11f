// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_trace.hpp"

#include <fmt/format.h>

#include "tessera/group/program_plan.hpp"

namespace tessera::app {
namespace {

using group::StepPart;

constexpr auto& kinds = StepPart::names_of_kinds;

}  // namespace

StreamTrace::StreamTrace(const group::Program& program) : task_count_(program.task_count()) {
  for (int place = 0; place < task_count_ + 2; ++place) {
    const int number = place < task_count_    ? place
                       : place == task_count_ ? group::start_task
                                              : group::stop_task;
    const std::string task = group::name_of_task(program, number);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      graph::TaskReport& named = report_.tasks.emplace_back();
      const bool computes = kind == static_cast<std::size_t>(StepPart::Kind::compute);
      named.name = computes ? task : fmt::format("{}: {}", task, kinds[kind]);
    }
  }
}

int StreamTrace::number_of(const StepPart& part) const {
  const int place = part.task >= 0 ? part.task : task_count_ + (part.task == group::start_task ? 0 : 1);
  return place * static_cast<int>(kinds.size()) + static_cast<int>(part.kind);
}

std::int64_t StreamTrace::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - *began_).count();
}

void StreamTrace::begin(const StepPart& part) {
  if (!began_) began_ = Clock::now();
  const int number = number_of(part);
  if (current_ && current_->task == number && current_->item == part.item) return;
  end_call();
  current_ = graph::TracedCall{.task = number, .item = part.item, .begin = now()};
}

void StreamTrace::end_call() {
  if (!current_) return;
  current_->end = now();
  report_.trace.push_back(*current_);
  current_.reset();
}

const graph::Report& StreamTrace::end() {
  end_call();
  return report_;
}

}  // namespace tessera::app
