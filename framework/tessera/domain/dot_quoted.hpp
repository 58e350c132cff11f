// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Returns a text in quotation marks, as Graphviz reads names and labels. Quotation marks and backslashes in
/// the text get a backslash in front.
std::string dot_quoted(std::string_view text);

}  // namespace tessera
