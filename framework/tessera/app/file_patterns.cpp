// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/file_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/deck/glob.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the number of digits at the start of `text`.
std::size_t digits_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// Returns the files that match a pattern, which `key` gives. Only the last part of the path may have
/// wildcards.
std::vector<std::string> matches_of(const deck::Deck& deck, const std::string& key,
                                    const std::string& pattern) {
  const fs::path path(pattern);
  const fs::path folder = path.parent_path();
  const std::string name = path.filename().string();
  if (const std::string fault = deck::glob_fault(name); !fault.empty())
    deck.fail(key, fmt::format("'{}': {}", pattern, fault));
  if (folder.string().find_first_of("*?[") != std::string::npos)
    deck.fail(key, fmt::format("'{}': only the last part of a path may be a pattern", pattern));
  std::error_code error;
  fs::directory_iterator entries(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    deck.fail(key, fmt::format("cannot look into the folder {}: {}", folder.string(), error.message()));
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : entries)
    if (!entry.is_directory(error) && deck::glob_matches(name, entry.path().filename().string()))
      found.push_back((folder / entry.path().filename()).string());
  if (found.empty()) deck.fail(key, fmt::format("no file matches '{}'", pattern));
  std::ranges::sort(found, is_before);
  return found;
}

}  // namespace

bool is_before(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto strip = [](std::string_view digits) {
        return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
      };
      const std::string_view number_a = strip(a.substr(0, digits_of(a))),
                             number_b = strip(b.substr(0, digits_of(b)));
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(digits_of(a));
      b.remove_prefix(digits_of(b));
    } else {
      if (a.front() != b.front())
        return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::vector<std::string> matching_files(const deck::Deck& deck, const std::string& key,
                                        const std::vector<std::string>& entries) {
  std::vector<std::string> inputs;
  std::error_code error;
  for (const std::string& entry : entries) {
    if (fs::exists(entry, error)) {  // Even if its name looks like a pattern.
      inputs.push_back(entry);
    } else if (entry.find_first_of("*?[") != std::string::npos) {
      const std::vector<std::string> found = matches_of(deck, key, entry);
      inputs.insert(inputs.end(), found.begin(), found.end());
    } else {
      deck.fail(key, fmt::format("there is no file {}", entry));
    }
  }
  return inputs;
}

std::vector<std::string> matching_files(MPI_Comm communicator, const deck::Deck& deck,
                                        const std::string& key) {
  std::vector<std::string> files;
  collectively(communicator, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    if (rank == 0) files = matching_files(deck, key, deck.get<std::vector<std::string>>(key));
  });
  broadcast(communicator, files);
  return files;
}

std::string expanded(const deck::Deck& deck, const std::string& key, const std::string& input,
                     std::int64_t index, std::int64_t count) {
  const std::string pattern = deck.text_of(key);
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    if (end == std::string::npos) {
      text += pattern[at++];
      continue;
    }
    const std::string placeholder = pattern.substr(at, end + 1 - at);
    if (placeholder == "{name}")
      text += fs::path(input).stem().string();
    else if (placeholder == "{index}")
      text += fmt::format("{:0{}}", index, std::to_string(count - 1).size());
    else
      deck.fail(key, fmt::format("unknown placeholder {}: write {{name}} or {{index}}", placeholder));
    at = end + 1;
  }
  return text;
}

}  // namespace tessera::app
