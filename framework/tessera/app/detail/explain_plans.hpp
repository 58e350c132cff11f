// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/detail/plans.hpp"

namespace tessera::app {

/// Returns the text of --explain: the costs of all ranks, and a line for each array. It fits on one screen
/// unless there are many stages. With `kinds` the plan of one rank of each class of ranks follows, without
/// steps that do nothing; of many classes only the largest ones are shown.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, bool kinds);

/// Returns the whole plan of one rank in words.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, int rank);

/// Returns a line about an image that is computed in `count` bands, such as "out of core, in 29 bands of
/// rows,
/// ...". It ends with a line feed.
std::string bands_text(const Algorithm& pipeline, std::int64_t count);

/// Returns the text of --check: a line with the costs of all ranks, and one about bands if there are several.
std::string check_text(const Algorithm& pipeline, const Plans& plans);

/// Returns the pipeline as a graph for Graphviz, whose edges show the bytes that all ranks exchange.
std::string dot_text(const Algorithm& pipeline, const Plans& plans);

}  // namespace tessera::app
