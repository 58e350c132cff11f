// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/cost/estimate.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {
namespace {

constexpr double milliseconds = 1e3;

cost::PlanEstimates estimates_of(const Algorithm& pipeline, const Plans& plans,
                                 const EstimateSetting& setting) {
  cost::PlanEstimates estimates;
  RankClasses classes;
  for (int rank = 0; rank < plans.rank_count(); ++rank) {
    const Plan plan = plans.of(rank);
    const std::size_t known = classes.classes().size();
    classes.add(plan);
    // Where some messages go between nodes, and others do not, the ranks of a class do not cost the same.
    if (classes.classes().size() > known || setting.machine.between_nodes)
      estimates.add(cost::estimate(pipeline, plan, setting.machine, setting.costs));
  }
  return estimates;
}

constexpr const char* loops_note = "loops count with their greatest number of turns\n";
constexpr const char* files_note =
    "files count nothing, as the machine file has no file.read or file.write\n";

std::string costs_note(const cost::RankEstimate& rank, const EstimateSetting& setting) {
  if (std::ranges::none_of(rank.steps, &cost::StepEstimate::assumes_costs)) return {};
  return fmt::format(
      "{}'assumed': no costs of stages are known, and accesses in the nearest cache stand for arithmetic; "
      "give "
      "--costs FILE.json, a report of a run\n",
      setting.costs_file.empty() ? "" : "some steps are ");
}

std::string nodes_note(int ranks, int threads, const EstimateSetting& setting) {
  const std::int64_t on_node = cost::ranks_per_node(setting.machine, threads);
  const std::int64_t nodes = (ranks + on_node - 1) / on_node;
  std::string text;
  if (nodes > setting.machine.nodes)
    text = fmt::format("{} of {} need {}, and the machine has {}: estimated as if it had more\n",
                       counted(ranks, "rank"), counted(threads, "thread"), counted(nodes, "node"),
                       setting.machine.nodes);
  if (nodes > 1 && !setting.machine.between_nodes)
    text +=
        "messages between nodes cost as much as those within, as the machine file has no network.between\n";
  return text;
}

std::string machine_note(const EstimateSetting& setting) {
  if (setting.machine_file.empty())
    return "no --machine is given, so it is some laptop: tessera-calibrate describes this machine\n";
  const std::string difference = cost::difference_from_own(setting.machine);
  return difference.empty() ? "" : fmt::format("{}: {}\n", setting.machine_file, difference);
}

/// Returns "known" or "assumed" for the costs of the points of a step, or "-" if the step computes no points.
std::string costs_word(const PlanNode& node, const cost::StepEstimate& step) {
  if (!std::holds_alternative<plan::Compute>(node.step)) return "-";
  return step.assumes_costs ? "assumed" : "known";
}

void add_step_row(Report& report, const cost::RankEstimate& rank, const cost::StepEstimate& step,
                  const std::string& label, const std::string& costs) {
  report.add_row("steps", {{"node", std::int64_t{step.node}},
                           {"step", label},
                           {"times", step.times},
                           {"milliseconds", step.seconds * milliseconds},
                           {"share", rank.seconds > 0 ? step.seconds / rank.seconds : 0.0},
                           {"bound_by", std::string(cost::name_of(step.bound))},
                           {"costs", costs}});
}

std::string machine_label(const EstimateSetting& setting) {
  return setting.machine_file.empty() ? setting.machine.name
                                      : fmt::format("{} ({})", setting.machine.name, setting.machine_file);
}

/// Adds lines to the section `estimate`. Each line ends with a line feed.
void add_notes(Report& report, const std::string& notes) {
  if (!notes.empty()) report.add("estimate", {{"notes", notes.substr(0, notes.size() - 1)}});
}

/// On rank 0, prints the report that `make` returns, and writes it to the file of --report if one is named.
/// The file must not be one of `taken`. Collective.
void tell_estimate(const Session& session, const Options& options, std::vector<std::string> taken,
                   const std::function<Report()>& make) {
  const std::string path = options.report == "-" ? "" : options.report;
  for (const std::string& read : {options.machine, options.costs})
    if (!read.empty()) taken.push_back(read);
  print_and_write(session, taken, {{"command line: --report", path}}, [&] {
    const Report report = make();
    return std::vector{report.text(), report.text_for(path)};
  });
}

Report work_report(const Launch& launch, int ranks, int threads, const cost::Work& work) {
  const EstimateSetting setting = estimate_setting(launch.options);
  const cost::RankEstimate rank = cost::estimate(work, setting.machine, ranks, threads);
  Report report;
  report.add("estimate", {{"machine", machine_label(setting)},
                          {"ranks", std::int64_t{ranks}},
                          {"threads_per_rank", std::int64_t{threads}},
                          {"milliseconds", rank.seconds * milliseconds}});
  std::string notes = machine_note(setting) + nodes_note(ranks, threads, setting);
  if (launch.program.kind == JobKind::iteration) notes += loops_note;
  for (const std::string& note : work.notes) notes += note + "\n";
  const auto lacks_speed = [&machine = setting.machine](const cost::WorkPart& part) {
    return (part.read_bytes > 0 && machine.file_read <= 0) ||
           (part.written_bytes > 0 && machine.file_write <= 0);
  };
  if (std::ranges::any_of(work.parts, lacks_speed)) notes += files_note;
  add_notes(report, notes);
  for (std::size_t i = 0; i < work.parts.size(); ++i)
    add_step_row(report, rank, rank.steps[i], work.parts[i].name,
                 work.parts[i].operations > 0 ? "known" : "-");
  return report;
}

}  // namespace

Report estimate_report(const Algorithm& pipeline, const Plans& plans, const EstimateSetting& setting) {
  const cost::PlanEstimates all = estimates_of(pipeline, plans, setting);
  const int shown_rank = setting.rank < 0 ? all.slowest().rank : setting.rank;
  const Plan plan = plans.of(shown_rank);
  const cost::RankEstimate shown = cost::estimate(pipeline, plan, setting.machine, setting.costs);
  Report report;
  report.add("estimate", {{"machine", machine_label(setting)},
                          {"costs_of_stages", setting.costs_file.empty() ? "assumed" : setting.costs_file},
                          {"ranks", std::int64_t{plans.rank_count()}},
                          {"threads_per_rank", std::int64_t{plan.target.threads}},
                          {"milliseconds", all.slowest().seconds * milliseconds},
                          {"slowest_rank", std::int64_t{all.slowest().rank}},
                          {"milliseconds_of_fastest", all.fastest().seconds * milliseconds},
                          {"milliseconds_if_all_wait", all.seconds_if_all_wait() * milliseconds},
                          {"steps_of_rank", std::int64_t{shown_rank}}});
  std::string notes = machine_note(setting) + nodes_note(plan.rank_count, plan.target.threads, setting);
  if (plan.target.device) notes += "this build computes on devices, which machine files do not describe\n";
  notes += costs_note(shown, setting);
  if (!pipeline.loops().empty()) notes += loops_note;
  if (std::ranges::count(shown.steps, cost::Bound::unknown, &cost::StepEstimate::bound) > 0)
    notes += files_note;
  add_notes(report, notes);
  auto step = shown.steps.begin();
  walk(plan.root, [&](const PlanNode& node) {
    if (step == shown.steps.end() || step->node != node.id) return;
    add_step_row(report, shown, *step, step_label(pipeline, node), costs_word(node, *step));
    ++step;
  });
  return report;
}

EstimateSetting estimate_setting(const Options& options) {
  EstimateSetting setting{
      .machine = options.machine.empty() ? cost::generic_machine() : read_machine(options.machine),
      .machine_file = options.machine,
      .costs = {},
      .costs_file = options.costs,
      .rank = options.rank};
  if (options.costs.empty()) return setting;
  const std::string text = io::read_text_file(options.costs, "a report");
  try {
    setting.costs = cost::stage_costs_from_report(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", options.costs, error.what()));
  }
  return setting;
}

void estimate_run(const RunSetup& setup, const RunPlans& plans) {
  const Options& options = setup.options;
  tell_estimate(setup.session, options, setup.read_files(), [&] {
    return blame_deck(setup.deck, [&] {
      check_rank(options, plans.all().rank_count());
      return estimate_report(*setup.pipeline, plans.all(), estimate_setting(options));
    });
  });
}

ExitStatus estimate_work(const Launch& launch, int threads, const JobProgram& program) {
  const int ranks = launch.options.ranks > 0 ? launch.options.ranks : launch.session.rank_count();
  tell_estimate(launch.session, launch.options, joined(program.files(), launch.deck_files),
                [&] { return work_report(launch, ranks, threads, program.work(ranks)); });
  return ExitStatus::done;
}

}  // namespace tessera::app
