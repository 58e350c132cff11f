// SPDX-License-Identifier: BSD-3-Clause
#include "name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tessera/domain/error.hpp"

namespace stitch {

using tessera::InputError;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

using Field = std::int64_t TileNumbers::*;

constexpr std::pair<std::string_view, Field> fields[] = {{"row", &TileNumbers::row},
                                                         {"col", &TileNumbers::column},
                                                         {"index", &TileNumbers::index},
                                                         {"z", &TileNumbers::z},
                                                         {"channel", &TileNumbers::channel}};

/// Returns the field with a name, or null if there is none.
Field field_of(std::string_view name) {
  for (const auto& [known, field] : fields)
    if (name == known) return field;
  return nullptr;
}

/// Returns the name at the beginning of a text in braces, which has its opening one.
std::string_view name_in(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return {text.begin() + 1, std::find_if_not(text.begin() + 1, text.end(), is_letter)};
}

}  // namespace

NamePattern::NamePattern(const std::string& text) {
  parse(text, false);
  const bool has_cell = has(&TileNumbers::row) && has(&TileNumbers::column);
  const bool has_part_of_cell = has(&TileNumbers::row) || has(&TileNumbers::column);
  if (has_index() ? has_part_of_cell : !has_cell)
    throw InputError(
        fmt::format("{} does not number tiles: write {{row}} and {{col}} once each into the file name, or "
                    "{{index}}, such as "
                    "tile_r{{row:3}}_c{{col:3}}.tif",
                    text));
}

NamePattern NamePattern::of_plates(const std::string& text) {
  NamePattern pattern;
  pattern.parse(text, true);
  return pattern;
}

void NamePattern::parse(const std::string& text, bool is_plate) {
  const std::size_t slash = text.rfind('/');
  folder_ = slash == std::string::npos ? "" : text.substr(0, slash + 1);
  if (is_plate) check_folder();
  for (std::size_t at = folder_.size(); at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    if (open > at) parts_.push_back({.literal = text.substr(at, open - at)});
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos && (!is_plate || field_of(name_in(text.substr(open))) != nullptr))
      throw InputError(fmt::format("the '{{' in {} has no '}}': add it", text));
    const std::size_t end = close == std::string::npos ? text.size() : close + 1;
    const auto field = field_in(text.substr(open, end - open), is_plate);
    parts_.push_back(field ? *field : Part{.literal = text.substr(open, end - open)});
    at = end;
  }
  for (const auto& [name, field] : fields)
    if (std::ranges::count(parts_, field, &Part::field) > 1)
      throw InputError(fmt::format("{} has {{{}}} more than once: leave out the others", text, name));
}

/// Throws InputError if the folder has a field.
void NamePattern::check_folder() const {
  for (std::size_t open = folder_.find('{'); open != std::string::npos; open = folder_.find('{', open + 1))
    if (const std::string_view name = name_in(std::string_view(folder_).substr(open));
        field_of(name) != nullptr)
      throw InputError(
          fmt::format("the folder {} has {{{}}}: write it into the name of the file only", folder_, name));
}

/// Returns the field that a text in braces stands for, or nothing if it is none and the pattern is of plates.
std::optional<NamePattern::Part> NamePattern::field_in(const std::string& text, bool is_plate) {
  const std::string inner = text.substr(1, text.size() - 1 - (text.back() == '}' ? 1 : 0));
  const std::string name = inner.substr(0, inner.find(':'));
  Part part{.field = field_of(name)};
  if (is_plate && part.field == nullptr) return std::nullopt;
  if (is_plate && part.field != &TileNumbers::z && part.field != &TileNumbers::channel)
    throw InputError(fmt::format("'{}' numbers tiles, but a plate has all of them: leave it out", text));
  bool is_good = part.field != nullptr;
  if (name.size() < inner.size()) {
    const char* const begin = inner.data() + name.size() + 1;
    const char* const end = inner.data() + inner.size();
    const auto [stop, error] = std::from_chars(begin, end, part.width);
    is_good = is_good && error == std::errc() && stop == end && part.width >= 1 && part.width <= 18;
  }
  if (!is_good)
    throw InputError(
        fmt::format("'{}' is not one of {}, or one with digits such as {{row:3}}: correct it", text,
                    is_plate ? "{z} and {channel}" : "{row}, {col}, {index}, {z} and {channel}"));
  return part;
}

bool NamePattern::has(std::int64_t TileNumbers::*field) const {
  return std::ranges::find(parts_, field, &Part::field) != parts_.end();
}

std::string NamePattern::folder() const { return folder_.empty() ? "." : folder_; }

std::string NamePattern::path(const TileNumbers& numbers) const {
  std::string path = folder_;
  for (const Part& part : parts_)
    path += part.field == nullptr ? part.literal : fmt::format("{:0{}}", numbers.*part.field, part.width);
  return path;
}

/// Returns whether a number ends after its least digits although another digit may follow.
bool NamePattern::is_exact(std::size_t part) const {
  if (part + 1 == parts_.size()) return false;
  const Part& next = parts_[part + 1];
  return parts_[part].width > 0 && (next.field != nullptr || is_digit(next.literal.front()));
}

std::optional<TileNumbers> NamePattern::match(std::string_view name) const {
  TileNumbers numbers;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.field == nullptr) {
      if (!name.starts_with(part.literal)) return std::nullopt;
      name.remove_prefix(part.literal.size());
      continue;
    }
    std::size_t digits = 0;
    while (digits < name.size() && is_digit(name[digits]) && !(is_exact(i) && digits == part.width)) ++digits;
    const std::size_t least = std::max<std::size_t>(part.width, 1);
    if (digits < least || digits > 9 || (digits > least && name.front() == '0')) return std::nullopt;
    std::from_chars(name.data(), name.data() + digits, numbers.*part.field);
    name.remove_prefix(digits);
  }
  return name.empty() ? std::optional(numbers) : std::nullopt;
}

}  // namespace stitch
