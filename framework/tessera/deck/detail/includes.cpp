// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/detail/includes.hpp"

#include <fmt/format.h>

#include "tessera/deck/detail/text.hpp"

namespace tessera::deck::detail {

std::vector<Node> included(const Node& root, const Origin& origin) {
  std::vector<Node> entries;
  const auto fail = [&](const Node& place, const Node& value) {
    fail_at(location(origin, place),
            fmt::format("'include' expects the path of a deck, or a list of them, got {}", describe(value)));
  };
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text != include_key) continue;
    const Node& value = root.items[i];
    if (value.kind == Node::Kind::null) fail(root.keys[i], value);
    entries = value.kind == Node::Kind::list ? value.items : std::vector<Node>{value};
  }
  for (const Node& entry : entries)
    if (entry.kind != Node::Kind::scalar || entry.text.empty()) fail(entry, entry);
  return entries;
}

}  // namespace tessera::deck::detail
