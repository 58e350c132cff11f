// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/glob.hpp"

#include <fnmatch.h>

namespace tessera::deck {
namespace {

constexpr std::string_view::size_type none = std::string_view::npos;

/// Returns the index of the `]` that ends the set of characters that begins at `begin`. A `]` that is the
/// first character of the set is a member of the set.
std::size_t set_end(std::string_view pattern, std::size_t begin) {
  std::size_t first = begin + 1;
  if (first < pattern.size() && pattern[first] == '!') ++first;
  return first < pattern.size() ? pattern.find(']', first + 1) : none;
}

}  // namespace

bool glob_matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

std::string glob_fault(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '[') continue;
    const std::size_t end = set_end(pattern, i);
    if (end == none) return "'[' without ']'";
    for (std::size_t j = i + 1; j + 2 < end; ++j) {
      if (pattern[j + 1] != '-') continue;
      if (pattern[j] > pattern[j + 2])
        return "a range in [] runs backwards (ranges are of single characters)";
      j += 2;
    }
    i = end;
  }
  return "";
}

std::string glob_skeleton(std::string_view pattern) {
  std::string skeleton;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?') continue;
    const std::size_t end = pattern[i] == '[' ? set_end(pattern, i) : none;
    skeleton += pattern[end == none ? i : i + 1];
    if (end != none) i = end;
  }
  return skeleton;
}

}  // namespace tessera::deck
