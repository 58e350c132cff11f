// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/key.hpp"

#include <fmt/format.h>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck {
namespace {

using detail::size_units;

bool is_list(const KeyDeclaration& key) { return key.type == ValueType::grid || key.type == ValueType::tile; }

std::string bound_text(const KeyDeclaration& key, double bound) {
  return key.type == ValueType::real ? fmt::format("{}", bound) : fmt::format("{:.0f}", bound);
}

std::string range_text(const KeyDeclaration& key) {
  const std::optional<double> minimum = lower_bound(key), maximum = upper_bound(key);
  if (minimum && maximum)
    return fmt::format(" from {} to {}", bound_text(key, *minimum), bound_text(key, *maximum));
  if (minimum) return fmt::format(" of at least {}", bound_text(key, *minimum));
  if (maximum) return fmt::format(" of at most {}", bound_text(key, *maximum));
  return "";
}

std::string describe_without_unit(const KeyDeclaration& key) {
  switch (key.type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return "an integer" + range_text(key);
    case ValueType::real:
      return "a number" + range_text(key);
    case ValueType::bytes:
      return "a size with its unit, such as 64M, 96 MiB or 2 GB (" + std::string(size_units) + ")";
    case ValueType::text:
      return "text";
    case ValueType::path:
      return "a path";
    case ValueType::paths:
      return "a path or a list of paths";
    case ValueType::choice:
      return fmt::format("{}{}", key.choices.size() > 1 ? "one of " : "", fmt::join(key.choices, ", "));
    case ValueType::choices:
      if (key.choices.empty()) return "a list of names";
      return fmt::format("a list of {}{}", key.choices.size() > 1 ? "some of " : "",
                         fmt::join(key.choices, ", "));
    case ValueType::tree:
      return "a value or a block of values";
    case ValueType::grid:
      return fmt::format("a list such as [1, auto] (at most {} entries, each auto or an integer{})",
                         key.max_entries, range_text(key));
    case ValueType::tile:
      return fmt::format(
          "auto, a list such as [4096, 32] (at most {} integers{}), or {{host: [4096, 32], device: auto}}",
          key.max_entries, range_text(key));
  }
  return "";
}

}  // namespace

std::optional<double> lower_bound(const KeyDeclaration& key) {
  return key.minimum || !is_list(key) ? key.minimum : 1.0;
}

std::optional<double> upper_bound(const KeyDeclaration& key) {
  return key.maximum || !is_list(key) ? key.maximum : 2147483647.0;
}

std::string describe(const KeyDeclaration& key) {
  const std::string text = describe_without_unit(key);
  return key.unit.empty() ? text : fmt::format("{} ({})", text, key.unit);
}

}  // namespace tessera::deck
