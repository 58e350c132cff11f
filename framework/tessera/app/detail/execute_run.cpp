// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_description.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {
namespace {

/// Executes a run. Holds the objects that record its steps, loops and numbers, and the files that it writes.
class Execution {
 public:
  Execution(RunSetup& setup, const RunPlans& plans)
      : setup_(setup),
        plans_(plans),
        progress_(setup.session.rank(), setup.options.quiet),
        loops_(*setup.pipeline, progress_, setup.session.rank()),
        files_(setup, loops_.history(), plans.mine().target.threads),
        checkpoints_(
            CheckpointedRun::of(setup.session, setup.application, setup.deck, *setup.pipeline, plans.mine()),
            loops_.history(), progress_),
        numbers_(*setup.pipeline, setup.numbers) {}

  ExitStatus run(RunPhases& phases) {
    phases.begin(Phase::start);
    setup_.session.start_kokkos(plans_.mine().target.threads);
    progress_.line(description().start_text(setup_.options.verbose));
    phases.begin(Phase::allocate);
    PlanRun plan_run(setup_.session, *setup_.pipeline, plans_.all(), plans_.mine(), choose_messages());
    phases.begin(Phase::open);
    Bindings bindings;
    setup_.inputs.open(bindings);
    StepRecorder recorder(setup_.session.communicator(), plans_.mine(), files_.records.recorder_options(),
                          phases);
    bind(bindings, plan_run, recorder);
    run_steps(plan_run, bindings, recorder);
    phases.begin(Phase::finish);
    tell(recorder, phases);
    const auto [status, shortcoming] = judged();
    for (const std::string& path : files_.paths()) progress_.line(fmt::format("wrote {}", path));
    if (status != ExitStatus::done && setup_.session.rank() == 0)
      fmt::print(stderr, "{}: {}\n", setup_.application.program, shortcoming);
    return status;
  }

 private:
  RunDescription description() const {
    return {setup_.session, setup_.application, setup_.build,       setup_.deck,
            setup_.inputs,  *setup_.pipeline,   setup_.result_name, plans_.mine()};
  }

  /// Returns the way in which messages are sent. If kernels run on a device, also prints the reason for it.
  Transport choose_messages() {
    const ChosenTransport chosen = chosen_transport(setup_.session, setup_.deck);
    if (!runs_on_host) progress_.line("messages " + chosen.reason);
    return chosen.transport;
  }

  void bind(Bindings& bindings, PlanRun& plan_run, const StepRecorder& recorder) {
    files_.outputs.listen(bindings, plan_run.instance(),
                          [this, &recorder] { return description().attributes(recorder); });
    numbers_.listen(bindings);
    loops_.listen(bindings);
    checkpoints_.listen(bindings);
  }

  void run_steps(PlanRun& plan_run, const Bindings& bindings, StepRecorder& recorder) {
    const bool has_bands = band_of(plans_.mine()) != nullptr;
    const int step_count = steps_outside_loops(plans_.mine().root);
    const double seconds = watchdog_seconds(setup_.deck);
    Watchdog watchdog(seconds, [this, seconds](int node, double limit) {
      end_standstill(setup_.session, setup_.application.program, seconds, limit, label_of(node));
    });
    int steps = 0;
    const auto begin_step = [&](const PlanNode& node) {
      recorder.begin(node);
      watchdog.begin(node.id);
      if (!has_bands && !loops_.is_inside())
        progress_.step(++steps, step_count, step_label(*setup_.pipeline, node));
    };
    const auto begin_band = [this](const Band& band) { progress_.band(band, passes_of(*setup_.pipeline)); };
    setup_.session.guard(setup_.application.program, [&] { plan_run.run(bindings, begin_step, begin_band); });
    recorder.end();
  }

  /// Prints the numbers and times of the run, and writes the report and the other records.
  void tell(StepRecorder& recorder, RunPhases& phases) {
    if (!numbers_.empty()) progress_.line(numbers_.text());
    progress_.line(recorder.text());
    recorder.end(phases);
    Report report;
    if (files_.records.wants_report()) {
      description().add(report, recorder);
      loops_.add(report);
      checkpoints_.add(report);
      numbers_.add(report);
    }
    const auto trace = [this](const auto& events) {
      return trace_text(*setup_.pipeline, plans_.mine(), events);
    };
    files_.records.write(report, trace, recorder, loops_.history());
  }

  /// Returns the exit status of the run. If it is not `done`, also returns a line that says why: a loop did
  /// not converge, or the numbers of the run do not meet the demands of the deck.
  std::pair<ExitStatus, std::string> judged() const {
    if (const std::string line = loops_.unfinished(); !line.empty() && !setup_.application.may_end_by_turns)
      return {ExitStatus::not_converged, line};
    const std::string line = numbers_.judged(setup_.session.communicator(), setup_.application, setup_.deck);
    return {line.empty() ? ExitStatus::done : ExitStatus::beyond_tolerance, line};
  }

  /// Returns the label of a step of the plan; an empty text if there is no such step.
  std::string label_of(int node) const {
    std::string label;
    walk(plans_.mine().root, [&](const PlanNode& one) {
      if (one.id == node) label = step_label(*setup_.pipeline, one);
    });
    return label;
  }

  RunSetup& setup_;
  const RunPlans& plans_;
  Progress progress_;
  LoopRecorder loops_;
  WrittenFiles files_;
  Checkpoints checkpoints_;
  ReportedNumbers numbers_;
};

}  // namespace

ExitStatus execute_run(RunSetup& setup, const RunPlans& plans, RunPhases& phases) {
  phases.begin(Phase::open);
  check_comparison(setup, plans.mine());
  return Execution(setup, plans).run(phases);
}

}  // namespace tessera::app
