// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tessera/domain/json.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/declaration.hpp"

namespace tessera::graph {
namespace {

using detail::Declaration;
using detail::PoolDeclaration;
using detail::Reader;
using detail::Scope;
using detail::TaskDeclaration;
using detail::TaskId;
using detail::TaskKind;

/// A task as users know it. The two ends of a loop are one task, and so are the two ends of `replicate`.
struct OutlinedTask {
  /// The number of the task. It is the number of the beginning for tasks with two ends.
  TaskId number = detail::no_task;
  /// The declaration. For tasks with two ends it is that of the end that has a body.
  const TaskDeclaration* task = nullptr;
  /// The numbers of the flows that the task reads and emits.
  std::vector<int> inputs = {};
  std::vector<int> outputs = {};
  /// The number of loops and scatters around the task.
  int depth = 0;
};

/// A graph as users know it.
class Outline {
 public:
  /// Makes the outline of `graph`, which must outlive it.
  explicit Outline(const Declaration& graph) : graph_(graph) {
    for (const TaskId number : topological_order(graph)) {
      const TaskDeclaration& task = graph.task(number);
      if (task.beginning == detail::no_task) {
        tasks_.push_back({number, &task, task.inputs, task.outputs, depth_of(task)});
        continue;
      }
      OutlinedTask& whole = *std::ranges::find(tasks_, task.beginning, &OutlinedTask::number);
      whole.inputs.insert(whole.inputs.end(), task.inputs.begin(), task.inputs.end());
      // The second output of the end of a loop leads back, and so is the same flow as that of the beginning.
      whole.outputs.push_back(task.outputs.front());
      if (task.make_body != nullptr) whole.task = &task;
    }
  }

  const Declaration& graph() const { return graph_; }
  /// Returns the tasks, so that each one comes after those whose items it reads. Ways back are not followed.
  const std::vector<OutlinedTask>& tasks() const { return tasks_; }
  /// Returns the name of the task that emits the flow.
  const std::string& producer_name(int flow) const { return name_of_task(graph_.flow(flow).producer); }
  /// Returns the names of the tasks that read the flow.
  std::vector<std::string> reader_names(int flow) const {
    std::vector<std::string> names;
    for (const Reader& reader : graph_.flow(flow).readers) names.push_back(name_of_task(reader.task));
    return names;
  }
  /// Returns the name of the task with this number. The end of a loop or of `replicate` has the name of the
  /// beginning.
  const std::string& name_of_task(TaskId number) const {
    const TaskDeclaration& task = graph_.task(number);
    return task.beginning == detail::no_task ? task.name : graph_.task(task.beginning).name;
  }
  const std::string& pool_name(int number) const { return graph_.pools[number].state->name; }

 private:
  int depth_of(const TaskDeclaration& task) const {
    int region = task.region;
    if (region < 0) return 0;
    if (task.kind == TaskKind::enter || task.kind == TaskKind::scatter) region = graph_.region(region).parent;
    int depth = 0;
    while ((region = graph_.region(region).parent) >= 0) ++depth;
    return depth;
  }

  const Declaration& graph_;
  std::vector<OutlinedTask> tasks_;
};

// --- Text ------------------------------------------------------------------------------------------------

/// Returns a table whose first row has the titles of the columns.
template <std::size_t columns>
std::string table(const std::vector<std::array<std::string, columns>>& rows) {
  std::array<std::size_t, columns> widths{};
  for (const auto& row : rows)
    for (std::size_t column = 0; column < columns; ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < columns; ++column)
      text += fmt::format("{:<{}}  ", row[column], widths[column]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

/// Returns whether a body of the user runs at the place and with the workers of the options.
bool has_place(const TaskDeclaration& task) {
  return task.kind == TaskKind::source || task.kind == TaskKind::task || task.kind == TaskKind::keeper ||
         task.kind == TaskKind::scatter || task.kind == TaskKind::sink;
}

/// Returns the number of bodies of a task that run at the same time.
std::string workers_text(const TaskDeclaration& task) {
  const Place::Kind place = task.options.on.kind();
  const bool is_serial = task.kind == TaskKind::source || task.kind == TaskKind::keeper ||
                         task.options.order == Order::stamp || !task.is_copyable;
  if (is_serial || (place != Place::Kind::threads && place != Place::Kind::numa)) return "1";
  return task.options.workers == 0 ? "all" : std::to_string(task.options.workers);
}

std::string order_text(Order order) {
  return order == Order::stamp ? "stamp" : order == Order::arrival ? "arrival" : "unsaid";
}

/// Returns the names of the tasks and pools that a task reads.
std::string reads_text(const Outline& outline, const OutlinedTask& shown) {
  std::vector<std::string> names;
  for (const int flow : shown.inputs) names.push_back(outline.producer_name(flow));
  for (const int pool : shown.task->pools) names.push_back("pool " + outline.pool_name(pool));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns the names of the tasks that read each output of a task.
std::string emits_text(const Outline& outline, const OutlinedTask& shown) {
  std::vector<std::string> outputs;
  for (const int flow : shown.outputs) {
    const std::vector<std::string> readers = outline.reader_names(flow);
    outputs.push_back(readers.empty() ? "nobody" : fmt::format("{}", fmt::join(readers, ", ")));
  }
  return fmt::format("{}", fmt::join(outputs, "; "));
}

std::string tasks_text(const Outline& outline) {
  std::vector<std::array<std::string, 7>> rows{
      {"task", "kind", "place", "workers", "order", "reads", "emits to"}};
  for (const OutlinedTask& shown : outline.tasks()) {
    const TaskDeclaration& task = *shown.task;
    rows.push_back(
        {std::string(2 * static_cast<std::size_t>(shown.depth), ' ') + outline.name_of_task(shown.number),
         std::string(name_of(task.kind)), has_place(task) ? to_string(task.options.on) : "",
         has_place(task) ? workers_text(task) : "",
         task.options.order == Order::unsaid ? "" : order_text(task.options.order),
         reads_text(outline, shown), emits_text(outline, shown)});
  }
  return table(rows);
}

std::string pools_text(const Outline& outline) {
  if (outline.graph().pools.empty()) return "";
  std::vector<std::array<std::string, 5>> rows{{"pool", "buffers", "per item", "one buffer", "all buffers"}};
  for (const PoolDeclaration& pool : outline.graph().pools)
    rows.push_back({pool.state->name, std::to_string(pool.state->count), std::to_string(pool.state->per_item),
                    pool.bytes == 0 ? "" : human_bytes(pool.bytes),
                    pool.bytes == 0 ? "" : human_bytes(pool.bytes * pool.state->count)});
  return fmt::format("\n{}", table(rows));
}

/// Returns sentences about the properties of a task that the table does not show.
std::string notes_text(const TaskDeclaration& task) {
  std::string text;
  const auto add = [&](const std::string& note) { text += fmt::format("{} {}\n", title(task), note); };
  if (task.options.most > 0)
    add(fmt::format("lets an item take at most {}.", counted(task.options.most, "turn")));
  if (task.kind == TaskKind::source && task.options.rank == Task::every_rank) add("runs on every rank.");
  if (task.kind == TaskKind::source && task.options.rank > 0)
    add(fmt::format("runs on rank {}.", task.options.rank));
  if (task.options.order == Order::arrival)
    add("sees items as they arrive, so that results may depend on arrival.");
  if (task.options.on_error == OnError::skip) add("skips items that its body fails on.");
  return text;
}

// --- Graphviz --------------------------------------------------------------------------------------------

/// Returns a label of several lines.
std::string label(const std::vector<std::string>& lines) {
  std::vector<std::string> texts;
  for (const std::string& line : lines) {
    const std::string text = dot_quoted(line);
    texts.push_back(text.substr(1, text.size() - 2));
  }
  return fmt::format("\"{}\"", fmt::join(texts, "\\n"));
}

const char* shape(TaskKind kind) {
  switch (kind) {
    case TaskKind::source:
    case TaskKind::input:
      return "cds";
    case TaskKind::sink:
    case TaskKind::output:
      return "doubleoctagon";
    case TaskKind::task:
    case TaskKind::keeper:
      return "box";
    default:
      return "ellipse";
  }
}

/// Returns a time as text, such as "12.3 ms".
std::string milliseconds(double seconds) { return fmt::format("{:.1f} ms", 1e3 * seconds); }

/// Returns the lines of a label about the calls and times of a task in a run.
std::vector<std::string> measured(const TaskReport& report) {
  std::vector<std::string> lines{counted(report.calls, "call")};
  if (report.busy > 0) lines.front() += ", busy " + milliseconds(report.busy);
  const std::array<std::pair<const char*, double>, 4> waits{{{"input", report.wait_input},
                                                             {"pool", report.wait_pool},
                                                             {"order", report.wait_order},
                                                             {"place", report.wait_place}}};
  for (const auto& [cause, seconds] : waits)
    if (seconds > 0) lines.push_back(fmt::format("waited for {} {}", cause, milliseconds(seconds)));
  return lines;
}

std::string task_node(const std::string& name, const TaskDeclaration& task, const Report* report) {
  std::vector<std::string> lines{name, std::string(name_of(task.kind))};
  if (has_place(task) && task.options.on != Place::threads())
    lines.back() += " on " + to_string(task.options.on);
  if (has_place(task) && workers_text(task) != "1") lines.back() += ", workers: " + workers_text(task);
  if (task.options.order != Order::unsaid) lines.push_back("order: " + order_text(task.options.order));
  if (task.options.most > 0) lines.push_back(fmt::format("at most {}", counted(task.options.most, "turn")));
  if (report != nullptr)
    if (const auto found = std::ranges::find(report->tasks, name, &TaskReport::name);
        found != report->tasks.end())
      std::ranges::copy(measured(*found), std::back_inserter(lines));
  return fmt::format("  {} [label={}, shape={}];\n", dot_quoted(name), label(lines), shape(task.kind));
}

std::string pool_node(const PoolDeclaration& pool, const Report* report) {
  std::vector<std::string> lines{
      pool.state->name,
      fmt::format("{}, {} per item", counted(pool.state->count, "buffer"), pool.state->per_item)};
  if (pool.bytes > 0) lines.push_back(human_bytes(pool.bytes) + " each");
  if (report != nullptr)
    if (const auto found = std::ranges::find(report->pools, pool.state->name, &PoolReport::name);
        found != report->pools.end())
      lines.push_back(fmt::format("at most {} in use", found->high_water));
  return fmt::format("  {} [label={}, shape=cylinder];\n", dot_quoted("pool " + pool.state->name),
                     label(lines));
}

}  // namespace

std::string to_text(const Graph& graph) {
  const Outline outline(graph.declaration());
  const std::int64_t window = graph.declaration().window;
  std::string text =
      fmt::format("graph '{}': {}, {}\nEach source has at most {} under way.\n\n", graph.declaration().name,
                  counted(static_cast<std::int64_t>(outline.tasks().size()), "task"),
                  counted(graph.declaration().pools.size(), "pool"),
                  window > 0 ? counted(window, "item") : "4 items for each worker");
  text += tasks_text(outline) + pools_text(outline);
  std::string notes;
  for (const OutlinedTask& shown : outline.tasks()) notes += notes_text(*shown.task);
  return notes.empty() ? text : fmt::format("{}\n{}", text, notes);
}

std::string to_dot(const Graph& graph, const Report* report) {
  const Outline outline(graph.declaration());
  std::string text = fmt::format(
      "digraph graph_of_tasks {{\n  label={};\n  labelloc=t;\n  node [fontname=\"sans-serif\"];\n",
      dot_quoted(graph.declaration().name));
  for (const OutlinedTask& shown : outline.tasks())
    text += task_node(outline.name_of_task(shown.number), *shown.task, report);
  for (const PoolDeclaration& pool : graph.declaration().pools) text += pool_node(pool, report);
  std::vector<std::string> seen;
  for (const OutlinedTask& shown : outline.tasks()) {
    const std::string& name = outline.name_of_task(shown.number);
    for (const int flow : shown.inputs) {
      // An edge from a task further below goes against the direction of the picture.
      const std::string& from = outline.producer_name(flow);
      const bool goes_back = std::ranges::find(seen, from) == seen.end();
      text += fmt::format("  {} -> {}{};\n", dot_quoted(from), dot_quoted(name),
                          goes_back ? " [style=dashed, constraint=false]" : "");
    }
    for (const int pool : shown.task->pools)
      text += fmt::format("  {} -> {} [style=dotted, arrowhead=none];\n",
                          dot_quoted("pool " + outline.pool_name(pool)), dot_quoted(name));
    seen.push_back(name);
  }
  return text + "}\n";
}

namespace {

template <class T>
Json list_of(const std::vector<T>& elements) {
  return Json::List(elements.begin(), elements.end());
}

/// Returns a task as JSON. The values that `Settings` may change are left out unless `has_settings` is true.
Json task_json(const Outline& outline, const OutlinedTask& shown, bool has_settings) {
  const Task& options = shown.task->options;
  Json json = Json::Object{{"name", outline.name_of_task(shown.number)},
                           {"kind", std::string(name_of(shown.task->kind))},
                           {"number", to_int(shown.number)}};
  if (has_settings) {
    json["place"] = to_string(options.on);
    json["workers"] = options.workers;
  }
  json["order"] = order_text(options.order);
  json["single"] = options.single;
  json["on_error"] = options.on_error == OnError::skip ? "skip" : "stop";
  json["most"] = options.most;
  json["rank"] = options.rank == Task::every_rank ? Json("every") : Json(options.rank);
  json["inputs"] = list_of(shown.inputs);
  json["outputs"] = list_of(shown.outputs);
  json["pools"] = list_of(shown.task->pools);
  return json;
}

Json flow_json(const Outline& outline, int number) {
  const detail::FlowDeclaration& flow = outline.graph().flow(number);
  return Json::Object{{"from", outline.producer_name(number)},
                      {"to", list_of(outline.reader_names(number))},
                      {"region", flow.region},
                      {"several", flow.has_several()},
                      {"discarded", flow.is_discarded}};
}

Json region_json(const Outline& outline, const detail::Region& region) {
  const char* kind = region.kind == Scope::Kind::root   ? "source"
                     : region.kind == Scope::Kind::turn ? "loop"
                                                        : "scatter";
  return Json::Object{
      {"kind", kind},
      {"parent", region.parent},
      {"task", region.task == detail::no_task ? Json() : Json(outline.name_of_task(region.task))}};
}

Json pool_json(const detail::PoolDeclaration& pool, bool has_settings) {
  Json json = Json::Object{{"name", pool.state->name}};
  if (has_settings) json["count"] = pool.state->count;
  json["per_item"] = pool.state->per_item;
  json["bytes"] = pool.bytes;
  return json;
}

Json graph_json(const Declaration& graph, bool has_settings) {
  const Outline outline(graph);
  Json::List tasks, flows, regions, pools;
  for (const OutlinedTask& shown : outline.tasks()) tasks.push_back(task_json(outline, shown, has_settings));
  for (const int flow : graph.flows.ids()) flows.push_back(flow_json(outline, flow));
  for (const detail::Region& region : graph.regions) regions.push_back(region_json(outline, region));
  for (const detail::PoolDeclaration& pool : graph.pools) pools.push_back(pool_json(pool, has_settings));
  Json json = Json::Object{{"name", graph.name}};
  if (has_settings) json["window"] = graph.window;
  json["tasks"] = tasks;
  json["flows"] = flows;
  json["regions"] = regions;
  json["pools"] = pools;
  return json;
}

}  // namespace

std::uint64_t detail::hash(const Declaration& graph) {
  // This is FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), which is the same on every machine.
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : to_text(graph_json(graph, false)))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

std::string to_json(const Graph& graph) { return to_text(graph_json(graph.declaration(), true), 1) + "\n"; }

std::uint64_t hash(const Graph& graph) { return detail::hash(graph.declaration()); }

}  // namespace tessera::graph
