// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Returns `text` with the special characters &, <, > and " written as entities of XML.
std::string xml_escaped(std::string_view text);

}  // namespace tessera
