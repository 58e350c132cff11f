// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/deck/glob.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the number of digits at the start of `text`.
std::size_t digits_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// Returns the files that match a pattern. Only the last part of the path may have wildcards.
std::vector<std::string> matches_of(const deck::Deck& deck, const std::string& pattern) {
  const fs::path path(pattern);
  const fs::path folder = path.parent_path();
  const std::string name = path.filename().string();
  if (const std::string fault = deck::glob_fault(name); !fault.empty())
    deck.fail("input.files", fmt::format("'{}': {}", pattern, fault));
  if (folder.string().find_first_of("*?[") != std::string::npos)
    deck.fail("input.files", fmt::format("'{}': only the last part of a path may be a pattern", pattern));
  std::error_code error;
  fs::directory_iterator entries(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    deck.fail("input.files",
              fmt::format("cannot look into the folder {}: {}", folder.string(), error.message()));
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : entries)
    if (!entry.is_directory(error) && deck::glob_matches(name, entry.path().filename().string()))
      found.push_back((folder / entry.path().filename()).string());
  if (found.empty()) deck.fail("input.files", fmt::format("no file matches '{}'", pattern));
  std::ranges::sort(found, is_before);
  return found;
}

/// Returns all images, in the order of the series.
std::vector<std::string> inputs_of(const deck::Deck& deck) {
  std::vector<std::string> inputs;
  std::error_code error;
  for (const std::string& entry : deck.get<std::vector<std::string>>("input.files")) {
    if (fs::exists(entry, error)) {  // Even if its name looks like a pattern.
      inputs.push_back(entry);
    } else if (entry.find_first_of("*?[") != std::string::npos) {
      const std::vector<std::string> found = matches_of(deck, entry);
      inputs.insert(inputs.end(), found.begin(), found.end());
    } else {
      deck.fail("input.files", fmt::format("there is no file {}", entry));
    }
  }
  return inputs;
}

/// Returns `pattern` with each placeholder replaced. Throws InputError about unknown placeholders.
std::string expanded(const deck::Deck& deck, const std::string& pattern, const std::string& name,
                     const std::string& index) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    if (end == std::string::npos) {
      text += pattern[at++];
      continue;
    }
    const std::string placeholder = pattern.substr(at, end + 1 - at);
    if (placeholder != "{name}" && placeholder != "{index}")
      deck.fail("output.files",
                fmt::format("unknown placeholder {}: write {{name}} or {{index}}", placeholder));
    text += placeholder == "{name}" ? name : index;
    at = end + 1;
  }
  return text;
}

void check_outputs(const deck::Deck& deck, const std::vector<SeriesItem>& items,
                   const std::vector<NamedFile>& shared) {
  std::map<fs::path, std::string> inputs, outputs, others;
  for (const SeriesItem& item : items) inputs.emplace(place_of(item.input), item.input);
  for (const NamedFile& file : shared) others.emplace(place_of(file.path), file.key);
  for (const SeriesItem& item : items) {
    const fs::path place = place_of(item.output);
    if (inputs.contains(place))
      deck.fail("output.files",
                fmt::format("{} is an image of the series: write to another folder", item.output));
    if (const auto read = others.find(place); read != others.end())
      deck.fail("output.files",
                fmt::format("{} is the file of '{}': write to another folder", item.output, read->second));
    if (const auto [other, is_new] = outputs.emplace(place, item.input); !is_new)
      deck.fail("output.files", fmt::format("{} and {} would both become {}: use {{index}}", other->second,
                                            item.input, item.output));
  }
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

std::vector<SeriesItem> series_items(const deck::Deck& deck, const std::vector<NamedFile>& shared) {
  const std::vector<std::string> inputs = inputs_of(deck);
  const std::string pattern = deck.get<std::string>("output.files");
  const std::string key = output_key_of(pattern);
  if (key.empty() || key == "output.rle")
    deck.fail("output.files",
              fmt::format("{} has no ending of a format that is written: end it in .png, .tif, .h5 "
                          "or .raw",
                          pattern));
  const std::size_t width = std::to_string(inputs.size() - 1).size();
  std::vector<SeriesItem> items;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    items.push_back({inputs[i], expanded(deck, pattern, fs::path(inputs[i]).stem().string(),
                                         fmt::format("{:0{}}", i, width))});
  if (items.size() > 1 && items.front().output == pattern)
    deck.fail("output.files",
              fmt::format("{} is one file for {} images: use {{name}} or {{index}}", pattern, items.size()));
  check_outputs(deck, items, shared);
  return items;
}

std::vector<SeriesItem> broadcast(MPI_Comm communicator, const std::vector<SeriesItem>& items) {
  std::vector<std::string> texts;
  for (const SeriesItem& item : items) {
    texts.push_back(item.input);
    texts.push_back(item.output);
  }
  broadcast(communicator, texts);
  std::vector<SeriesItem> all;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) all.push_back({texts[i], texts[i + 1]});
  return all;
}

}  // namespace tessera::app
