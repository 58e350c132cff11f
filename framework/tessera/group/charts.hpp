// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// Returns a schedule as a table for people: a line for each task in the order of the starts, with its ranks
/// as ranges, its start and end in seconds, and its share of the makespan; then a line with the strategy, the
/// makespan and how far it is above the lower bound.
std::string to_text(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns a schedule as a Gantt chart: an SVG image of a page that needs no other file. Time runs to the
/// right, and ranks downwards. Ranks that a task has next to each other are one box, so that charts of many
/// ranks stay small. Tasks of one type have the same colour. A stream has its first three items, the later
/// ones paler.
std::string to_svg(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns a graph of tasks as text for Graphviz (DOT), with the seconds of each task on one rank and the
/// bytes of each array. With a schedule, tasks also have their ranks and their seconds there, and tasks that
/// run on the same ranks have the same colour.
std::string to_dot(const TaskGraph& graph, const GroupSchedule* schedule = nullptr);

}  // namespace tessera::group
