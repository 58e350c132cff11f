// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/key.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck::detail {

/// Returns the value of a node, which has the type of the key. Throws InputError, with the place of the
/// error, if the node has no such value or the key does not allow this value. `name` is the key as the user
/// has written it. Paths may contain names of variables in `environment`.
Value parse_value(const KeyDeclaration& key, const std::string& name, const Node& node, const Origin& origin,
                  const Environment& environment = {});

}  // namespace tessera::deck::detail
