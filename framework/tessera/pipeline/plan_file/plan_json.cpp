// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/plan_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan_file/detail/plan_fields.hpp"

namespace tessera {
namespace detail {
namespace {

Json json_of(std::int64_t number) { return number; }
Json json_of(int number) { return number; }
Json json_of(ArrayId id) { return to_int(id); }
Json json_of(BufferId id) { return to_int(id); }
Json json_of(bool flag) { return flag; }
Json json_of(const std::string& text) { return text; }
Json json_of(Placement placement) { return std::string(name_of(placement)); }
Json json_of(Slicing slicing) { return slicing_names[static_cast<std::size_t>(slicing)]; }
Json json_of(const Point& point) { return Json::List(std::begin(point.at), std::end(point.at)); }
Json json_of(const Box& box) {
  Json::List ranges;
  for (int d = 0; d < box.dimensions; ++d) ranges.push_back(Json::List{box[d].begin, box[d].end});
  return ranges;
}
Json json_of(const ProcessorGrid& grid);
Json json_of(const PlanNode& node);
template <class T>
Json json_of(const std::vector<T>& list);
template <class Id, class T>
Json json_of(const IdVector<Id, T>& table) {
  return json_of(table.values());
}
template <HasFields Structure>
Json json_of(const Structure& structure);

template <class T>
Json json_of(const std::vector<T>& list) {
  Json::List elements;
  elements.reserve(list.size());
  for (const T& element : list) elements.push_back(json_of(element));
  return elements;
}

template <class Structure>
void append_fields(Json& json, const Structure& structure) {
  for_each_field<Structure>([&](const auto& field) { json[field.name] = json_of(structure.*field.member); });
}

template <HasFields Structure>
Json json_of(const Structure& structure) {
  Json json = Json::Object();
  append_fields(json, structure);
  return json;
}

Json json_of(const ProcessorGrid& grid) {
  Json json;
  json["size"] = Json::List(grid.size, grid.size + grid.dimensions);
  json["digits"] = json_of(grid.digits);
  return json;
}

Json json_of(const PlanNode& node) {
  Json json;
  json["id"] = node.id;
  json["kind"] = step_kind(node);
  std::visit([&](const auto& step) { append_fields(json, step); }, node.step);
  if (const auto* children = children_of(node)) json["children"] = json_of(*children);
  return json;
}

bool holds_objects(const Json& json) {
  const auto is_or_holds = [](const Json& inner) {
    return inner.get_if<Json::Object>() != nullptr || holds_objects(inner);
  };
  if (const auto* list = json.get_if<Json::List>())
    return std::any_of(list->begin(), list->end(), is_or_holds);
  if (const auto* object = json.get_if<Json::Object>())
    return std::any_of(object->begin(), object->end(), [&](const auto& m) { return is_or_holds(m.second); });
  return false;
}

/// Appends a value to `text`. A value without nested objects is written on one line, so that people can read
/// a plan.
void print(const Json& json, std::size_t indentation, std::string& text) {
  if (!holds_objects(json)) {
    text += to_text(json);
    return;
  }
  const std::string line = fmt::format("\n{:{}}", "", indentation + 1);
  const char* separator = "";
  const auto print_element = [&](const std::string& name, const Json& element) {
    text.append(std::exchange(separator, ",")).append(line).append(name);
    print(element, indentation + 1, text);
  };
  const auto* object = json.get_if<Json::Object>();
  text += object != nullptr ? '{' : '[';
  if (object != nullptr)
    for (const auto& [name, value] : *object) print_element(to_text(name) + ": ", value);
  else
    for (const Json& element : json.get<Json::List>()) print_element("", element);
  text.append("\n").append(indentation, ' ');
  text += object != nullptr ? '}' : ']';
}

/// Returns the boundary conditions below and above each dimension of an array.
Json boundary_json(const ArrayDeclaration& array) {
  Json::List dimensions;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.dimensions); ++d) {
    const auto& [below, above] = array.boundary.side[d];
    dimensions.push_back(Json::List{std::string(name_of(below)), std::string(name_of(above))});
  }
  return dimensions;
}

/// Returns the description of a stage or input.
Json stage_json(const Algorithm& pipeline, ArrayId id) {
  const ArrayDeclaration& stage = pipeline[id];
  Json json;
  json["name"] = stage.name;
  json["type"] = std::string(name_of(stage.type));
  json["dimensions"] = stage.dimensions;
  Json::List reads;
  for (ArrayId input : stage.inputs) reads.push_back(pipeline[input].name);
  json["reads"] = std::move(reads);
  json["output"] = stage.is_output;
  json["domain"] = json_of(stage.domain);
  // The steps of a plan fill the points beyond a domain as these conditions say.
  if (stage.ends_at_domain()) json["boundary"] = boundary_json(stage);
  return json;
}

/// Returns the description of the loops of a pipeline.
Json loops_json(const Algorithm& pipeline) {
  Json::List loops;
  for (const LoopDeclaration& loop : pipeline.loops()) {
    Json json;
    json["name"] = loop.name;
    json["first"] = json_of(loop.first);
    json["last"] = json_of(loop.last);
    json["maximum"] = loop.maximum;
    json["condition"] = json_of(loop.condition);
    json["residuals"] = json_of(loop.residuals);
    json["turns"] = loop.turns;
    json["rounds_of"] = loop.rounds_of;
    Json::List feeds;
    for (const auto& [from, to] : loop.feeds) feeds.push_back(Json::List{json_of(from), json_of(to)});
    json["feeds"] = std::move(feeds);
    loops.push_back(std::move(json));
  }
  return loops;
}

Json plans_json(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  Json json;
  json["format"] = plan_format;
  json["version"] = plan_version;
  Json::List stages;
  for (ArrayId id : pipeline.ids()) stages.push_back(stage_json(pipeline, id));
  json["pipeline"] = std::move(stages);
  json["loops"] = loops_json(pipeline);
  json["plans"] = json_of(plans);
  return json;
}

}  // namespace
}  // namespace detail

std::string to_json(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  std::string text;
  detail::print(detail::plans_json(pipeline, plans), 0, text);
  return text + "\n";
}

std::string to_json(const Algorithm& pipeline, const Plan& plan) {
  return to_json(pipeline, std::vector{plan});
}

}  // namespace tessera
