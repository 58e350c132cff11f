// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "tessera/app/file_patterns.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/cost/estimate.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

constexpr double milliseconds = 1e3;

/// Returns true if the ranks of a class cost the same. They do not if some messages go between nodes, and
/// others do not.
bool classes_are_alike(const cost::MachineDescription& machine) { return !machine.between_nodes; }

cost::PlanEstimates estimates_of(const Algorithm& pipeline, const Plans& plans,
                                 const EstimateSetting& setting) {
  cost::PlanEstimates estimates;
  RankClasses classes;
  for (int rank = 0; rank < plans.rank_count(); ++rank) {
    const Plan plan = plans.of(rank);
    const std::size_t known = classes.classes().size();
    classes.add(plan);
    if (classes.classes().size() > known || !classes_are_alike(setting.machine))
      estimates.add(cost::estimate(pipeline, plan, setting.machine, setting.costs));
  }
  return estimates;
}

/// Returns a line about the greatest numbers of turns of loops, or an empty text if there are no loops.
std::string loops_note(const Algorithm& pipeline) {
  if (pipeline.loops().empty()) return {};
  return "loops count with their greatest number of turns\n";
}

std::string files_note(const cost::RankEstimate& rank) {
  const bool misses_files = std::ranges::any_of(
      rank.steps, [](const cost::StepEstimate& step) { return step.bound == cost::Bound::unknown; });
  return misses_files ? "files count nothing, as the machine file has no file.read or file.write\n" : "";
}

std::string costs_note(const cost::RankEstimate& rank, const EstimateSetting& setting) {
  if (std::ranges::none_of(rank.steps, &cost::StepEstimate::assumes_costs)) return {};
  return fmt::format(
      "{}'assumed': no costs of stages are known, and accesses in the nearest cache stand for arithmetic; "
      "give "
      "--costs FILE.json, a report of a run\n",
      setting.costs_file.empty() ? "" : "some steps are ");
}

std::string nodes_note(const Plan& plan, const EstimateSetting& setting) {
  const std::int64_t on_node = cost::ranks_per_node(setting.machine, plan.target.threads);
  const std::int64_t nodes = (plan.rank_count + on_node - 1) / on_node;
  std::string text;
  if (nodes > setting.machine.nodes)
    text = fmt::format("{} of {} need {}, and the machine has {}: as if it had more\n",
                       counted(plan.rank_count, "rank"), counted(plan.target.threads, "thread"),
                       counted(nodes, "node"), setting.machine.nodes);
  if (nodes > 1 && !setting.machine.between_nodes)
    text +=
        "messages between nodes cost as much as those within, as the machine file has no network.between\n";
  if (plan.target.device) text += "this build computes on devices, which machine files do not describe\n";
  return text;
}

std::string machine_note(const EstimateSetting& setting) {
  if (setting.machine_file.empty())
    return "no --machine is given, so it is some laptop: tessera-calibrate describes this machine\n";
  const std::string difference = cost::difference_from_own(setting.machine);
  return difference.empty() ? "" : fmt::format("{}: {}\n", setting.machine_file, difference);
}

/// Returns whether the costs of the points of a step are known, as a word; "-" if it computes none.
std::string costs_word(const PlanNode& node, const cost::StepEstimate& step) {
  if (!std::holds_alternative<plan::Compute>(node.step)) return "-";
  return step.assumes_costs ? "assumed" : "known";
}

void add_step_rows(Report& report, const Algorithm& pipeline, const Plan& plan,
                   const cost::RankEstimate& rank) {
  auto step = rank.steps.begin();
  walk(plan.root, [&](const PlanNode& node) {
    if (step == rank.steps.end() || step->node != node.id) return;
    report.add_row("steps", {{"node", std::int64_t{node.id}},
                             {"step", step_label(pipeline, node)},
                             {"times", step->times},
                             {"milliseconds", step->seconds * milliseconds},
                             {"share", rank.seconds > 0 ? step->seconds / rank.seconds : 0.0},
                             {"bound_by", std::string(cost::name_of(step->bound))},
                             {"costs", costs_word(node, *step)}});
    ++step;
  });
}

}  // namespace

Report estimate_report(const Algorithm& pipeline, const Plans& plans, const EstimateSetting& setting) {
  const cost::PlanEstimates all = estimates_of(pipeline, plans, setting);
  const int shown_rank = setting.rank < 0 ? all.slowest().rank : setting.rank;
  const Plan plan = plans.of(shown_rank);
  const cost::RankEstimate shown = cost::estimate(pipeline, plan, setting.machine, setting.costs);
  Report report;
  report.add("estimate",
             {{"machine", setting.machine_file.empty()
                              ? setting.machine.name
                              : fmt::format("{} ({})", setting.machine.name, setting.machine_file)},
              {"costs_of_stages", setting.costs_file.empty() ? "assumed" : setting.costs_file},
              {"ranks", std::int64_t{plans.rank_count()}},
              {"threads_per_rank", std::int64_t{plan.target.threads}},
              {"milliseconds", all.slowest().seconds * milliseconds},
              {"slowest_rank", std::int64_t{all.slowest().rank}},
              {"milliseconds_of_fastest", all.fastest().seconds * milliseconds},
              {"milliseconds_if_all_wait", all.seconds_if_all_wait() * milliseconds},
              {"steps_of_rank", std::int64_t{shown_rank}}});
  std::string notes = machine_note(setting) + nodes_note(plan, setting) + costs_note(shown, setting) +
                      loops_note(pipeline) + files_note(shown);
  if (!notes.empty()) {
    notes.pop_back();
    report.add("estimate", {{"notes", notes}});
  }
  add_step_rows(report, pipeline, plan, shown);
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
  const std::string path = options.report == "-" ? "" : options.report;
  std::vector<std::string> taken = setup.read_files();
  for (const std::string& read : {options.machine, options.costs})
    if (!read.empty()) taken.push_back(read);
  check_names(taken, {{"command line: --report", path}});
  std::optional<io::TextFile> file;
  if (!path.empty()) file.emplace(setup.session.communicator(), path);
  std::string text, json;
  collectively(setup.session.communicator(), [&] {
    if (setup.session.rank() != 0) return;
    setup.blame_deck([&] {
      if (options.rank >= plans.all().rank_count())
        throw InputError(fmt::format("command line: --rank {}: there are ranks 0 to {}", options.rank,
                                     plans.all().rank_count() - 1));
      const Report report = estimate_report(*setup.pipeline, plans.all(), estimate_setting(options));
      text = report.text();
      json = report.json();
    });
  });
  if (file) file->write(std::filesystem::path(path).extension() == ".json" ? json : text);
  setup.session.print(text);
}

}  // namespace tessera::app
