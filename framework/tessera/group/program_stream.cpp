// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tessera/group/detail/rank_tasks.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::group {
namespace {

/// Returns the text of an error.
std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  }
}

/// The messages of the ranks of a stream about each item. Ranks go on meanwhile: a rank waits for the others
/// only before it begins item i, until all ranks have ended item i - `delay`. So all ranks learn of a failure
/// at the same item, and begin no further one.
class ItemAgreements {
 public:
  /// The flags that a rank may give an item; the two may be added.
  static constexpr int failure = 1, stop = 2;

  /// Every rank passes the same `delay`. `communicator` must not be used for anything else at the same time.
  ItemAgreements(MPI_Comm communicator, std::int64_t delay)
      : communicator_(communicator), slots_(static_cast<std::size_t>(delay)) {}

  /// After an error of one rank, MPI may still write to the slots until the job ends, so the destructor then
  /// leaves them in memory.
  ~ItemAgreements() {
    if (std::ranges::any_of(slots_, [](const Slot& slot) { return slot.request != MPI_REQUEST_NULL; }))
      static_cast<void>(new std::vector<Slot>(std::move(slots_)));
  }
  ItemAgreements(const ItemAgreements&) = delete;
  ItemAgreements& operator=(const ItemAgreements&) = delete;

  /// Says what this rank knows about `item`, which it has ended. Ranks must end items in their order.
  void end(std::int64_t item, int said) {
    Slot& slot = slot_of(item);
    slot.mine = said;
    MPI_Iallreduce(&slot.mine, &slot.all, 1, MPI_INT, MPI_BOR, communicator_, &slot.request);
  }

  /// Waits until all ranks have ended item `item` - `delay`, and returns what they have said about it
  /// together.
  int before(std::int64_t item) {
    if (item < delay()) return 0;
    Slot& slot = slot_of(item);
    MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
    return slot.all;
  }

  /// Lets MPI make progress. Returns whether `before(item)` need not wait, and returns 0.
  bool may_begin(std::int64_t item) {
    for (Slot& slot : slots_) {
      int is_done = 0;
      if (slot.request != MPI_REQUEST_NULL) MPI_Test(&slot.request, &is_done, MPI_STATUS_IGNORE);
    }
    if (item < delay()) return true;
    const Slot& slot = slot_of(item);
    return slot.request == MPI_REQUEST_NULL && slot.all == 0;
  }

  /// Waits until all ranks have ended the first `count` items. Returns what they have said about any of the
  /// last items, which `before` was not called for.
  int finish(std::int64_t count) {
    int all = 0;
    for (std::int64_t item = std::max<std::int64_t>(0, count - delay()); item < count; ++item) {
      Slot& slot = slot_of(item);
      MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
      all |= slot.all;
    }
    return all;
  }

 private:
  struct Slot {
    int mine = 0, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::int64_t delay() const { return static_cast<std::int64_t>(slots_.size()); }
  Slot& slot_of(std::int64_t item) { return slots_[static_cast<std::size_t>(item % delay())]; }

  MPI_Comm communicator_;
  std::vector<Slot> slots_;
};

/// A run of a stream.
class StreamRun {
 public:
  StreamRun(RankTasks& tasks, std::int64_t count, const StreamBindings& bindings)
      : tasks_(tasks),
        bindings_(bindings),
        agreements_(tasks.for_agreements(), tasks.plan().most_items),
        limit_(count) {
    for (int number = 1; number < static_cast<int>(tasks.plan().steps.size()) - 1; ++number) {
      by_turn_.push_back(number);
      outcome_.tasks.push_back({step(number).task});
    }
    std::ranges::sort(by_turn_, {}, [this](int number) { return step(number).turn.turn; });
  }

  StreamOutcome run() {
    // The ranks begin together, so that their times can be compared.
    MPI_Barrier(tasks_.communicators().all().handle());
    began_ = MPI_Wtime();
    run_rounds();
    outcome_.begun = ended_;
    observe(stop_task, StepPart::Kind::wait, ended_);
    // A stream with few items may have begun the last one before all ranks knew of the first one.
    if ((agreements_.finish(ended_) & ItemAgreements::stop) != 0) outcome_.is_stopped = true;
    for (int slot = 0; slot < tasks_.plan().slots; ++slot) tasks_.messages(slot).wait_for_sends();
    return std::move(outcome_);
  }

 private:
  const RankStep& step(int number) const { return tasks_.step(number); }

  /// Runs the steps of this rank in rounds.
  void run_rounds() {
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
        if (number == static_cast<int>(by_turn_.size())) end(item);
      }
    }
  }

  /// Begins an item. Returns false if no rank begins it, or any later one.
  bool begin(std::int64_t item) {
    observe(start_task, StepPart::Kind::wait, item);
    if (const int said = agreements_.before(item); said != 0) {
      outcome_.is_stopped = (said & ItemAgreements::stop) != 0;
      limit_ = item;
      return false;
    }
    begun_ = item + 1;
    if (by_turn_.empty()) return true;
    RunMessages& messages = tasks_.messages(item);
    // make_progress may have begun to receive the messages of the item already.
    if (awaited_ <= item) {
      messages.wait_for_sends();
      messages.begin();
      messages.await(0);
      awaited_ = item + 1;
    }
    read(item);
    return true;
  }

  void end(std::int64_t item) {
    ended_ = item + 1;
    int said = 0;
    if (!outcome_.failed.empty() && !bindings_.skips_failures) said |= ItemAgreements::failure;
    if (bindings_.is_stopped && bindings_.is_stopped()) said |= ItemAgreements::stop;
    agreements_.end(item, said);
    if (bindings_.ended) bindings_.ended(item);
  }

  void read(std::int64_t item) {
    RunMessages& messages = tasks_.messages(item);
    observe(start_task, StepPart::Kind::read, item);
    const double before = now();
    try {
      for (const HeldArray& held : tasks_.plan().held) {
        const ProgramArray& array = tasks_.program().array(held.array);
        if (array.is_input()) bindings_.source(item, array.name)->read(messages.memory().held(held));
      }
    } catch (const InputError& error) {
      messages.fail();
      outcome_.failed.push_back({item, error.what()});
    }
    outcome_.reading += now() - before;
  }

  void run_step(std::int64_t item, int number) {
    RunMessages& messages = tasks_.messages(item);
    observe(step(number).task, StepPart::Kind::wait, item);
    const double before = now();
    messages.wait_before(number);
    messages.await(number);
    if (has_failed(number, messages)) {
      messages.fail();
    } else {
      StreamTimes& times = outcome_.tasks[static_cast<std::size_t>(number) - 1];
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

  /// Returns whether the task was computed.
  bool compute(std::int64_t item, int number) {
    return try_together(item, number, [&] {
      tasks_.run(number, item, [&](const PlanNode& node) {
        observe(step(number).task, StepPart::Kind::compute, item, &node);
        make_progress();
      });
    });
  }

  void write(std::int64_t item, int number) {
    const RankMemory& memory = tasks_.messages(item).memory();
    const double before = now();
    for (const int array : tasks_.program().arrays().ids()) {
      const ProgramArray& written = tasks_.program().array(array);
      if (written.output.empty() || written.producer.task != step(number).task) continue;
      observe(step(number).task, StepPart::Kind::write, item);
      try_together(item, number, [&] {
        const auto sink = bindings_.sink(item, written.output, tasks_.communicators().of(step(number).ranks));
        if (sink == nullptr) return;
        write_block(tasks_.program(), memory, array, intersection(memory.held(array).box, written.written),
                    *sink);
        if (step(number).ranks.front() == tasks_.plan().rank) outcome_.written.push_back(now());
      });
    }
    outcome_.writing += now() - before;
  }

  /// Calls `act`, which all ranks of a group call together. If it fails, so does the item. Returns whether it
  /// has not failed.
  template <class Act>
  bool try_together(std::int64_t item, int number, const Act& act) {
    std::exception_ptr failure;
    keep_first_error(failure, act);
    if (failure == nullptr) return true;
    tasks_.messages(item).fail();
    if (step(number).ranks.front() == tasks_.plan().rank)
      outcome_.failed.push_back({item, message_of(failure)});
    return false;
  }

  /// Returns whether the item has failed on any rank of the group of a step. Collective over the group.
  bool has_failed(int number, const RunMessages& messages) {
    int has_failed = messages.has_failed() ? 1 : 0;
    const std::vector<int>& ranks = step(number).ranks;
    if (ranks.size() > 1)
      MPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT, MPI_MAX, tasks_.communicators().of(ranks));
    return has_failed != 0;
  }

  /// Lets MPI make progress with messages while a task is computed, and begins to receive the messages of the
  /// next item as soon as there is memory for them.
  void make_progress() {
    const bool may_begin = begun_ < limit_ && agreements_.may_begin(begun_);
    const int slots = tasks_.plan().slots;
    for (int slot = 0; slot < slots; ++slot) {
      RunMessages& messages = tasks_.messages(slot);
      const bool is_free = messages.make_progress();
      const bool is_next = &messages == &tasks_.messages(begun_);
      const bool is_in_use = ended_ + slots <= begun_;
      if (!is_free || !is_next || !may_begin || awaited_ > begun_ || is_in_use) continue;
      messages.begin();
      messages.await(0);
      awaited_ = begun_ + 1;
    }
  }

  double now() const { return MPI_Wtime() - began_; }
  void observe(TaskId task, StepPart::Kind kind, std::int64_t item, const PlanNode* node = nullptr) const {
    if (bindings_.begins) bindings_.begins({task, kind, node, item});
  }

  RankTasks& tasks_;
  const StreamBindings& bindings_;
  ItemAgreements agreements_;
  /// The steps of tasks, in the order of their turns in a round.
  std::vector<int> by_turn_;
  StreamOutcome outcome_;
  double began_ = 0;
  /// The first item that no rank begins.
  std::int64_t limit_;
  /// The numbers of items that this rank has begun, has ended, and receives messages of.
  std::int64_t begun_ = 0, ended_ = 0, awaited_ = 0;
};

}  // namespace

StreamOutcome ProgramInstance::run(std::int64_t count, const StreamBindings& bindings) {
  if (!plan().is_stream) throw InternalError("a program plan for one run runs as a stream");
  return StreamRun(*tasks_, count, bindings).run();
}

}  // namespace tessera::group
