// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/graph/graph.hpp"
#include "tessera/graph/run.hpp"

namespace tessera::graph {

/// Returns the graph as tables for people. The first table has a line for each task: where its bodies run,
/// how many of them run at the same time, in which order they see items, which tasks and pools it reads, and
/// which tasks read what it emits. A semicolon separates the outputs of a task. Tasks inside loops and
/// between scatter and gather are indented. The second table has the pools. The lines at the end name limits
/// of turns and everything that results may depend on. The graph need not be complete.
std::string to_text(const Graph& graph);

/// Returns the graph as text for Graphviz (DOT). If there is a report of a run of the graph, the labels also
/// have the calls and times of tasks, and the most buffers of pools that were in use at the same time.
std::string to_dot(const Graph& graph, const Report* report = nullptr);

/// Returns the graph as one JSON object, with its name, its window, and lists of its tasks, flows, regions
/// and pools. A region is a part of the graph in which items have stamps of the same depth: below a source,
/// inside a loop, or between a scatter and its gather. Tasks name their flows, and flows their regions, by
/// their places in these lists, from 0. Where there is none, the place is -1.
std::string to_json(const Graph& graph);

/// Returns a number that is equal on all ranks that have built the same graph. Settings that decks may
/// change do not change it: places, workers, the number of buffers of pools, and the window.
std::uint64_t hash(const Graph& graph);

}  // namespace tessera::graph
