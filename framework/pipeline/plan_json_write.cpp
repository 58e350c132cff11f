// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tessera/pipeline/detail/plan_fields.hpp"
#include "tessera/pipeline/detail/plan_pipeline.hpp"
#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/plan_json.hpp"

namespace tessera {
namespace detail {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(std::int64_t number) { return number; }
Json json_of(int number) { return number; }
Json json_of(bool flag) { return flag; }
Json json_of(const std::string& text) { return text; }
Json json_of(Placement placement) { return name_of(placement); }
Json json_of(Slicing slicing) { return slicing_names[static_cast<std::size_t>(slicing)]; }
Json json_of(const Point& point) { return point.at; }
Json json_of(const Box& box) {
  Json json = Json::array();
  for (int d = 0; d < box.dimensions; ++d) json.push_back({box[d].begin, box[d].end});
  return json;
}
Json json_of(const ProcessorGrid& grid);
Json json_of(const PlanNode& node);
template <class T>
Json json_of(const std::vector<T>& list);
template <class Structure>
requires(std::tuple_size_v<std::remove_const_t<decltype(fields_of<Structure>)>> > 0) Json
    json_of(const Structure& structure);

template <class T>
Json json_of(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& element : list) json.push_back(json_of(element));
  return json;
}

template <class Structure>
void append_fields(Json& json, const Structure& structure) {
  for_each_field<Structure>([&](const auto& field) { json[field.name] = json_of(structure.*field.member); });
}

template <class Structure>
requires(std::tuple_size_v<std::remove_const_t<decltype(fields_of<Structure>)>> > 0) Json
    json_of(const Structure& structure) {
  Json json = Json::object();
  append_fields(json, structure);
  return json;
}

Json json_of(const ProcessorGrid& grid) {
  Json json;
  json["size"] = std::vector<int>(grid.size, grid.size + grid.dimensions);
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
  if (!json.is_structured()) return false;
  for (const Json& element : json)
    if (element.is_object() || holds_objects(element)) return true;
  return false;
}

/// Appends a value: on one line when no other object is in it, so that people can read and edit a plan.
void print(const Json& json, std::size_t indentation, std::string& text) {
  if (!holds_objects(json)) {
    text += json.dump();
    return;
  }
  const std::string line = fmt::format("\n{:{}}", "", indentation + 1);
  text += json.is_object() ? '{' : '[';
  bool is_first = true;
  for (const auto& element : json.items()) {
    text.append(is_first ? "" : ",").append(line);
    if (json.is_object()) text.append(Json(element.key()).dump()).append(": ");
    print(element.value(), indentation + 1, text);
    is_first = false;
  }
  text.append("\n").append(indentation, ' ');
  text += json.is_object() ? '}' : ']';
}

}  // namespace

Json stage_json(const Pipeline& pipeline, int id) {
  const StageDeclaration& stage = pipeline[id];
  Json json;
  json["name"] = stage.name;
  json["type"] = name_of(stage.type);
  json["dimensions"] = stage.dimensions;
  json["reads"] = Json::array();
  for (int input : stage.inputs) json["reads"].push_back(pipeline[input].name);
  json["output"] = stage.is_output;
  json["domain"] = json_of(stage.domain);
  return json;
}

namespace {

Json plans_json(const Pipeline& pipeline, const std::vector<Plan>& plans) {
  Json json;
  json["format"] = plan_format;
  json["version"] = plan_version;
  json["pipeline"] = Json::array();
  for (int id = 0; id < pipeline.size(); ++id) json["pipeline"].push_back(stage_json(pipeline, id));
  json["plans"] = json_of(plans);
  return json;
}

}  // namespace
}  // namespace detail

std::string to_json(const Pipeline& pipeline, const std::vector<Plan>& plans) {
  std::string text;
  detail::print(detail::plans_json(pipeline, plans), 0, text);
  return text + "\n";
}

std::string to_json(const Pipeline& pipeline, const Plan& plan) {
  return to_json(pipeline, std::vector{plan});
}

}  // namespace tessera
