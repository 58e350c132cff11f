// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/graph/emitter.hpp"
#include "tessera/graph/scope.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph::detail {

/// The kinds of tasks. `input` and `output` are the ends at which a Run pushes and pops. The kinds from
/// `enter` on have no body of the user, except for the condition of `turn` and the choice of `route` and
/// `send`.
enum class TaskKind : std::uint8_t {
  source,
  input,
  task,
  keeper,
  sink,
  output,
  scatter,
  gather,
  route,
  send,
  turn,
  enter,
  feedback,
  merge
};

/// The kind as messages name it, such as "keeper".
std::string_view name_of(TaskKind kind);

/// A task that reads a flow, and the number of the input at which it does.
struct Reader {
  int task = -1;
  int input = 0;
};

/// A part of the graph in which items have stamps of the same depth: below one source, inside one loop, or
/// between a scatter and its gather.
struct Region {
  int parent = -1;
  Scope::Kind kind = Scope::Kind::root;
  /// The source, the entry of the loop or the scatter; -1 where the items of several sources are mixed.
  int task = -1;
};

/// A flow as the graph declares it.
struct FlowDeclaration {
  /// The task that emits the items. The items that enter and the items that re-enter a loop are one flow,
  /// whose producer is the entry.
  int producer = -1;
  int region = -1;
  /// Whether the flow may have several items of one stamp, and the task that is the reason.
  bool several = false;
  int several_from = -1;
  /// Whether items may be missing for some stamps.
  std::vector<Reader> readers = {};
  bool is_discarded = false;
};

/// A task as the graph declares it.
struct TaskDeclaration {
  std::string name = {};
  TaskKind kind = TaskKind::task;
  Task options = {};
  std::vector<int> inputs = {};
  std::vector<int> outputs = {};
  std::vector<int> pools = {};
  /// The region of the outputs.
  int region = -1;
  /// For the task at the end of a loop or of `replicate`: the task at its beginning. It is -1 for others.
  int beginning = -1;
  /// Makes a body; null for kinds without one.
  std::function<std::unique_ptr<Body>()> make_body = {};
  /// Whether `make_body` may be called more than once, and whether bodies have something to finish.
  bool is_copyable = true;
  bool has_finish = false;
  /// Whether the body can only take values that are moved, so that it cannot share them with others.
  bool takes_values = false;
  /// Whether the body launches Kokkos kernels.
  bool launches_kernels = false;
};

/// A pool as the graph declares it.
struct PoolDeclaration {
  std::shared_ptr<PoolState> state = {};
  /// The bytes of one buffer; 0 if they are not known.
  std::int64_t bytes = 0;
};

/// A graph as data.
struct Declaration {
  std::string name = {};
  std::vector<TaskDeclaration> tasks = {};
  std::vector<FlowDeclaration> flows = {};
  std::vector<Region> regions = {};
  std::vector<PoolDeclaration> pools = {};
  std::int64_t window = 0;
  std::shared_ptr<Core> core = std::make_shared<Core>();

  TaskDeclaration& task(int id) { return tasks[static_cast<std::size_t>(id)]; }
  const TaskDeclaration& task(int id) const { return tasks[static_cast<std::size_t>(id)]; }
  FlowDeclaration& flow(int id) { return flows[static_cast<std::size_t>(id)]; }
  const FlowDeclaration& flow(int id) const { return flows[static_cast<std::size_t>(id)]; }
  const Region& region(int id) const { return regions[static_cast<std::size_t>(id)]; }

  /// Adds a task, and notes it with the flows that it reads. Returns its number.
  int add_task(TaskDeclaration task);
  /// Adds a flow that the task `producer` emits. Returns its number, which the task then has as an output.
  int add_flow(int producer, int region, bool several);
  int add_region(int parent, Scope::Kind kind, int task);
  /// Returns the region that the outputs of a task with these inputs have. Keepers may read several sources.
  int common_region(const std::vector<int>& inputs);
  /// Returns whether one of these flows may have several items of one stamp.
  int several_from(const std::vector<int>& inputs) const;
};

/// The kind and the name of a task as messages name it, such as "keeper 'match'".
std::string title(const TaskDeclaration& task);
/// Returns for each task the number of tasks on the longest way from a source. Ways back are not followed.
std::vector<int> depths(const Declaration& graph);
/// Returns the numbers of all tasks, so that each one comes after those whose items it reads. Ways back are
/// not followed.
std::vector<int> topological_order(const Declaration& graph);
/// Returns a number that is equal for equal graphs. It does not depend on what `Settings` change.
std::uint64_t hash(const Declaration& graph);
/// Throws InputError if the graph cannot run, with one line that says why and what to do.
void check(const Declaration& graph);

}  // namespace tessera::graph::detail
