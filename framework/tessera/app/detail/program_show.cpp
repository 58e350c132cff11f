// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_show.hpp"

#include <fmt/format.h>

#include <optional>

#include "tessera/app/detail/estimate_run.hpp"
#include "tessera/app/detail/program_report.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/group/gantt.hpp"
#include "tessera/group/graph_dot.hpp"
#include "tessera/group/schedule_json.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
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
