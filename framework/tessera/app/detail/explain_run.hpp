// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Returns the text of --explain: the costs of all ranks together, and a line for each array. `exchange` says
/// how the ranks exchange points. If `kinds` is true, the plan of one rank of each RankClass follows, without
/// the steps that do nothing. If there are many classes, only the classes with the most ranks are shown.
/// Without `kinds`, the text fits on one screen unless there are many stages.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, const std::string& exchange,
                         bool kinds);

/// Returns the whole plan of `rank` in words.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, int rank);

/// Returns a line about a pipeline that is computed in bands, such as "out of core, in 29 bands of rows,
/// ...". `band` is one of the bands. The line ends with a line feed.
std::string bands_text(const Algorithm& pipeline, const Band& band);

/// Returns the text of --check: a line with the costs of all ranks together, and a line about the bands if
/// there are several bands.
std::string check_text(const Algorithm& pipeline, const Plans& plans);

/// Returns the pipeline as a graph for Graphviz. The edges show the bytes that all ranks together exchange.
std::string dot_text(const Algorithm& pipeline, const Plans& plans);

/// Does the work of --explain: prints an explanation of the plans, and saves the plans if the option
/// --save-plan is given. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for faults
/// of the options, the deck or the files.
void explain_run(const RunSetup& setup, const RunPlans& plans);

/// Does the work of --check: looks for all faults that can be found before a run, and prints the costs of the
/// run. No files are left behind. Collective. Throws InputError for the first fault.
void check_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
