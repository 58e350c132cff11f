// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/domain/id_vector.hpp"
#include "tessera/graph/item.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph::detail {

/// The kinds of tasks. A kind without a comment is a verb of Graph.
enum class TaskKind : std::uint8_t {
  source,
  input,  ///< The end at which Run::push puts items in.
  task,
  keeper,
  sink,
  output,  ///< The end at which Run::pop takes items out.
  scatter,
  gather,
  route,  ///< The beginning of `replicate`, which chooses the places of items. Its end is a merge.
  send,
  turn,   ///< The end of a loop, which gives items back to the beginning or lets them leave.
  enter,  ///< The beginning of a loop, which has no body.
  feedback,
  merge
};

/// Returns the name of the kind in messages, such as "keeper".
std::string_view name_of(TaskKind kind);

/// A task that reads a flow, and the number of the input at which it does.
struct Reader {
  TaskId task = no_task;
  int input = 0;
};

/// A part of the graph in which items have stamps of the same depth: below one source, inside one loop, or
/// between a scatter and its gather.
struct Region {
  /// The region around this one. It is -1 if there is none.
  int parent = -1;
  Scope::Kind kind = Scope::Kind::root;
  /// The source, the beginning of the loop or the scatter. It is `no_task` where the items of several sources
  /// are mixed.
  TaskId task = no_task;
};

/// A flow as the graph declares it.
struct FlowDeclaration {
  /// The task that emits the items. The items of all turns of a loop are one flow, whose producer is the
  /// beginning of the loop.
  TaskId producer = no_task;
  /// The region of the items. It is -1 for a feedback that is not closed yet.
  int region = -1;
  /// The task because of which items of one stamp may be several. It is `no_task` if there is none.
  TaskId several_from = no_task;
  /// The tasks that read the flow.
  std::vector<Reader> readers = {};
  /// True if the user has said that nobody needs the items.
  bool is_discarded = false;

  /// True if the flow may have several items of one stamp.
  bool has_several() const { return several_from != no_task; }
};

/// A task as the graph declares it.
struct TaskDeclaration {
  std::string name = {};
  TaskKind kind = TaskKind::task;
  Task options = {};
  /// The numbers of the flows that the task reads and emits, and of the pools that it takes buffers from.
  std::vector<int> inputs = {};
  std::vector<int> outputs = {};
  std::vector<int> pools = {};
  /// The region of the outputs.
  int region = -1;
  /// For the task at the end of a loop or of `replicate`: the task at its beginning. It is `no_task` for
  /// others.
  TaskId beginning = no_task;
  /// The function that makes a body. It is null for kinds without one.
  std::function<std::unique_ptr<Body>()> make_body = {};
  /// True if `make_body` may be called more than once.
  bool is_copyable = true;
  /// True if bodies have something to do after the last item.
  bool has_finish = false;
  /// True if the body takes values that it does not share with other tasks.
  bool takes_values = false;
  /// True if the body launches Kokkos kernels.
  bool launches_kernels = false;
};

/// A pool as the graph declares it.
struct PoolDeclaration {
  std::shared_ptr<PoolState> state = {};
  /// The bytes of one buffer. It is 0 if they are not known.
  std::int64_t bytes = 0;
};

/// A graph as data.
struct Declaration {
  std::string name = {};
  IdVector<TaskId, TaskDeclaration> tasks = {};
  IdVector<int, FlowDeclaration> flows = {};
  IdVector<int, Region> regions = {};
  IdVector<int, PoolDeclaration> pools = {};
  /// The largest number of items of each source that are under way. 0 means four for each worker.
  std::int64_t window = 0;
  /// The lock and the run that the graph shares with its pools.
  std::shared_ptr<Core> core = std::make_shared<Core>();

  TaskDeclaration& task(TaskId id) { return tasks[id]; }
  const TaskDeclaration& task(TaskId id) const { return tasks[id]; }
  /// Throws InputError if the graph does not have the flow.
  const FlowDeclaration& flow(int id) const;
  FlowDeclaration& flow(int id) { return const_cast<FlowDeclaration&>(std::as_const(*this).flow(id)); }
  const Region& region(int id) const { return regions[id]; }

  /// Adds a task, and notes it with the flows that it reads. Returns its number.
  TaskId add_task(TaskDeclaration task);
  /// Adds a flow that the task `producer` emits. Returns its number, which the task then has as an output.
  int add_flow(TaskId producer, int region, TaskId several_from);
  /// Adds a region. Returns its number.
  int add_region(int parent, Scope::Kind kind, TaskId task);
  /// Returns the region of the outputs of a task that reads these flows. A task that reads flows of several
  /// sources gets a new region.
  int common_region(const std::vector<int>& inputs);
  /// Returns the task because of which one of these flows may have several items of one stamp. Returns
  /// no_task if none may.
  TaskId several_from(const std::vector<int>& inputs) const;
};

/// Returns the kind and the name of a task for messages, such as "keeper 'match'".
std::string title(const TaskDeclaration& task);
/// Returns the stamp of a scope as text, such as "item 4" or "item 4, turn 2, part 0".
std::string stamp_text(const Scope& scope);
/// Returns for each task the number of tasks on the longest way from a source. Ways back are not followed.
IdVector<TaskId, int> depths(const Declaration& graph);
/// Returns the numbers of all tasks, so that each one comes after those whose items it reads. Ways back are
/// not followed.
std::vector<TaskId> topological_order(const Declaration& graph);
/// Returns a number that is equal for equal graphs. It does not depend on what `Settings` change.
std::uint64_t hash(const Declaration& graph);
/// Throws InputError if the graph cannot run, with one line that says why and what to do.
void check(const Declaration& graph);

}  // namespace tessera::graph::detail
