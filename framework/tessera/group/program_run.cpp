// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_run.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include "tessera/group/detail/task_instances.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::group {

namespace {

/// A run of a program that is no stream.
class SingleRun {
 public:
  SingleRun(RankTasks& tasks, const ProgramBindings& bindings)
      : tasks_(tasks), bindings_(bindings), messages_(tasks.messages(0)) {}
  std::vector<StepTimes> run();

 private:
  void observe(int number, StepPart::Kind kind, const PlanNode* node = nullptr) const {
    if (bindings_.begins) bindings_.begins({tasks_.step(number).task, kind, node});
  }
  void wait_before(int number);
  void run_step(int number);
  void compute(int number);
  void stop(int number);

  RankTasks& tasks_;
  const ProgramBindings& bindings_;
  RunMessages& messages_;
  /// The first error of a task on this rank. Later tasks are computed all the same, as other ranks wait for
  /// them, but nothing is written.
  std::exception_ptr failure_;
};

std::vector<StepTimes> SingleRun::run() {
  std::vector<StepTimes> all;
  // The ranks begin together, so that their times can be compared.
  MPI_Barrier(tasks_.communicators().all().handle());
  const double began = MPI_Wtime();
  for (int number = 0; number < static_cast<int>(tasks_.plan().steps.size()); ++number) {
    StepTimes times;
    times.task = tasks_.step(number).task;
    const double before = MPI_Wtime();
    wait_before(number);
    times.begin = MPI_Wtime() - began;
    times.waited = times.begin - (before - began);
    run_step(number);
    times.end = MPI_Wtime() - began;
    all.push_back(times);
  }
  return all;
}

void SingleRun::wait_before(int number) {
  observe(number, StepPart::Kind::wait);
  messages_.wait_before(number);
  const RankStep& step = tasks_.step(number);
  if (bindings_.begins_together && step.plan != nullptr) MPI_Barrier(tasks_.communicators().of(step.ranks));
}

void SingleRun::compute(int number) {
  // After an error tasks compute with any values, because the other ranks of their groups do not know of it
  // yet.
  keep_first_error(failure_, [&] {
    tasks_.run(number, 0, [&](const PlanNode& node) {
      observe(number, StepPart::Kind::compute, &node);
      messages_.make_progress();
    });
  });
}

void SingleRun::run_step(int number) {
  const RankStep& step = tasks_.step(number);
  // No message is awaited before the inputs are read, which all ranks may fail to do.
  if (step.task == start_task) {
    observe(number, StepPart::Kind::read);
    read_inputs(tasks_.program(), messages_.memory(), bindings_);
  }
  if (step.task == stop_task) return stop(number);
  messages_.await(number);
  if (step.task != start_task) compute(number);
  observe(number, StepPart::Kind::send);
  messages_.send(number);
}

void SingleRun::stop(int number) {
  messages_.wait_for_sends();
  throw_first_error(tasks_.communicators().all().handle(), failure_);
  observe(number, StepPart::Kind::write);
  write_outputs(tasks_.program(), tasks_.plan(), messages_.memory(), bindings_);
}

}  // namespace

ProgramInstance::ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                                 const Transport& transport)
    : tasks_(std::make_unique<RankTasks>(program, std::move(plan), communicator, transport)) {}
ProgramInstance::~ProgramInstance() = default;

void ProgramInstance::run(const ProgramBindings& bindings) { times_ = SingleRun(*tasks_, bindings).run(); }
const ProgramPlan& ProgramInstance::plan() const { return tasks_->plan(); }

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
