// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/dot_quoted.hpp"

namespace tessera {

std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace tessera
