// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/pipeline/plan_file/detail/plan_fields.hpp"
#include "tessera/pipeline/plan_file/detail/plan_pipeline.hpp"
#include "tessera/pipeline/plan_file/plan_check.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"

namespace tessera {
namespace detail {
namespace {

/// The greatest number of levels of JSON in a plan file. Plans that a program writes have far fewer levels. A
/// file with more levels could overflow the stack.
constexpr int most_json_levels = 100;
constexpr std::string_view advice = "save the plan again, or mend it";

[[noreturn]] void fail_too_deep() { throw InputError(fmt::format("steps nested too deeply: {}", advice)); }

/// A JSON value and the path to this value, which error messages contain.
struct Place {
  const Json& json;
  const Place* above = nullptr;
  std::string_view key = {};
  std::size_t index = 0;

  std::string path() const {
    if (above == nullptr) return "";
    const std::string start = above->path();
    if (key.empty()) return fmt::format("{}[{}]", start, index);
    return fmt::format("{}{}{}", start, start.empty() ? "" : ".", key);
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("'{}' {}: {}", path(), problem, advice));
  }
  [[noreturn]] void fail_expecting(std::string_view what) const {
    std::string found = to_ascii(json);
    if (found.size() > 60) found = found.substr(0, 60) + "...";
    fail(fmt::format("expects {}, got {}", what, found));
  }
  Place operator[](std::string_view name) const {
    if (json.get_if<Json::Object>() == nullptr) fail_expecting("an object");
    const Json* found = json.find(name);
    if (found == nullptr) fail(fmt::format("has no '{}'", name));
    return {*found, this, name, 0};
  }
  Place operator[](std::size_t i) const { return {json.get<Json::List>()[i], this, {}, i}; }
  /// Returns the number of elements of a list. Throws InputError if the value is not a list.
  std::size_t list_size() const {
    const auto* list = json.get_if<Json::List>();
    if (list == nullptr) fail_expecting("a list");
    return list->size();
  }
  /// Throws InputError if an object has a key that is not in `names`, because such a key is probably
  /// mistyped.
  void allow_only(const std::set<std::string_view>& names) const {
    for (const auto& [name, value] : json.get<Json::Object>())
      if (!names.contains(name)) fail(fmt::format("has the unknown key {}", to_ascii(name.substr(0, 60))));
  }
};

/// Reads a value of a type that exists in JSON. `what` names the expected type in error messages.
template <class Value>
void read_value(const Place& place, Value& value, std::string_view what) {
  const auto* found = place.json.get_if<Value>();
  if (found == nullptr) place.fail_expecting(what);
  value = *found;
}

void read(const Place& place, std::int64_t& number) { read_value(place, number, "an integer"); }

void read(const Place& place, int& number) {
  std::int64_t wide = 0;
  read(place, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    place.fail_expecting("an integer of 32 bits");
  number = static_cast<int>(wide);
}

void read(const Place& place, bool& flag) { read_value(place, flag, "true or false"); }
/// Reads a text. The text must not contain control characters, because texts such as names are shown in
/// messages of one line.
void read(const Place& place, std::string& text) {
  read_value(place, text, "a text");
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) place.fail_expecting("a text without control characters");
}

/// Returns the index of a word in a list of names.
template <class Names>
std::size_t read_word(const Place& place, const Names& names) {
  std::string word;
  read(place, word);
  const auto found = std::find(std::begin(names), std::end(names), word);
  if (found == std::end(names)) place.fail_expecting(fmt::format("one of {}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - std::begin(names));
}

void read(const Place& place, Placement& placement) {
  const std::string_view names[] = {name_of(Placement::distributed), name_of(Placement::rank),
                                    name_of(Placement::replicated),  name_of(Placement::tile),
                                    name_of(Placement::window),      name_of(Placement::outer_tile)};
  placement = static_cast<Placement>(read_word(place, names));
}

void read(const Place& place, Slicing& slicing) {
  slicing = static_cast<Slicing>(read_word(place, slicing_names));
}

void read(const Place& place, Box& box) {
  if (place.list_size() > max_dimensions) place.fail_expecting("a list of at most 4 ranges");
  for (std::size_t d = 0; d < place.list_size(); ++d) {
    const Place range = place[d];
    if (range.list_size() != 2) range.fail_expecting("a range [begin, end]");
    read(range[0], box.range[box.dimensions].begin);
    read(range[1], box.range[box.dimensions++].end);
  }
}

void read(const Place& place, Point& point) {
  if (place.list_size() != max_dimensions) place.fail_expecting("a list of 4 integers");
  for (int d = 0; d < max_dimensions; ++d) read(place[static_cast<std::size_t>(d)], point[d]);
}

void read(const Place& place, ProcessorGrid& grid);
void read(const Place& place, PlanNode& node);
template <class T>
void read(const Place& place, std::vector<T>& list);
template <HasFields Structure>
void read(const Place& place, Structure& structure);

template <class T>
void read(const Place& place, std::vector<T>& list) {
  list.resize(place.list_size());
  for (std::size_t i = 0; i < list.size(); ++i) read(place[i], list[i]);
}

template <class Structure>
void read_fields(const Place& place, Structure& structure, std::set<std::string_view> more_keys = {}) {
  for_each_field<Structure>([&](const auto& field) {
    read(place[std::string_view(field.name)], structure.*field.member);
    more_keys.insert(field.name);
  });
  place.allow_only(more_keys);
}

template <HasFields Structure>
void read(const Place& place, Structure& structure) {
  read_fields(place, structure);
}

void read(const Place& place, ProcessorGrid& grid) {
  const Place size = place["size"];
  if (size.list_size() > max_dimensions) size.fail_expecting("a list of at most 4 numbers of ranks");
  for (std::size_t d = 0; d < size.list_size(); ++d) read(size[d], grid.size[grid.dimensions++]);
  read(place["digits"], grid.digits);
  place.allow_only({"size", "digits"});
}

/// Makes `node` a step of the kind `name`. Returns false if no kind has this name.
template <std::size_t Kind = 0>
bool make_step(PlanNode& node, const std::string& name) {
  if constexpr (Kind == std::variant_size_v<decltype(node.step)>) {
    return false;
  } else {
    node.step.template emplace<Kind>();
    return step_kind(node) == name || make_step<Kind + 1>(node, name);
  }
}

void read(const Place& place, PlanNode& node) {
  int levels = 0;
  for (const Place* above = place.above; above != nullptr; above = above->above) ++levels;
  if (levels > most_json_levels) fail_too_deep();
  read(place["id"], node.id);
  std::string kind;
  read(place["kind"], kind);
  if (!make_step(node, kind)) place["kind"].fail_expecting("a kind of step");
  std::visit(
      [&](auto& step) {
        if constexpr (requires { step.children; }) {
          read(place["children"], step.children);
          read_fields(place, step, {"id", "kind", "children"});
        } else {
          read_fields(place, step, {"id", "kind"});
        }
      },
      node.step);
}

Json parse(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    if (error.is_too_deep) fail_too_deep();
    const std::string_view before = text.substr(0, error.byte);
    throw InputError(fmt::format("is not JSON from line {} on: {}",
                                 1 + std::count(before.begin(), before.end(), '\n'), advice));
  }
}

void check_header(const Algorithm& pipeline, const Place& document) {
  const Place format = document["format"], version = document["version"], stages = document["pipeline"],
              loops = document["loops"];
  if (format.json != plan_format) format.fail_expecting(fmt::format("\"{}\"", plan_format));
  if (version.json != plan_version)
    version.fail_expecting(fmt::format("{}, the version that this program knows", plan_version));
  document.allow_only({"format", "version", "pipeline", "loops", "plans"});
  const auto shown = [](const Json& json) {
    const std::string text = to_ascii(json);
    return text.size() > 300 ? text.substr(0, 300) + "..." : text;
  };
  const auto count = static_cast<std::size_t>(pipeline.size());
  for (std::size_t i = 0; i < std::min(stages.list_size(), count); ++i)
    if (const Json mine = sorted(stage_json(pipeline, static_cast<int>(i))); stages[i].json != mine)
      throw InputError(fmt::format(
          "the plan is of another pipeline or image: it was made for {}, and this run has {}: save the "
          "plan anew with the input and the keys of this run",
          shown(stages[i].json), shown(mine)));
  if (stages.list_size() != count)
    throw InputError(fmt::format(
        "the plan is of another pipeline, which has {} stages and inputs instead of {}: save the plan anew",
        stages.list_size(), count));
  if (loops.json != sorted(loops_json(pipeline)))
    throw InputError(
        "the plan is of another pipeline, whose loops differ in their stages or their greatest numbers of "
        "turns: "
        "save the plan anew with the keys of this run");
}

std::vector<Plan> read_plans(const Algorithm& pipeline, std::string_view text) {
  const Json json = parse(text);
  const Place document{json};
  check_header(pipeline, document);
  std::vector<Plan> plans;
  read(document["plans"], plans);
  return plans;
}

}  // namespace
}  // namespace detail

Plan plan_from_json(const Algorithm& pipeline, std::string_view text) {
  std::vector<Plan> plans = detail::read_plans(pipeline, text);
  if (plans.size() != 1)
    throw InputError(fmt::format("holds {} plans, and one is to be read: {}", plans.size(), detail::advice));
  check_plan(pipeline, plans.front());
  return std::move(plans.front());
}

std::vector<Plan> plans_from_json(const Algorithm& pipeline, std::string_view text) {
  std::vector<Plan> plans = detail::read_plans(pipeline, text);
  check_plans(pipeline, plans);
  return plans;
}

}  // namespace tessera
