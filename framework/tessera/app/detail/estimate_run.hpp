// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_plans.hpp"
#include "tessera/cost/machine_description.hpp"
#include "tessera/cost/stage_costs.hpp"

namespace tessera::app {

/// The options of --estimate with the files that they name.
struct EstimateSetting {
  /// The machine.
  cost::MachineDescription machine;
  /// The file that describes the machine; empty for the generic machine.
  std::string machine_file;
  /// The costs of stages. No costs are known if costs_file is empty.
  cost::StageCosts costs;
  /// The report from which the costs of stages were taken; empty if there is none.
  std::string costs_file;
  /// The rank whose steps are wanted; -1 for the slowest one.
  int rank = -1;
};

/// Returns the report of --estimate: a section `estimate` with what was estimated and the times of the ranks,
/// and a table `steps` with the steps of one rank. The plans of all ranks are made, but of the ranks that do
/// the same only one is estimated.
Report estimate_report(const Algorithm& pipeline, const Plans& plans, const EstimateSetting& setting);

/// Returns the setting of --estimate, with the files that the options name. Throws InputError if one of them
/// is faulty. Not collective.
EstimateSetting estimate_setting(const Options& options);

/// Does the work of --estimate: prints how long each step of the plans takes, and writes that to the file of
/// --report if one is named. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for
/// faults of the options, the deck or the files.
void estimate_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
