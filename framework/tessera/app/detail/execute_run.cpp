// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/placement.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

/// Returns the number of steps in a node and in all nodes below it, except those in loops.
int steps_outside_loops(const PlanNode& node) {
  if (std::holds_alternative<plan::Repeat>(node.step)) return 0;
  int steps = is_step(node) ? 1 : 0;
  if (const auto* children = children_of(node))
    for (const PlanNode& child : *children) steps += steps_outside_loops(child);
  return steps;
}

/// Executes a run. Holds the objects that record its steps, loops and numbers, and the files that it writes.
class Execution {
 public:
  Execution(RunSetup& setup, const RunPlans& plans)
      : setup_(setup),
        plans_(plans),
        progress_(setup.session.rank(), setup.options.quiet),
        loops_(*setup.pipeline, progress_, setup.session.rank()),
        files_(setup, loops_, plans.mine()),
        checkpoints_(CheckpointedRun::of(setup, plans.mine()), loops_),
        numbers_(*setup.pipeline, setup.numbers) {}

  ExitStatus run() {
    RunPhases& phases = setup_.phases;
    phases.begin(Phase::start);
    setup_.session.start_kokkos(plans_.mine().target.threads);
    progress_.line(description().start_text(setup_.options.verbose));
    phases.begin(Phase::allocate);
    PlanRun plan_run(setup_.session, *setup_.pipeline, plans_.all(), plans_.mine(), choose_messages());
    phases.begin(Phase::open);
    Bindings bindings;
    setup_.inputs.open(bindings);
    Recorder recorder(setup_.session.communicator(), files_.records.recorder_options(), phases);
    bind(bindings, plan_run, recorder);
    run_steps(plan_run, bindings, recorder);
    phases.begin(Phase::finish);
    tell(recorder);
    for (const std::string& path : files_.paths()) progress_.line(fmt::format("wrote {}", path));
    const std::string line = loops_.unfinished();
    if (line.empty() || setup_.application.may_end_by_turns)
      return numbers_.judged(setup_.session, setup_.application, setup_.deck);
    if (setup_.session.rank() == 0) fmt::print(stderr, "{}: {}\n", setup_.application.program, line);
    return ExitStatus::not_converged;
  }

 private:
  RunDescription description() const { return {setup_, plans_.mine(), setup_.deck}; }

  /// Returns how messages are sent. If kernels run on a device, also prints the reason for it.
  Transport choose_messages() {
    const ChosenTransport chosen = chosen_transport(setup_.session, setup_.deck);
    if (!runs_on_host) progress_.line("messages " + chosen.reason);
    return chosen.transport;
  }

  void bind(Bindings& bindings, PlanRun& plan_run, const Recorder& recorder) {
    files_.outputs.listen(bindings, plan_run.instance(),
                          [this, &recorder] { return description().attributes(recorder); });
    numbers_.listen(bindings);
    loops_.listen(bindings);
    checkpoints_.listen(bindings);
  }

  void run_steps(PlanRun& plan_run, const Bindings& bindings, Recorder& recorder) {
    const bool has_bands = band_of(plans_.mine()) != nullptr;
    const int step_count = steps_outside_loops(plans_.mine().root);
    const double seconds = watchdog_seconds(setup_.deck);
    Watchdog watchdog(seconds, end_standstill(setup_.session, setup_.application.program, seconds,
                                              [this](int node) { return name_in(names_, node); }));
    int steps = 0;
    const auto begin_step = [&](const PlanNode& node) {
      recorder.begin(node.id);
      watchdog.begin(node.id);
      if (!has_bands && !loops_.is_inside()) progress_.step(++steps, step_count, name_in(names_, node.id));
    };
    const auto begin_band = [this](const Band& band) { progress_.band(band, passes_of(*setup_.pipeline)); };
    setup_.session.guard(setup_.application.program, [&] { plan_run.run(bindings, begin_step, begin_band); });
    recorder.end();
  }

  /// Prints the numbers and times of the run, and writes the report and the other records.
  void tell(Recorder& recorder) {
    if (!numbers_.empty()) progress_.line(numbers_.text());
    progress_.line(recorder.text(names_));
    recorder.end(setup_.phases);
    Report report;
    if (files_.records.wants_report()) {
      description().add(report, recorder);
      loops_.add(report);
      checkpoints_.add(report);
      numbers_.add(report);
    }
    files_.records.write(report, names_, recorder.events(), &loops_);
  }

  RunSetup& setup_;
  const RunPlans& plans_;
  StepNames names_ = step_names(*setup_.pipeline, plans_.mine());
  Progress progress_;
  LoopRecorder loops_;
  WrittenFiles files_;
  Checkpoints checkpoints_;
  ReportedNumbers numbers_;
};

}  // namespace

std::string RunDescription::start_text(bool verbose) const {
  const std::vector<std::vector<RankPlacement>> gathered =
      gather(setup.session.communicator(),
             std::vector{own_placement(plan.target.threads, peak_bytes_with_next_band(plan))});
  std::vector<RankPlacement> ranks;
  for (const auto& one : gathered) ranks.push_back(one.front());
  if (ranks.empty()) return "";  // a rank other than 0
  std::string text = first_line() + "\n" + build_text(setup.program.build) + "\n" +
                     (verbose ? libraries_text() : "") + layout_text() + placement_text(ranks, verbose);
  for (const std::string& remark : setup.pipeline->remarks()) text += "\n" + remark;
  for (const std::string& warning : {build_warning(setup.program.build), overlap_warning(ranks)})
    if (!warning.empty()) text += "\n" + warning;
  return text;
}

std::string RunDescription::layout_text() const {
  constexpr int most_names = 4;
  const auto grid_of = [this](ArrayId id) { return plan.stages[id].grid.text(); };
  const std::string grid = grid_of(setup.pipeline->find(data().name));
  std::string others;
  int count = 0;
  for (ArrayId id : setup.pipeline->ids()) {
    const bool is_spread = plan.stages[id].placement == Placement::distributed;
    if (!is_spread || (*setup.pipeline)[id].is_everywhere() || grid_of(id) == grid) continue;
    if (++count <= most_names) others += fmt::format(", {} on {}", (*setup.pipeline)[id].name, grid_of(id));
  }
  if (count > most_names) others += ", and more";
  const Band* band = band_of(plan);
  return fmt::format("grid {}{}\n{}", grid, others,
                     band == nullptr ? "" : bands_text(*setup.pipeline, *band));
}

std::string RunDescription::first_line() const {
  return fmt::format("{} {}: {} x {}, {}, MPI threads {}; {} {} {}", setup.application.program, version(),
                     counted(setup.session.rank_count(), "rank"), counted(plan.target.threads, "thread"),
                     backends(), setup.session.thread_level(), input_path(data().name),
                     to_string(data().domain), name_of(data().type));
}

void RunDescription::add(Report& report, const Recorder& recorder) const {
  add_section(report);
  add_steps(report, setup.session.communicator(), *setup.pipeline, plan, recorder);
}

void RunDescription::add_section(Report& report) const {
  std::set<int> nodes;
  for (const RankPlace& place : rank_places(setup.session.communicator())) nodes.insert(place.node);
  report.add("run", {{"program", setup.application.program},
                     {"ranks", setup.session.rank_count()},
                     {"nodes", static_cast<std::int64_t>(nodes.size())},
                     {"threads_per_rank", setup.session.threads()},
                     {"mpi_threads", setup.session.thread_level()},
                     {"exchange", exchange_text(deck)},
                     {"input", input_path("none")},
                     {"points", to_string(data().domain)},
                     {"type", std::string(name_of(data().type))}});
  if (!setup.pipeline->remarks().empty())
    report.add("run", {{"remarks", fmt::format("{}", fmt::join(setup.pipeline->remarks(), "; "))}});
  report.add("run", {{"versions", version_text(setup.application.program, setup.program.build)},
                     {"deck", deck::print(deck)}});
}

std::vector<io::FileAttribute> RunDescription::attributes(const Recorder& recorder) const {
  std::vector<io::FileAttribute> attributes =
      result_attributes(setup.application, deck, *setup.pipeline, setup.result_name, plan);
  attributes.push_back({"steps", recorder.text(step_names(*setup.pipeline, plan))});
  return attributes;
}

const ArrayDeclaration& RunDescription::data() const {
  const Algorithm& pipeline = *setup.pipeline;
  return pipeline[pipeline.find(setup.inputs.image() == nullptr ? setup.result_name : "input")];
}

std::string RunDescription::input_path(const std::string& otherwise) const {
  return setup.inputs.image() == nullptr ? otherwise : setup.inputs.files().front().path;
}

ExitStatus execute_run(RunSetup& setup, const RunPlans& plans) {
  setup.phases.begin(Phase::open);
  return Execution(setup, plans).run();
}

}  // namespace tessera::app
