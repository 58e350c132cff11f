// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_run.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include "tessera/group/detail/rank_tasks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::group {

namespace {

/// A run of a program that is no stream.
class SingleRun {
 public:
  SingleRun(RankTasks& tasks, const ProgramBindings& bindings)
      : tasks_(tasks), bindings_(bindings), messages_(tasks.messages(0)) {}

  StreamOutcome run() {
    StreamOutcome outcome;
    outcome.begun = 1;
    // The ranks begin together, so that their times can be compared.
    MPI_Barrier(tasks_.communicators().all().handle());
    const double began = MPI_Wtime();
    for (int number = 0; number < static_cast<int>(tasks_.plan().steps.size()); ++number) {
      const double before = MPI_Wtime();
      wait_before(number);
      const double begin = MPI_Wtime();
      run_step(number);
      outcome.tasks.push_back(
          {tasks_.step(number).task, 1, 0, begin - began, MPI_Wtime() - began, begin - before});
    }
    return outcome;
  }

 private:
  void observe(int number, StepPart::Kind kind, const PlanNode* node = nullptr) const {
    if (bindings_.begins) bindings_.begins({tasks_.step(number).task, kind, node});
  }

  void wait_before(int number) {
    observe(number, StepPart::Kind::wait);
    messages_.wait_before(number);
    const RankStep& step = tasks_.step(number);
    if (bindings_.begins_together && step.plan != nullptr) MPI_Barrier(tasks_.communicators().of(step.ranks));
  }

  void run_step(int number) {
    const RankStep& step = tasks_.step(number);
    // Ranks may fail to read the inputs, so no message is awaited before.
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

  void compute(int number) {
    // After an error tasks compute with any values, because the other ranks of their groups do not know of it
    // yet.
    keep_first_error(failure_, [&] {
      tasks_.run(number, 0, [&](const PlanNode& node) {
        observe(number, StepPart::Kind::compute, &node);
        messages_.make_progress();
      });
    });
  }

  void stop(int number) {
    messages_.wait_for_sends();
    throw_first_error(tasks_.communicators().all().handle(), failure_);
    observe(number, StepPart::Kind::write);
    write_outputs(tasks_.program(), tasks_.plan(), messages_.memory(), bindings_);
  }

  RankTasks& tasks_;
  const ProgramBindings& bindings_;
  RunMessages& messages_;
  /// The first error of a task on this rank. Later tasks are computed all the same, as other ranks wait for
  /// them, but nothing is written.
  std::exception_ptr failure_;
};

}  // namespace

ProgramInstance::ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                                 const Transport& transport)
    : tasks_(std::make_unique<RankTasks>(program, std::move(plan), communicator, transport)) {}
ProgramInstance::~ProgramInstance() = default;

StreamOutcome ProgramInstance::run(const ProgramBindings& bindings) {
  return SingleRun(*tasks_, bindings).run();
}
const ProgramPlan& ProgramInstance::plan() const { return tasks_->plan(); }

namespace {

/// Returns the seconds of each task on the slowest rank, in the fastest of some runs on the first `ranks`
/// ranks. Collective over all ranks.
IdVector<TaskId, double> least_seconds(MPI_Comm communicator, const Program& program, const Target& target,
                                       int ranks, const ProgramBindings& bindings, int runs,
                                       const Transport& transport) {
  ProgramPlan plan;
  collectively(communicator, [&] {
    const GroupSchedule schedule = data_parallel_schedule(program, ranks, tessera::ranks_of(communicator));
    plan = ProgramPlanner(program, schedule, target).plan(rank_in(communicator));
  });
  ProgramInstance instance(program, std::move(plan), communicator, transport);
  IdVector<TaskId, double> least(program.task_count(), std::numeric_limits<double>::infinity());
  for (int run = 0; run < runs; ++run) {
    const StreamOutcome outcome = instance.run({bindings.sources, {}});
    IdVector<TaskId, double> seconds(program.task_count(), 0.0);
    for (const StreamTimes& step : outcome.tasks)
      if (seconds.contains(step.task)) seconds[step.task] = step.ends - step.begins;
    MPI_Allreduce(MPI_IN_PLACE, seconds.values().data(), seconds.size(), MPI_DOUBLE, MPI_MAX, communicator);
    for (const TaskId task : least.ids()) least[task] = std::min(least[task], seconds[task]);
  }
  return least;
}

}  // namespace

IdVector<TaskId, std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                        const Target& target, const ProgramBindings& bindings,
                                                        int runs, const Transport& transport) {
  IdVector<TaskId, std::vector<cost::TimedRanks>> times(program.task_count());
  for (int ranks : cost::doubling_counts(tessera::ranks_of(communicator))) {
    const auto seconds = least_seconds(communicator, program, target, ranks, bindings, runs, transport);
    for (const TaskId task : times.ids()) times[task].push_back({ranks, seconds[task]});
  }
  return times;
}

}  // namespace tessera::group
