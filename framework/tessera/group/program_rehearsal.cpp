// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::group {

class ProgramRehearsal::Impl {
 public:
  Impl(const Program& program, std::vector<ProgramPlan> plans);
  void run(const ProgramBindings& bindings);
  void run(std::int64_t count, const StreamBindings& bindings);

 private:
  /// The message of `sender` that the rank `receiver` awaits. Throws InternalError if there is none.
  const Parcel& sent(const Parcel& received, int receiver) const;
  void receive(int rank, int step, std::int64_t item) const;
  void send(int rank, int step, std::int64_t item) const;
  /// Runs the task at `place` on all ranks of its group.
  void run_task(int place, std::int64_t item) const;
  void read(int rank, std::int64_t item, const StreamBindings& bindings) const;
  /// Writes the outputs of the task at `place`.
  void write(int place, std::int64_t item, const StreamBindings& bindings) const;
  /// Returns the ranks of the task at `place`.
  const RankStep& step_of_any_rank(int place) const;
  /// Returns the memory of a rank for an item.
  const RankMemory& memory(int rank, std::int64_t item) const {
    const auto& slots = memories_[index(rank)];
    return *slots[static_cast<std::size_t>(item) % slots.size()];
  }

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  /// Returns the number of the step of a rank at `place`, or -1.
  int step_at(int rank, int place) const;

  const Program& program_;
  std::vector<ProgramPlan> plans_;
  /// The memories of each rank, one for each item for which it has memory.
  std::vector<std::vector<std::unique_ptr<RankMemory>>> memories_;
};

ProgramRehearsal::Impl::Impl(const Program& program, std::vector<ProgramPlan> plans)
    : program_(program), plans_(std::move(plans)) {
  for (const ProgramPlan& plan : plans_) {
    memories_.emplace_back();
    for (int slot = 0; slot < plan.slots; ++slot)
      memories_.back().push_back(std::make_unique<RankMemory>(program, plan));
  }
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

void ProgramRehearsal::Impl::receive(int rank, int step, std::int64_t item) const {
  for (const Parcel& parcel : plans_[index(rank)].receives)
    if (parcel.first_use == step)
      std::memcpy(memory(rank, item).message(parcel),
                  memory(parcel.partner, item).message(sent(parcel, rank)),
                  static_cast<std::size_t>(parcel.bytes));
}

void ProgramRehearsal::Impl::send(int rank, int step, std::int64_t item) const {
  for (const Parcel& parcel : plans_[index(rank)].sends)
    if (parcel.steps.first == step) memory(rank, item).pack(parcel);
}

const RankStep& ProgramRehearsal::Impl::step_of_any_rank(int place) const {
  const auto plan =
      std::ranges::find_if(plans_, [&](const ProgramPlan& one) { return step_at(one.rank, place) >= 0; });
  return plan->steps[index(step_at(plan->rank, place))];
}

void ProgramRehearsal::Impl::run_task(int place, std::int64_t item) const {
  const RankStep& any = step_of_any_rank(place);
  std::vector<Plan> plans;
  std::vector<const RankMemory*> memories;
  for (int rank : any.ranks) {
    const int number = step_at(rank, place);
    receive(rank, number, item);
    plans.push_back(*plans_[index(rank)].steps[index(number)].plan);
    memories.push_back(&memory(rank, item));
  }
  const TaskEdges edges(program_, any.task, memories);
  Rehearsal(program_.task(any.task).pipeline, plans).run(edges.bindings());
  for (int rank : any.ranks) send(rank, step_at(rank, place), item);
}

void ProgramRehearsal::Impl::run(const ProgramBindings& bindings) {
  const int rank_count = static_cast<int>(plans_.size()), stop = program_.task_count() + 1;
  for (int rank = 0; rank < rank_count; ++rank) read_inputs(program_, memory(rank, 0), bindings);
  for (int rank = 0; rank < rank_count; ++rank) send(rank, 0, 0);
  for (int place = 1; place < stop; ++place) run_task(place, 0);
  for (int rank = 0; rank < rank_count; ++rank) {
    receive(rank, step_at(rank, stop), 0);
    write_outputs(program_, plans_[index(rank)], memory(rank, 0), bindings);
  }
}

void ProgramRehearsal::Impl::read(int rank, std::int64_t item, const StreamBindings& bindings) const {
  for (const HeldArray& held : plans_[index(rank)].held) {
    const ProgramArray& array = program_.array(held.array);
    if (array.is_input()) bindings.source(item, array.name)->read(memory(rank, item).held(held));
  }
}

void ProgramRehearsal::Impl::write(int place, std::int64_t item, const StreamBindings& bindings) const {
  const RankStep& any = step_of_any_rank(place);
  for (int number = 0; number < static_cast<int>(program_.arrays().size()); ++number) {
    const ProgramArray& array = program_.array(number);
    if (array.output.empty() || array.producer.task != any.task) continue;
    const auto sink = bindings.sink(item, array.output, MPI_COMM_NULL);
    for (int rank : any.ranks) {
      const RankMemory& of_rank = memory(rank, item);
      write_block(program_, of_rank, number, intersection(of_rank.held(number).box, array.written), *sink);
    }
  }
}

void ProgramRehearsal::Impl::run(std::int64_t count, const StreamBindings& bindings) {
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

ProgramRehearsal::ProgramRehearsal(const Program& program, std::vector<ProgramPlan> plans)
    : impl_(std::make_unique<Impl>(program, std::move(plans))) {}
ProgramRehearsal::~ProgramRehearsal() = default;

void ProgramRehearsal::run(const ProgramBindings& bindings) { impl_->run(bindings); }
void ProgramRehearsal::run(std::int64_t count, const StreamBindings& bindings) {
  impl_->run(count, bindings);
}

}  // namespace tessera::group
