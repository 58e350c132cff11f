// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/app/detail/plans.hpp"

namespace tessera::app {

/// What --explain prints, on one screen unless there are many stages: what all ranks cost, and a line for
/// each array. With `kinds` one rank of each class of ranks that do the same follows, without steps that do
/// nothing; of the most frequent classes, if there are many.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, bool kinds);

/// All that one rank does.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, int rank);

/// "out of core, in 29 bands of rows, ...": a line about an image that is computed in so many bands. Ends
/// with a line feed.
std::string bands_text(const Algorithm& pipeline, std::int64_t count);

/// What --check prints, in a line: what all ranks would cost.
std::string check_text(const Algorithm& pipeline, const Plans& plans);

/// The pipeline as a graph for Graphviz, with what all ranks exchange.
std::string dot_text(const Algorithm& pipeline, const Plans& plans);

}  // namespace tessera::app
