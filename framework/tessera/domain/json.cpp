// SPDX-License-Identifier: BSD-3-Clause
// No other file includes nlohmann/json.hpp. This file is compiled as C++17 (see CMakeLists.txt).
#include "tessera/domain/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

using Printed = nlohmann::ordered_json;

void sort_members(Json::Object& members) {
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::stable_sort(members.begin(), members.end(), before);
  // The last one of several members with the same name is kept. It comes first in reverse order.
  const auto kept = std::unique(members.rbegin(), members.rend(), same_name);
  members.erase(members.begin(), kept.base());
}

/// Builds a document from the events of the parser.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json document;

  bool null() override { return add({}); }
  bool boolean(bool flag) override { return add(flag); }
  bool number_integer(number_integer_t number) override { return add(number); }
  bool number_unsigned(number_unsigned_t number) override { return add(number); }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }  // does not occur in texts
  bool start_object(std::size_t) override { return open(Json::Object()); }
  bool start_array(std::size_t) override { return open(Json::List()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back()->get_if<Json::Object>()->emplace_back(std::move(name), Json());
    return true;
  }
  bool end_object() override {
    sort_members(*open_.back()->get_if<Json::Object>());
    return close();
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
    throw JsonError(error.what(), byte);
  }

 private:
  /// Returns the place of the next value: the document, a new element of the innermost list, or the last
  /// member of the innermost object.
  Json& place() {
    if (open_.empty()) return document;
    if (auto* list = open_.back()->get_if<Json::List>()) return list->emplace_back();
    return open_.back()->get_if<Json::Object>()->back().second;
  }
  bool add(Json value) {
    place() = std::move(value);
    return true;
  }
  /// Opens a list or an object. Returns false, which ends the parsing, if it is nested too deeply.
  bool open(Json value) {
    if (open_.size() == most_json_levels) return false;
    Json& opened = place();
    opened = std::move(value);
    open_.push_back(&opened);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// The lists and objects around the next value, the outermost first. The pointers stay valid, because only
  /// the innermost list or object grows.
  std::vector<Json*> open_;
};

/// Converts a document to the type of nlohmann/json, which prints it.
struct Printer {
  template <class Scalar>
  Printed operator()(const Scalar& scalar) const {
    return scalar;
  }
  Printed operator()(const Json::List& list) const {
    Printed::array_t elements;
    elements.reserve(list.size());
    for (const Json& element : list) elements.push_back(std::visit(*this, element.value()));
    return elements;
  }
  Printed operator()(const Json::Object& object) const {
    Printed::object_t members;
    members.reserve(object.size());
    for (const auto& [name, value] : object) members.emplace_back(name, std::visit(*this, value.value()));
    return members;
  }
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  if (const auto* members = get_if<Object>())
    for (const auto& [other, value] : *members)
      if (other == name) return &value;
  return nullptr;
}

Json& Json::operator[](std::string_view name) {
  if (get_if<std::nullptr_t>() != nullptr) value_ = Object();
  auto& members = std::get<Object>(value_);
  for (auto& [other, value] : members)
    if (other == name) return value;
  return members.emplace_back(name, Json()).second;
}

Json sorted(Json json) {
  if (auto* list = json.get_if<Json::List>())
    for (Json& element : *list) element = sorted(std::move(element));
  if (auto* object = json.get_if<Json::Object>()) {
    for (auto& [name, value] : *object) value = sorted(std::move(value));
    sort_members(*object);
  }
  return json;
}

Json parse_json(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder)) throw JsonError("nested too deeply", text.size());
  return std::move(builder.document);
}

std::string to_text(const Json& json, int indent) {
  return std::visit(Printer(), json.value()).dump(indent, ' ', false, Printed::error_handler_t::replace);
}

}  // namespace tessera
