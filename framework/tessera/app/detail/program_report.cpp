// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tessera/app/detail/estimate_run.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/group/gantt.hpp"
#include "tessera/group/graph_dot.hpp"
#include "tessera/group/program_explain.hpp"
#include "tessera/group/rank_ranges.hpp"
#include "tessera/group/schedule_json.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

std::string explain_program(const ProgramPlans& programs, int rank) {
  const group::ProgramPlanner& planner = programs.planner();
  std::string text;
  for (const std::string& line : programs.remarks()) text += line + "\n";
  if (rank >= 0) return text + group::explain(programs.program(), planner.plan(rank));
  return text + group::to_text(programs.graph(), programs.schedule()) +
         group::explain(programs.program(), planner.plans());
}

std::string estimate_program(const ProgramPlans& programs, const EstimateSetting& setting) {
  std::string text;
  for (const group::ScheduledTask& task : programs.schedule().tasks) {
    const group::ProgramTask& one = programs.program().task(task.task);
    const Plans plans(one.pipeline, one.schedule, programs.target(), static_cast<int>(task.ranks.size()));
    text += fmt::format("\ntask {} on ranks {}\n{}", one.name, group::ranges_text(task.ranks),
                        estimate_report(one.pipeline, plans, setting).text());
  }
  return text + "\n" + group::to_text(programs.graph(), programs.schedule());
}

std::string check_program(const ProgramPlans& programs) {
  std::int64_t messages = 0, bytes = 0, peak = 0;
  for (const group::ProgramPlan& plan : programs.planner().plans()) {
    peak = std::max(peak, plan.peak_bytes());
    messages += std::ssize(plan.sends);
    for (const group::Parcel& parcel : plan.sends) bytes += parcel.bytes;
  }
  return fmt::format("checked {} on {} x {}: {} of {} between tasks, peak memory per rank {}\n",
                     counted(programs.program().task_count(), "task"),
                     counted(programs.schedule().ranks, "rank"), counted(programs.target().threads, "thread"),
                     counted(messages, "message"), human_bytes(bytes), human_bytes(peak));
}

Plan described_plan(const Algorithm& pipeline, Plan whole, const group::Program& program,
                    const group::ProgramPlan& plan) {
  for (PlanNode& part : std::get<plan::Sequence>(whole.root.step).children)
    if (auto* sequence = std::get_if<plan::Sequence>(&part.step)) sequence->children.clear();
  number_nodes(whole.root);
  whole.array_bytes = plan.array_bytes;
  whole.message_bytes = plan.held_bytes;
  whole.scratch_bytes = plan.other_bytes;
  whole.partial_bytes = whole.library_bytes = 0;
  for (ArrayRegions& regions : whole.stages) regions.computed_points = regions.redundant_points = 0;
  for (const group::RankStep& step : plan.steps) {
    if (step.plan == nullptr) continue;
    const Algorithm& task = program.task(step.task).pipeline;
    for (int id = 0; id < task.size(); ++id) {
      if (task[id].is_input()) continue;
      const ArrayRegions& computed = step.plan->stages[static_cast<std::size_t>(id)];
      ArrayRegions& regions = whole.stages[static_cast<std::size_t>(pipeline.find(task[id].name))];
      regions.placement = computed.placement;
      regions.computed_points = computed.computed_points;
      regions.redundant_points = computed.redundant_points;
    }
  }
  return whole;
}

namespace {

/// Returns what the options ask to be printed of the tasks on their groups of ranks.
std::string asked_text(const RunSetup& setup, const ProgramPlans& programs) {
  const Options& options = setup.options;
  if (options.rank >= programs.schedule().ranks)
    throw InputError(fmt::format("command line: --rank {}: there are ranks 0 to {}", options.rank,
                                 programs.schedule().ranks - 1));
  if (options.dot) return group::to_dot(programs.graph(), &programs.schedule());
  std::string text;
  if (options.check) text += check_program(programs);
  if (options.explain) text += explain_program(programs, options.rank);
  if (options.estimate) {
    EstimateSetting setting = estimate_setting(options);
    setting.machine = programs.machine();
    if (options.machine.empty()) setting.machine_file = setup.deck.text_of("program.machine");
    setting.rank = -1;
    text += estimate_program(programs, setting);
  }
  return text;
}

}  // namespace

void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more) {
  const MPI_Comm communicator = setup.session.communicator();
  const std::string& save = setup.options.save_plan;
  const std::string chart = setup.deck.text_of("program.chart");
  check_names(setup.read_files(), {{"command line: --save-plan", save}, {"program.chart", chart}});
  std::optional<io::TextFile> saved, drawn;
  if (!save.empty()) saved.emplace(communicator, save);
  if (!chart.empty()) drawn.emplace(communicator, chart);
  std::string text;
  collectively(communicator, [&] {
    if (setup.session.rank() == 0) setup.blame_deck([&] { text = asked_text(setup, programs) + more; });
  });
  const bool is_first = setup.session.rank() == 0;
  if (saved) saved->write(is_first ? group::to_json(programs.graph(), programs.schedule()) : "");
  if (drawn) drawn->write(is_first ? group::to_svg(programs.graph(), programs.schedule()) : "");
  if (!(setup.options.check && setup.options.quiet)) setup.session.print(text);
}

}  // namespace tessera::app
