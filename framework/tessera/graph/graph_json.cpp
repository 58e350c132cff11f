// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/json.hpp"

#include "tessera/graph/detail/outline.hpp"
#include "tessera/graph/explain.hpp"

namespace tessera::graph {
namespace {

using detail::Declaration;
using detail::Outline;
using detail::OutlinedTask;
using detail::Scope;

Json list_of(const std::vector<int>& numbers) { return Json::List(numbers.begin(), numbers.end()); }

const char* name_of_order(Order order) {
  return order == Order::stamp ? "stamp" : order == Order::arrival ? "arrival" : "unsaid";
}

/// Returns a task as JSON. It has what `Settings` may change only if `has_settings` is true.
Json task_json(const Outline& outline, const OutlinedTask& shown, bool has_settings) {
  const Task& options = shown.task->options;
  Json json;
  json["name"] = outline.name_of_task(shown.number);
  json["kind"] = std::string(name_of(shown.task->kind));
  json["number"] = shown.number;
  if (has_settings) {
    json["place"] = to_string(options.on);
    json["workers"] = options.workers;
  }
  json["order"] = name_of_order(options.order);
  json["single"] = options.single;
  json["on_error"] = options.on_error == OnError::skip ? "skip" : "stop";
  json["most"] = options.most;
  if (options.rank == Task::every_rank)
    json["rank"] = "every";
  else
    json["rank"] = options.rank;
  json["inputs"] = list_of(shown.inputs);
  json["outputs"] = list_of(shown.outputs);
  json["pools"] = list_of(shown.task->pools);
  return json;
}

Json flow_json(const Outline& outline, int number) {
  const detail::FlowDeclaration& flow = outline.graph().flow(number);
  Json json;
  json["from"] = outline.producer(number);
  json["to"] = Json::List();
  for (const std::string& reader : outline.readers(number))
    json["to"].get_if<Json::List>()->push_back(reader);
  json["region"] = flow.region;
  json["several"] = flow.several;
  json["discarded"] = flow.is_discarded;
  return json;
}

Json region_json(const Outline& outline, const detail::Region& region) {
  Json json;
  json["kind"] = region.kind == Scope::Kind::root   ? "source"
                 : region.kind == Scope::Kind::turn ? "loop"
                                                    : "scatter";
  json["parent"] = region.parent;
  json["task"] = region.task < 0 ? Json() : Json(outline.name_of_task(region.task));
  return json;
}

Json pool_json(const detail::PoolDeclaration& pool, bool has_settings) {
  Json json;
  json["name"] = pool.state->name;
  if (has_settings) json["count"] = pool.state->count;
  json["per_item"] = pool.state->per_item;
  json["bytes"] = pool.bytes;
  return json;
}

Json graph_json(const Declaration& graph, bool has_settings) {
  const Outline outline(graph);
  Json::List tasks, flows, regions, pools;
  for (const OutlinedTask& shown : outline.tasks()) tasks.push_back(task_json(outline, shown, has_settings));
  for (std::size_t flow = 0; flow < graph.flows.size(); ++flow)
    flows.push_back(flow_json(outline, static_cast<int>(flow)));
  for (const detail::Region& region : graph.regions) regions.push_back(region_json(outline, region));
  for (const detail::PoolDeclaration& pool : graph.pools) pools.push_back(pool_json(pool, has_settings));
  Json json;
  json["name"] = graph.name;
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
