// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/key.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck::detail {

/// The node as a value of the key's type, within its range and choices, or InputError at the offending place.
/// `name` is the key as the user spelt it; paths may name variables of `environment`.
Value parse_value(const KeyDeclaration& key, const std::string& name, const Node& node, const Origin& origin,
                  const Environment& environment = {});

}  // namespace tessera::deck::detail
