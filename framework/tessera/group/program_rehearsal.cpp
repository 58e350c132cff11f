// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/program_ends.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/detail/task_edges.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::group {

class ProgramRehearsal::Impl {
 public:
  Impl(const Program& program, std::vector<ProgramPlan> plans);
  void run(const ProgramBindings& bindings);

 private:
  /// The message of `sender` that the rank `receiver` awaits. Throws InternalError if there is none.
  const Parcel& sent(const Parcel& received, int receiver) const;
  void receive(int rank, int step) const;
  void send(int rank, int step) const;
  /// Runs the task at `place` on all ranks of its group.
  void run_task(int place) const;

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  /// Returns the number of the step of a rank at `place`, or -1.
  int step_at(int rank, int place) const;

  const Program& program_;
  std::vector<ProgramPlan> plans_;
  std::vector<std::unique_ptr<RankMemory>> memories_;
};

ProgramRehearsal::Impl::Impl(const Program& program, std::vector<ProgramPlan> plans)
    : program_(program), plans_(std::move(plans)) {
  for (const ProgramPlan& plan : plans_) memories_.push_back(std::make_unique<RankMemory>(program, plan));
  for (const ProgramPlan& plan : plans_)
    for (const Parcel& parcel : plan.receives) static_cast<void>(sent(parcel, plan.rank));
}

const Parcel& ProgramRehearsal::Impl::sent(const Parcel& received, int receiver) const {
  const std::vector<Parcel>& sends = plans_[index(received.partner)].sends;
  const auto found = std::ranges::find_if(sends, [&](const Parcel& parcel) {
    return parcel.array == received.array && parcel.partner == receiver && parcel.boxes == received.boxes;
  });
  if (found == sends.end())
    throw InternalError(fmt::format("rank {} awaits a message with '{}' that rank {} does not send", receiver,
                                    program_.array(received.array).name, received.partner));
  return *found;
}

int ProgramRehearsal::Impl::step_at(int rank, int place) const {
  const std::vector<RankStep>& steps = plans_[index(rank)].steps;
  const auto found = std::ranges::find(steps, place, &RankStep::place);
  return found == steps.end() ? -1 : static_cast<int>(found - steps.begin());
}

void ProgramRehearsal::Impl::receive(int rank, int step) const {
  for (const Parcel& parcel : plans_[index(rank)].receives)
    if (parcel.first_use == step)
      std::memcpy(memories_[index(rank)]->message(parcel),
                  memories_[index(parcel.partner)]->message(sent(parcel, rank)),
                  static_cast<std::size_t>(parcel.bytes));
}

void ProgramRehearsal::Impl::send(int rank, int step) const {
  for (const Parcel& parcel : plans_[index(rank)].sends)
    if (parcel.steps.first == step) memories_[index(rank)]->pack(parcel);
}

void ProgramRehearsal::Impl::run_task(int place) const {
  std::vector<int> ranks;
  for (const ProgramPlan& plan : plans_)
    if (const int step = step_at(plan.rank, place); step >= 0) ranks = plan.steps[index(step)].ranks;
  std::vector<Plan> plans;
  std::vector<const RankMemory*> memories;
  int task = 0;
  for (int rank : ranks) {
    const int number = step_at(rank, place);
    receive(rank, number);
    const RankStep& step = plans_[index(rank)].steps[index(number)];
    task = step.task;
    plans.push_back(*step.plan);
    memories.push_back(memories_[index(rank)].get());
  }
  const TaskEdges edges(program_, task, memories);
  Rehearsal(program_.task(task).pipeline, plans).run(edges.bindings());
  for (int rank : ranks) send(rank, step_at(rank, place));
}

void ProgramRehearsal::Impl::run(const ProgramBindings& bindings) {
  const int rank_count = static_cast<int>(plans_.size()), stop = program_.task_count() + 1;
  for (int rank = 0; rank < rank_count; ++rank) read_inputs(program_, *memories_[index(rank)], bindings);
  for (int rank = 0; rank < rank_count; ++rank) send(rank, 0);
  for (int place = 1; place < stop; ++place) run_task(place);
  for (int rank = 0; rank < rank_count; ++rank) {
    receive(rank, step_at(rank, stop));
    write_outputs(program_, plans_[index(rank)], *memories_[index(rank)], bindings);
  }
}

ProgramRehearsal::ProgramRehearsal(const Program& program, std::vector<ProgramPlan> plans)
    : impl_(std::make_unique<Impl>(program, std::move(plans))) {}
ProgramRehearsal::~ProgramRehearsal() = default;

void ProgramRehearsal::run(const ProgramBindings& bindings) { impl_->run(bindings); }

}  // namespace tessera::group
