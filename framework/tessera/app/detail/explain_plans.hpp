// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/detail/plans.hpp"

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

}  // namespace tessera::app
