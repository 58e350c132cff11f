// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// Returns a schedule as JSON text, which ends with a line feed. Tasks have their names, and ranks are ranges
/// from a rank up to, but not including, another one, such as [[0, 4], [8, 9]].
std::string to_json(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns the schedule that `text` contains; the text comes from to_json, and may have been edited. Throws
/// InputError if the text is no schedule of this graph. The message is one line and does not contain the name
/// of a file. Whether the schedule can be run, check_schedule says.
GroupSchedule schedule_from_json(const TaskGraph& graph, std::string_view text);

}  // namespace tessera::group
