// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/detail/run_messages.hpp"
#include "tessera/group/detail/task_instances.hpp"

namespace tessera::group {
namespace {

/// Returns what an error says.
std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  }
}

}  // namespace

class ProgramStream::Impl {
 public:
  Impl(const Program& program, ProgramPlan plan, MPI_Comm communicator, const Transport& transport);
  StreamOutcome run(std::int64_t count, const StreamBindings& bindings);
  const ProgramPlan& plan() const { return plan_; }

 private:
  /// One of the items that a rank keeps at a time.
  struct Slot {
    std::unique_ptr<RunMessages> messages;
    /// The sources and sinks of the tasks, by step.
    std::vector<TaskEdges> edges;
  };

  const RankStep& step(int number) const { return plan_.steps[static_cast<std::size_t>(number)]; }
  int last_step() const { return static_cast<int>(plan_.steps.size()) - 2; }
  Slot& slot_of(std::int64_t item) {
    return slots_[static_cast<std::size_t>(item % static_cast<std::int64_t>(slots_.size()))];
  }
  /// Runs the steps of this rank in rounds.
  void run_rounds();
  /// Begins an item. Returns false if no rank begins it, or any later one.
  bool begin(std::int64_t item);
  void end(std::int64_t item);
  void read(std::int64_t item);
  void run_step(std::int64_t item, int number);
  /// Returns whether the task was computed.
  bool compute(std::int64_t item, int number);
  void write(std::int64_t item, int number);
  /// Calls `act`, which all ranks of a group call together. If it fails, so does the item. Returns whether it
  /// has not failed.
  template <class Act>
  bool try_together(std::int64_t item, int number, const Act& act);
  /// Returns whether the item has failed on any rank of the group of a step. Collective over the group.
  bool has_failed(int number, const RunMessages& messages);
  /// Lets MPI make progress with messages while a task is computed, and begins to receive those of the next
  /// item as soon as there is memory for them.
  void make_progress();
  double now() const { return MPI_Wtime() - began_; }
  void observe(int task, StepPart::Kind kind, std::int64_t item, const PlanNode* node = nullptr) const {
    if (bindings_->begins) bindings_->begins({task, kind, node, item});
  }

  const Program& program_;
  ProgramPlan plan_;
  GroupCommunicators communicators_;
  Communicator for_agreements_;
  std::vector<std::unique_ptr<PlanInstance>> instances_;
  std::vector<Slot> slots_;
  /// The steps of tasks, in the order of their turns in a round.
  std::vector<int> by_turn_;

  // The run that is under way.
  const StreamBindings* bindings_ = nullptr;
  std::optional<ItemAgreements> agreements_;
  StreamOutcome outcome_;
  double began_ = 0;
  /// No rank begins this item.
  std::int64_t limit_ = 0;
  /// The number of items that this rank has begun and ended, and of those of which it receives messages.
  std::int64_t begun_ = 0, ended_ = 0, awaited_ = 0;
  bool has_stopped_ = false;
};

ProgramStream::Impl::Impl(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                          const Transport& transport)
    : program_(program),
      plan_(std::move(plan)),
      communicators_(communicator),
      for_agreements_(communicator),
      slots_(static_cast<std::size_t>(plan_.slots)) {
  const Communicator& all = communicators_.all();
  collectively(communicator, [&] {
    if (!plan_.is_stream || all.size() != plan_.rank_count || all.rank() != plan_.rank)
      throw InternalError(fmt::format("a program plan for rank {} of {}{} runs as a stream on rank {} of {}",
                                      plan_.rank, plan_.rank_count, plan_.is_stream ? "" : ", for one run,",
                                      all.rank(), all.size()));
    for (int i = 0; i < plan_.slots; ++i)
      slots_[static_cast<std::size_t>(i)].messages =
          std::make_unique<RunMessages>(program_, plan_, all.handle());
  });
  for (int number = 0; number < static_cast<int>(plan_.steps.size()); ++number) {
    const bool is_task = step(number).plan != nullptr;
    if (is_task) by_turn_.push_back(number);
    for (Slot& slot : slots_)
      slot.edges.push_back(is_task ? TaskEdges(program_, step(number).task, {&slot.messages->memory()})
                                   : TaskEdges());
  }
  std::ranges::sort(by_turn_, {}, [this](int number) { return step(number).turn.turn; });
  instances_ = task_instances(program_, plan_, communicators_, transport);
}

StreamOutcome ProgramStream::Impl::run(std::int64_t count, const StreamBindings& bindings) {
  bindings_ = &bindings;
  outcome_ = {};
  for (const int number : by_turn_) outcome_.tasks.push_back({step(number).task});
  limit_ = count;
  begun_ = ended_ = awaited_ = 0;
  has_stopped_ = false;
  agreements_.emplace(for_agreements_.handle(), plan_.most_items);
  // The ranks begin together, so that their times can be compared.
  MPI_Barrier(communicators_.all().handle());
  began_ = MPI_Wtime();
  run_rounds();
  outcome_.begun = ended_;
  observe(stop_task, StepPart::Kind::wait, ended_);
  // A stream with few items may have begun the last one before all ranks knew of the first one.
  if ((agreements_->finish(ended_) & ItemAgreements::stop) != 0) has_stopped_ = true;
  for (Slot& slot : slots_) slot.messages->wait_for_sends();
  outcome_.is_stopped = has_stopped_;
  return std::move(outcome_);
}

void ProgramStream::Impl::run_rounds() {
  if (by_turn_.empty()) {
    for (std::int64_t item = 0; item < limit_ && begin(item); ++item) end(item);
    return;
  }
  bool has_items = true;
  for (std::int64_t round = 0; has_items; ++round) {
    has_items = false;
    for (const int number : by_turn_) {
      const std::int64_t item = round - step(number).turn.round;
      has_items = has_items || item < limit_;
      if (item < 0 || item >= limit_ || (number == 1 && !begin(item))) continue;
      run_step(item, number);
      if (number == last_step()) end(item);
    }
  }
}

bool ProgramStream::Impl::begin(std::int64_t item) {
  observe(start_task, StepPart::Kind::wait, item);
  if (const int said = agreements_->before(item); said != 0) {
    has_stopped_ = (said & ItemAgreements::stop) != 0;
    limit_ = item;
    return false;
  }
  begun_ = item + 1;
  if (by_turn_.empty()) return true;
  RunMessages& messages = *slot_of(item).messages;
  if (awaited_ <= item) {
    messages.wait_for_sends();
    messages.begin();
    messages.await(0);
    awaited_ = item + 1;
  }
  read(item);
  return true;
}

void ProgramStream::Impl::end(std::int64_t item) {
  ended_ = item + 1;
  int said = 0;
  if (!outcome_.failed.empty() && !bindings_->skips_failures) said |= ItemAgreements::failure;
  if (bindings_->is_stopped && bindings_->is_stopped()) said |= ItemAgreements::stop;
  agreements_->end(item, said);
  if (bindings_->ended) bindings_->ended(item);
}

void ProgramStream::Impl::read(std::int64_t item) {
  RunMessages& messages = *slot_of(item).messages;
  observe(start_task, StepPart::Kind::read, item);
  const double before = now();
  try {
    for (const HeldArray& held : plan_.held) {
      const ProgramArray& array = program_.array(held.array);
      if (array.is_input()) bindings_->source(item, array.name)->read(messages.memory().held(held));
    }
  } catch (const InputError& error) {
    messages.fail();
    outcome_.failed.push_back({item, error.what()});
  }
  outcome_.reading += now() - before;
}

bool ProgramStream::Impl::has_failed(int number, const RunMessages& messages) {
  int has_failed = messages.has_failed() ? 1 : 0;
  const std::vector<int>& ranks = step(number).ranks;
  if (ranks.size() > 1)
    MPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT, MPI_MAX, communicators_.of(ranks));
  return has_failed != 0;
}

void ProgramStream::Impl::run_step(std::int64_t item, int number) {
  RunMessages& messages = *slot_of(item).messages;
  observe(step(number).task, StepPart::Kind::wait, item);
  const double before = now();
  messages.wait_before(number);
  messages.await(number);
  if (has_failed(number, messages)) {
    messages.fail();
  } else {
    const auto task = static_cast<std::size_t>(std::ranges::find(by_turn_, number) - by_turn_.begin());
    StreamTimes& times = outcome_.tasks[task];
    const double begin = now();
    const bool is_computed = compute(item, number);
    ++times.items;
    times.numbers += static_cast<double>(item);
    times.begins += begin;
    times.ends += now();
    times.waited += begin - before;
    if (is_computed) write(item, number);
  }
  observe(step(number).task, StepPart::Kind::send, item);
  messages.send(number);
}

template <class Act>
bool ProgramStream::Impl::try_together(std::int64_t item, int number, const Act& act) {
  std::exception_ptr failure;
  keep_first_error(failure, act);
  if (failure == nullptr) return true;
  slot_of(item).messages->fail();
  if (step(number).ranks.front() == plan_.rank) outcome_.failed.push_back({item, message_of(failure)});
  return false;
}

bool ProgramStream::Impl::compute(std::int64_t item, int number) {
  const auto place = static_cast<std::size_t>(number);
  return try_together(item, number, [&] {
    instances_[place]->run(slot_of(item).edges[place].bindings(), [&](const PlanNode& node) {
      observe(step(number).task, StepPart::Kind::compute, item, &node);
      make_progress();
    });
  });
}

void ProgramStream::Impl::write(std::int64_t item, int number) {
  const RankMemory& memory = slot_of(item).messages->memory();
  const double before = now();
  for (int array = 0; array < static_cast<int>(program_.arrays().size()); ++array) {
    const ProgramArray& written = program_.array(array);
    if (written.output.empty() || written.producer.task != step(number).task) continue;
    observe(step(number).task, StepPart::Kind::write, item);
    try_together(item, number, [&] {
      const auto sink = bindings_->sink(item, written.output, communicators_.of(step(number).ranks));
      if (sink == nullptr) return;
      write_block(program_, memory, array, intersection(memory.held(array).box, written.written), *sink);
      if (step(number).ranks.front() == plan_.rank) outcome_.written.push_back(now());
    });
  }
  outcome_.writing += now() - before;
}

void ProgramStream::Impl::make_progress() {
  const bool may_begin = begun_ < limit_ && agreements_->may_begin(begun_);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    RunMessages& messages = *slots_[i].messages;
    const bool is_free = messages.make_progress();
    const bool is_next = &messages == slot_of(begun_).messages.get();
    if (!is_free || !is_next || !may_begin || awaited_ > begun_ || ended_ + plan_.slots <= begun_) continue;
    messages.begin();
    messages.await(0);
    awaited_ = begun_ + 1;
  }
}

ProgramStream::ProgramStream(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                             const Transport& transport)
    : impl_(std::make_unique<Impl>(program, std::move(plan), communicator, transport)) {}
ProgramStream::~ProgramStream() = default;

StreamOutcome ProgramStream::run(std::int64_t count, const StreamBindings& bindings) {
  return impl_->run(count, bindings);
}
const ProgramPlan& ProgramStream::plan() const { return impl_->plan(); }

}  // namespace tessera::group
