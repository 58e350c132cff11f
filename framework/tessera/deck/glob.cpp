// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/glob.hpp"

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

bool set_contains(std::string_view members, char c) {
  const bool negated = members.starts_with('!');
  if (negated) members.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool range = i + 2 < members.size() && members[i + 1] == '-';
    const char last = range ? members[i + 2] : members[i];
    found = found || (members[i] <= c && c <= last);
    if (range) i += 2;
  }
  return found != negated;
}

/// Matches the character `c` against the part of the pattern at `position`. Returns the position in the
/// pattern after this part, or `none` if the character does not match.
std::size_t match_one(std::string_view pattern, std::size_t position, char c) {
  if (position >= pattern.size()) return none;
  if (pattern[position] == '[') {
    const std::size_t end = set_end(pattern, position);
    if (end == none) return none;
    return set_contains(pattern.substr(position + 1, end - position - 1), c) ? end + 1 : none;
  }
  return pattern[position] == '?' || pattern[position] == c ? position + 1 : none;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = none, star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
      continue;
    }
    const std::size_t next = match_one(pattern, p, name[n]);
    if (next != none) {
      p = next;
      ++n;
    } else if (star != none) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == none;
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
    if (end != none) ++i;
    skeleton += pattern[i];
    if (end != none) i = end;
  }
  return skeleton;
}

}  // namespace tessera::deck
