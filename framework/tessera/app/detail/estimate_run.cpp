// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/estimate_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "tessera/app/detail/estimate_report.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

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
