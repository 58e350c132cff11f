// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::group {

ProgramRehearsal::ProgramRehearsal(const Program& program, std::vector<ProgramPlan> plans)
    : program_(program), plans_(std::move(plans)) {
  for (const ProgramPlan& plan : plans_) {
    memories_.push_back({});
    for (int slot = 0; slot < plan.slots; ++slot)
      memories_.back().push_back(std::make_unique<RankMemory>(program, plan));
  }
  // Throws if a rank awaits a message that nobody sends.
  for (const ProgramPlan& plan : plans_)
    for (const Parcel& parcel : plan.receives) static_cast<void>(sent(parcel, plan.rank));
}

ProgramRehearsal::~ProgramRehearsal() = default;

const Parcel& ProgramRehearsal::sent(const Parcel& received, int receiver) const {
  const std::vector<Parcel>& sends = plans_[received.partner].sends;
  const auto found = std::ranges::find_if(sends, [&](const Parcel& parcel) {
    return parcel.array == received.array && parcel.partner == receiver && parcel.boxes == received.boxes;
  });
  if (found == sends.end())
    throw InternalError(fmt::format("rank {} awaits a message with '{}' that rank {} does not send", receiver,
                                    program_.array(received.array).name, received.partner));
  return *found;
}

const RankMemory& ProgramRehearsal::memory(int rank, std::int64_t item) const {
  const auto& slots = memories_[rank];
  return *slots[static_cast<std::size_t>(item) % slots.size()];
}

int ProgramRehearsal::step_at(int rank, int place) const {
  const std::vector<RankStep>& steps = plans_[rank].steps;
  const auto found = std::ranges::find(steps, place, &RankStep::place);
  return found == steps.end() ? -1 : static_cast<int>(found - steps.begin());
}

void ProgramRehearsal::receive(int rank, int step, std::int64_t item) const {
  for (const Parcel& parcel : plans_[rank].receives)
    if (parcel.first_use == step)
      std::memcpy(memory(rank, item).message(parcel),
                  memory(parcel.partner, item).message(sent(parcel, rank)),
                  static_cast<std::size_t>(parcel.bytes));
}

void ProgramRehearsal::send(int rank, int step, std::int64_t item) const {
  for (const Parcel& parcel : plans_[rank].sends)
    if (parcel.steps.first == step) memory(rank, item).pack(parcel);
}

const RankStep& ProgramRehearsal::step_of_any_rank(int place) const {
  const auto plan =
      std::ranges::find_if(plans_, [&](const ProgramPlan& one) { return step_at(one.rank, place) >= 0; });
  return plan->steps[static_cast<std::size_t>(step_at(plan->rank, place))];
}

void ProgramRehearsal::run_task(int place, std::int64_t item) const {
  const RankStep& any = step_of_any_rank(place);
  std::vector<Plan> plans;
  std::vector<const RankMemory*> memories;
  for (int rank : any.ranks) {
    const int number = step_at(rank, place);
    receive(rank, number, item);
    plans.push_back(*plans_[rank].steps[number].plan);
    memories.push_back(&memory(rank, item));
  }
  const TaskEdges edges(program_, any.task, memories);
  Rehearsal(program_.task(any.task).pipeline, plans).run(edges.bindings());
  for (int rank : any.ranks) send(rank, step_at(rank, place), item);
}

void ProgramRehearsal::run(const ProgramBindings& bindings) {
  const int stop = program_.task_count() + 1;
  for (const int rank : plans_.ids()) read_inputs(program_, memory(rank, 0), bindings);
  for (const int rank : plans_.ids()) send(rank, 0, 0);
  for (int place = 1; place < stop; ++place) run_task(place, 0);
  for (const int rank : plans_.ids()) {
    receive(rank, step_at(rank, stop), 0);
    write_outputs(program_, plans_[rank], memory(rank, 0), bindings);
  }
}

void ProgramRehearsal::read(int rank, std::int64_t item, const StreamBindings& bindings) const {
  for (const HeldArray& held : plans_[rank].held) {
    const ProgramArray& array = program_.array(held.array);
    if (array.is_input()) bindings.source(item, array.name)->read(memory(rank, item).held(held));
  }
}

void ProgramRehearsal::write(int place, std::int64_t item, const StreamBindings& bindings) const {
  const RankStep& any = step_of_any_rank(place);
  for (const int number : program_.arrays().ids()) {
    const ProgramArray& array = program_.array(number);
    if (array.output.empty() || array.producer.task != any.task) continue;
    const auto sink = bindings.sink(item, array.output, MPI_COMM_NULL);
    for (int rank : any.ranks) {
      const RankMemory& of_rank = memory(rank, item);
      write_block(program_, of_rank, number, intersection(of_rank.held(number).box, array.written), *sink);
    }
  }
}

void ProgramRehearsal::run(std::int64_t count, const StreamBindings& bindings) {
  struct Turn {
    StreamTurn turn;
    int place = 0;
  };
  std::vector<Turn> turns;
  std::int64_t last_round = 0;
  for (int place = 1; place <= program_.task_count(); ++place) {
    turns.push_back({step_of_any_rank(place).turn, place});
    last_round = std::max<std::int64_t>(last_round, turns.back().turn.round);
  }
  std::ranges::sort(turns, {}, [](const Turn& one) { return one.turn.turn; });
  for (std::int64_t round = 0; round < count + last_round; ++round)
    for (const auto& [turn, place] : turns) {
      const std::int64_t item = round - turn.round;
      if (item < 0 || item >= count) continue;
      for (const int rank : step_of_any_rank(place).ranks)
        if (step_at(rank, place) == 1) read(rank, item, bindings);
      run_task(place, item);
      write(place, item, bindings);
    }
}

}  // namespace tessera::group
