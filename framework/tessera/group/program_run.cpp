// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/group_communicators.hpp"
#include "tessera/group/detail/program_ends.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/detail/task_edges.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/large_message.hpp"

namespace tessera::group {

class ProgramInstance::Impl {
 public:
  Impl(const Program& program, ProgramPlan plan, MPI_Comm communicator, const Transport& transport);
  void run(const ProgramBindings& bindings);
  const std::vector<StepTimes>& times() const { return times_; }
  const ProgramPlan& plan() const { return plan_; }

 private:
  void make_instances(const Transport& transport);
  /// Calls `act`. Keeps an error that all ranks of a group throw together, if it is the first one. Other
  /// errors are thrown: the other ranks of the group wait for this rank, and the job has to be aborted.
  template <class Act>
  void keep_first_error(const Act& act);
  /// Throws the first error that a rank has kept, on all ranks. Collective.
  void throw_first_error();
  void run_step(int number, const ProgramBindings& bindings);
  /// Waits until the messages of earlier steps are gone whose memory this step may use, and until those have
  /// arrived that it reads.
  void wait_before(int number);
  void await_messages(int number);
  void send_messages(int number);
  void compute(int number);
  /// Lets MPI make progress with messages while a task is computed.
  void make_progress();
  void stop(const ProgramBindings& bindings);

  const Program& program_;
  ProgramPlan plan_;
  std::optional<RankMemory> memory_;
  GroupCommunicators communicators_;
  /// The plan instances and the sources and sinks of the tasks, by step; empty at the start and the stop.
  std::vector<std::unique_ptr<PlanInstance>> instances_;
  std::vector<TaskEdges> edges_;
  /// The requests of the messages, in the order of ProgramPlan::sends and ProgramPlan::receives.
  std::vector<MPI_Request> sends_, receives_;
  /// The first error of a task on this rank. Later tasks are computed all the same, as other ranks wait for
  /// them, but nothing is written.
  std::exception_ptr failure_;
  std::vector<StepTimes> times_;
};

ProgramInstance::Impl::Impl(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                            const Transport& transport)
    : program_(program), plan_(std::move(plan)), communicators_(communicator) {
  collectively(communicator, [&] {
    if (communicators_.all().size() != plan_.rank_count || communicators_.all().rank() != plan_.rank)
      throw InternalError(fmt::format("a program plan for rank {} of {} on rank {} of {}", plan_.rank,
                                      plan_.rank_count, communicators_.all().rank(),
                                      communicators_.all().size()));
    memory_.emplace(program_, plan_);
  });
  sends_.assign(plan_.sends.size(), MPI_REQUEST_NULL);
  receives_.assign(plan_.receives.size(), MPI_REQUEST_NULL);
  make_instances(transport);
}

void ProgramInstance::Impl::make_instances(const Transport& transport) {
  ArrayMemory shared;
  shared.at_least = plan_.array_bytes;
  for (const RankStep& step : plan_.steps) {
    instances_.emplace_back();
    edges_.emplace_back();
    if (step.plan == nullptr) continue;
    edges_.back() = TaskEdges(program_, step.task, {&*memory_});
    // If a group has no instance, its ranks go on all the same, as other groups wait for them.
    keep_first_error([&] {
      instances_.back() =
          std::make_unique<PlanInstance>(program_.task(step.task).pipeline, *step.plan,
                                         communicators_.of(step.ranks), transport, HostMode::kernels, shared);
      // The tasks use the same memory one after the other: a task fills its inputs before it reads them.
      shared = instances_.back()->memory();
    });
  }
  throw_first_error();
}

template <class Act>
void ProgramInstance::Impl::keep_first_error(const Act& act) {
  const auto keep = [this] {
    if (failure_ == nullptr) failure_ = std::current_exception();
  };
  try {
    act();
  } catch (const InputError&) {
    keep();
  } catch (const DivergedError&) {
    keep();
  } catch (const AgreedInternalError&) {
    keep();
  }
}

void ProgramInstance::Impl::throw_first_error() {
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  collectively(communicators_.all().handle(), [&failure] {
    if (failure != nullptr) std::rethrow_exception(failure);
  });
}

void ProgramInstance::Impl::run(const ProgramBindings& bindings) {
  failure_ = nullptr;
  times_.clear();
  // The ranks begin together, so that their times can be compared.
  MPI_Barrier(communicators_.all().handle());
  const double began = MPI_Wtime();
  for (int number = 0; number < static_cast<int>(plan_.steps.size()); ++number) {
    StepTimes times;
    times.task = plan_.steps[static_cast<std::size_t>(number)].task;
    const double before = MPI_Wtime();
    wait_before(number);
    times.begin = MPI_Wtime() - began;
    times.waited = times.begin - (before - began);
    run_step(number, bindings);
    times.end = MPI_Wtime() - began;
    times_.push_back(times);
  }
}

void ProgramInstance::Impl::wait_before(int number) {
  for (std::size_t i = 0; i < sends_.size(); ++i)
    if (plan_.sends[i].steps.last < number) MPI_Wait(&sends_[i], MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < receives_.size(); ++i)
    if (plan_.receives[i].first_use == number) MPI_Wait(&receives_[i], MPI_STATUS_IGNORE);
}

void ProgramInstance::Impl::await_messages(int number) {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const Parcel& parcel = plan_.receives[i];
    if (parcel.steps.first != number) continue;
    const LargeMessage message(parcel.bytes);
    MPI_Irecv(memory_->message(parcel), message.count(), message.type(), parcel.partner, parcel.array,
              communicators_.all().handle(), &receives_[i]);
  }
}

void ProgramInstance::Impl::send_messages(int number) {
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    const Parcel& parcel = plan_.sends[i];
    if (parcel.steps.first != number) continue;
    memory_->pack(parcel);
    const LargeMessage message(parcel.bytes);
    MPI_Isend(memory_->message(parcel), message.count(), message.type(), parcel.partner, parcel.array,
              communicators_.all().handle(), &sends_[i]);
  }
}

void ProgramInstance::Impl::make_progress() {
  int are_done = 0;
  if (!receives_.empty())
    MPI_Testall(static_cast<int>(receives_.size()), receives_.data(), &are_done, MPI_STATUSES_IGNORE);
  if (!sends_.empty())
    MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &are_done, MPI_STATUSES_IGNORE);
}

void ProgramInstance::Impl::compute(int number) {
  const auto place = static_cast<std::size_t>(number);
  // After an error tasks compute with any values, because the other ranks of their groups do not know of it
  // yet.
  keep_first_error([&] {
    instances_[place]->run(edges_[place].bindings(), [this](const PlanNode&) { make_progress(); });
  });
}

void ProgramInstance::Impl::run_step(int number, const ProgramBindings& bindings) {
  const RankStep& step = plan_.steps[static_cast<std::size_t>(number)];
  // No message is awaited before the inputs are read, which all ranks may fail to do.
  if (step.task == start_task) read_inputs(program_, *memory_, bindings);
  if (step.task == stop_task) return stop(bindings);
  await_messages(number);
  if (step.task != start_task) compute(number);
  send_messages(number);
}

void ProgramInstance::Impl::stop(const ProgramBindings& bindings) {
  MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  throw_first_error();
  write_outputs(program_, plan_, *memory_, bindings);
}

ProgramInstance::ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                                 const Transport& transport)
    : impl_(std::make_unique<Impl>(program, std::move(plan), communicator, transport)) {}
ProgramInstance::~ProgramInstance() = default;

void ProgramInstance::run(const ProgramBindings& bindings) { impl_->run(bindings); }
const std::vector<StepTimes>& ProgramInstance::times() const { return impl_->times(); }
const ProgramPlan& ProgramInstance::plan() const { return impl_->plan(); }

}  // namespace tessera::group
