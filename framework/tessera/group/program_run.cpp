// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/rank_memory.hpp"
#include "tessera/group/detail/run_messages.hpp"
#include "tessera/group/detail/task_instances.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::group {

class ProgramInstance::Impl {
 public:
  Impl(const Program& program, ProgramPlan plan, MPI_Comm communicator, const Transport& transport);
  void run(const ProgramBindings& bindings);
  const std::vector<StepTimes>& times() const { return times_; }
  const ProgramPlan& plan() const { return plan_; }

 private:
  void observe(int number, StepPart::Kind kind, const ProgramBindings& bindings,
               const PlanNode* node = nullptr) const;
  void wait_before(int number, const ProgramBindings& bindings);
  void run_step(int number, const ProgramBindings& bindings);
  void compute(int number, const ProgramBindings& bindings);
  void stop(int number, const ProgramBindings& bindings);

  const Program& program_;
  ProgramPlan plan_;
  std::optional<RunMessages> messages_;
  GroupCommunicators communicators_;
  /// The plan instances and the sources and sinks of the tasks, by step; empty at the start and the stop.
  std::vector<std::unique_ptr<PlanInstance>> instances_;
  std::vector<TaskEdges> edges_;
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
    messages_.emplace(program_, plan_, communicators_.all().handle());
  });
  for (const RankStep& step : plan_.steps)
    edges_.push_back(step.plan == nullptr ? TaskEdges()
                                          : TaskEdges(program_, step.task, {&messages_->memory()}));
  instances_ = task_instances(program_, plan_, communicators_, transport);
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
    wait_before(number, bindings);
    times.begin = MPI_Wtime() - began;
    times.waited = times.begin - (before - began);
    run_step(number, bindings);
    times.end = MPI_Wtime() - began;
    times_.push_back(times);
  }
}

void ProgramInstance::Impl::observe(int number, StepPart::Kind kind, const ProgramBindings& bindings,
                                    const PlanNode* node) const {
  if (bindings.begins) bindings.begins({plan_.steps[static_cast<std::size_t>(number)].task, kind, node});
}

void ProgramInstance::Impl::wait_before(int number, const ProgramBindings& bindings) {
  observe(number, StepPart::Kind::wait, bindings);
  messages_->wait_before(number);
  const RankStep& step = plan_.steps[static_cast<std::size_t>(number)];
  if (bindings.begins_together && step.plan != nullptr) MPI_Barrier(communicators_.of(step.ranks));
}

void ProgramInstance::Impl::compute(int number, const ProgramBindings& bindings) {
  const auto place = static_cast<std::size_t>(number);
  // After an error tasks compute with any values, because the other ranks of their groups do not know of it
  // yet.
  keep_first_error(failure_, [&] {
    instances_[place]->run(edges_[place].bindings(), [&](const PlanNode& node) {
      observe(number, StepPart::Kind::compute, bindings, &node);
      messages_->make_progress();
    });
  });
}

void ProgramInstance::Impl::run_step(int number, const ProgramBindings& bindings) {
  const RankStep& step = plan_.steps[static_cast<std::size_t>(number)];
  // No message is awaited before the inputs are read, which all ranks may fail to do.
  if (step.task == start_task) {
    observe(number, StepPart::Kind::read, bindings);
    read_inputs(program_, messages_->memory(), bindings);
  }
  if (step.task == stop_task) return stop(number, bindings);
  messages_->await(number);
  if (step.task != start_task) compute(number, bindings);
  observe(number, StepPart::Kind::send, bindings);
  messages_->send(number);
}

void ProgramInstance::Impl::stop(int number, const ProgramBindings& bindings) {
  messages_->wait_for_sends();
  throw_first_error(communicators_.all().handle(), failure_);
  observe(number, StepPart::Kind::write, bindings);
  write_outputs(program_, plan_, messages_->memory(), bindings);
}

ProgramInstance::ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                                 const Transport& transport)
    : impl_(std::make_unique<Impl>(program, std::move(plan), communicator, transport)) {}
ProgramInstance::~ProgramInstance() = default;

void ProgramInstance::run(const ProgramBindings& bindings) { impl_->run(bindings); }
const std::vector<StepTimes>& ProgramInstance::times() const { return impl_->times(); }
const ProgramPlan& ProgramInstance::plan() const { return impl_->plan(); }

namespace {

/// Returns the seconds of each task in the last run, on the slowest rank. Collective.
std::vector<double> task_seconds(MPI_Comm communicator, const Program& program,
                                 const ProgramInstance& instance) {
  std::vector<double> seconds(static_cast<std::size_t>(program.task_count()), 0.0);
  for (const StepTimes& step : instance.times())
    if (step.task >= 0) seconds[static_cast<std::size_t>(step.task)] = step.end - step.begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                communicator);
  return seconds;
}

/// Returns the least seconds of each task in some runs on the first `ranks` ranks. Collective over all ranks.
std::vector<double> least_seconds(MPI_Comm communicator, const Program& program, const Target& target,
                                  int ranks, const ProgramBindings& bindings, int runs,
                                  const Transport& transport) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  ProgramPlan plan;
  collectively(communicator, [&] {
    plan =
        ProgramPlanner(program, data_parallel_groups(program, ranks), target, tessera::ranks_of(communicator))
            .plan(rank);
  });
  ProgramInstance instance(program, std::move(plan), communicator, transport);
  std::vector<double> least(static_cast<std::size_t>(program.task_count()),
                            std::numeric_limits<double>::infinity());
  for (int run = 0; run < runs; ++run) {
    instance.run({bindings.sources, {}});
    const std::vector<double> seconds = task_seconds(communicator, program, instance);
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], seconds[i]);
  }
  return least;
}

}  // namespace

std::vector<std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                   const Target& target, const ProgramBindings& bindings,
                                                   int runs, const Transport& transport) {
  std::vector<std::vector<cost::TimedRanks>> times(static_cast<std::size_t>(program.task_count()));
  for (int ranks : cost::doubling_counts(tessera::ranks_of(communicator))) {
    const std::vector<double> seconds =
        least_seconds(communicator, program, target, ranks, bindings, runs, transport);
    for (std::size_t i = 0; i < times.size(); ++i) times[i].push_back({ranks, seconds[i]});
  }
  return times;
}

}  // namespace tessera::group
