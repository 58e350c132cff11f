// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <optional>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/program_parts.hpp"
#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/program_report.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/run_description.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/task_costs.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/group/charts.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The number of runs of a profile, of which the fastest one counts.
constexpr int profile_runs = 5;

int nodes_of(const Plan& plan) {
  int count = 0;
  walk(plan.root, [&count](const PlanNode&) { ++count; });
  return count;
}

/// Executes a program. Holds the files that it writes.
class ProgramExecution {
 public:
  ProgramExecution(RunSetup& setup, const RunPlans& whole, const ProgramPlans& programs)
      : setup_(setup),
        programs_(programs),
        plan_(planned(setup, programs)),
        described_(described_plan(*setup.pipeline, whole.mine(), programs.program(), plan_)),
        progress_(setup.session.rank(), setup.options.quiet),
        history_(*setup.pipeline, setup.session.rank()),
        files_(setup, history_, whole.mine().target.threads),
        numbers_(*setup.pipeline, setup.numbers) {
    std::vector<std::string> taken = setup.read_files();
    for (const auto& paths : {files_.outputs.paths(), files_.records.paths()})
      taken.insert(taken.end(), paths.begin(), paths.end());
    const std::string profile = setup.deck.text_of("program.profile"),
                      chart = setup.deck.text_of("program.chart");
    check_names(taken, {{"program.profile", profile}, {"program.chart", chart}});
    if (!profile.empty()) profile_.emplace(setup.session.communicator(), profile);
    if (!chart.empty()) chart_.emplace(setup.session.communicator(), chart);
  }

  ExitStatus run(RunPhases& phases) {
    phases.begin(Phase::start);
    setup_.session.start_kokkos(programs_.target().threads);
    progress_.line(description().start_text(setup_.options.verbose));
    for (const std::string& line : programs_.remarks()) progress_.line(line);
    phases.begin(Phase::allocate);
    const Transport transport = chosen_transport(setup_.session, setup_.deck).transport;
    Bindings bindings;
    setup_.inputs.open(bindings);
    if (profile_) guarded([&] { write_profile(bindings, transport); });
    group::ProgramInstance instance(programs_.program(), plan_, setup_.session.communicator(), transport);
    phases.begin(Phase::open);
    const ProgramParts parts(setup_.session.communicator(), programs_, plan_, nodes_of(described_));
    StepRecorder recorder(setup_.session.communicator(), described_, files_.records.recorder_options(),
                          phases);
    files_.outputs.listen(bindings, nullptr,
                          [this, &recorder] { return description().attributes(recorder); });
    numbers_.listen(bindings);
    run_steps(instance, bindings, parts, recorder);
    phases.begin(Phase::finish);
    return tell(instance, parts, recorder, phases);
  }

 private:
  /// Returns the plan of this rank. Collective.
  static group::ProgramPlan planned(const RunSetup& setup, const ProgramPlans& programs) {
    group::ProgramPlan plan;
    collectively(setup.session.communicator(), [&] { plan = programs.planner().plan(setup.session.rank()); });
    return plan;
  }

  RunDescription description() const {
    return {setup_.session, setup_.application, setup_.build,       setup_.deck,
            setup_.inputs,  *setup_.pipeline,   setup_.result_name, described_};
  }

  void write_profile(const Bindings& bindings, const Transport& transport) {
    MeasuredTasks measured;
    measured.processor = cost::own_processor();
    measured.threads = programs_.target().threads;
    const group::Program undivided = undivided_program(setup_);
    for (const group::Program* program : {&programs_.program(), &undivided}) {
      const auto times = group::profile(setup_.session.communicator(), *program, programs_.target(),
                                        {bindings.sources, {}}, profile_runs, transport);
      for (std::size_t task = 0; task < times.size(); ++task)
        measured.tasks[program->tasks()[task].name] = times[task];
    }
    profile_->write(measured_text(measured));
    progress_.line(fmt::format("wrote {}", setup_.deck.text_of("program.profile")));
  }

  void run_steps(group::ProgramInstance& instance, const Bindings& bindings, const ProgramParts& parts,
                 StepRecorder& recorder) {
    PartsWatchdog watchdog(setup_, parts);
    if (const std::string remark = watchdog.remark(); !remark.empty()) progress_.line(remark);
    const auto begin = [&](const group::StepPart& part) {
      recorder.begin(parts.number_of(part));
      watchdog.begin(part);
    };
    guarded([&] { instance.run({bindings.sources, bindings.sinks, begin, watchdog.watches()}); });
    recorder.end();
  }

  /// Runs `act`. If it throws an error that other ranks do not know of, aborts the job.
  template <class Act>
  void guarded(const Act& act) {
    try {
      act();
    } catch (const std::exception& error) {
      if (all_ranks_know(error)) throw;
      // The job is aborted here, before files are closed, because closing a file is collective.
      setup_.session.abort(setup_.application.program, error);
    }
  }

  /// Prints the numbers and times of the run, and writes the report. Returns the exit status.
  ExitStatus tell(const group::ProgramInstance& instance, const ProgramParts& parts, StepRecorder& recorder,
                  RunPhases& phases) {
    if (!numbers_.empty()) progress_.line(numbers_.text());
    phases.end();
    recorder.add(phases.spans().back());
    const TaskTimes times(setup_.session.communicator(), programs_, instance);
    progress_.line(times.text());
    Report report;
    if (files_.records.wants_report()) {
      description().add(report, recorder);
      times.add(report);
      numbers_.add(report);
    }
    const auto trace = [&parts](const auto& events) { return parts.trace_text(events); };
    files_.records.write(report, trace, recorder, history_);
    if (chart_) chart_->write(times.chart());
    for (const auto& paths : {files_.outputs.paths(), files_.records.paths()})
      for (const std::string& path : paths) progress_.line(fmt::format("wrote {}", path));
    const std::string line = numbers_.judged(setup_.session.communicator(), setup_.application, setup_.deck);
    if (!line.empty() && setup_.session.rank() == 0)
      fmt::print(stderr, "{}: {}\n", setup_.application.program, line);
    return line.empty() ? ExitStatus::done : ExitStatus::beyond_tolerance;
  }

  RunSetup& setup_;
  const ProgramPlans& programs_;
  /// The plan of this rank, and the plan that describes it in texts and reports.
  group::ProgramPlan plan_;
  Plan described_;
  Progress progress_;
  LoopHistory history_;
  WrittenFiles files_;
  ReportedNumbers numbers_;
  std::optional<io::TextFile> profile_, chart_;
};

}  // namespace

std::optional<ExitStatus> run_program_of_tasks(RunSetup& setup, RunPhases& phases) {
  // The tasks may fit into memory where the undivided pipeline does not.
  const RunPlans whole(setup, false);
  const ProgramPlans programs(setup, whole);
  if (programs.is_whole() && !setup.deck.is_set("program.profile")) {
    // The start of the run, its report and --explain show remarks.
    for (const std::string& line : programs.remarks()) setup.pipeline->remark(line);
    return std::nullopt;
  }
  collectively(setup.session.communicator(),
               [&] { check_program_keys(setup.application, setup.deck, setup.options); });
  if (setup.options.only_plans()) {
    show_program(setup, programs);
    return ExitStatus::done;
  }
  phases.begin(Phase::open);
  return ProgramExecution(setup, whole, programs).run(phases);
}

}  // namespace tessera::app
