// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/file_patterns.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>

#include "tessera/deck/glob.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

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
    if (fs::exists(entry, error)) {  // The name of a file may look like a pattern.
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

NamePattern::NamePattern(const std::string& text, std::span<const std::string_view> fields)
    : fields_(fields.size()) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    if (open > at) parts_.push_back({text.substr(at, open - at)});
    if (open == text.size()) return;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) throw InputError(fmt::format("the '{{' in {} has no '}}': add it", text));
    parts_.push_back(field_in(text.substr(open + 1, close - open - 1), fields));
    at = close + 1;
  }
}

NamePattern::NamePattern(const deck::Deck& deck, const std::string& key,
                         std::span<const std::string_view> fields) try
    : NamePattern(deck.text_of(key), fields) {
} catch (const InputError& error) {
  deck.fail(key, error.what());
}

/// Returns the field that the text between two braces stands for.
NamePattern::Part NamePattern::field_in(const std::string& braced, std::span<const std::string_view> fields) {
  const std::size_t colon = std::min(braced.find(':'), braced.size());
  const auto found = std::ranges::find(fields, std::string_view(braced).substr(0, colon));
  if (found == fields.end())
    throw InputError(fmt::format("unknown placeholder {{{}}}: write {{{}}} or {{{}}}", braced,
                                 fmt::join(fields.first(fields.size() - 1), "}, {"), fields.back()));
  Part part;
  part.field = static_cast<int>(found - fields.begin());
  if (colon == braced.size()) return part;
  const char* const end = braced.data() + braced.size();
  const auto [stop, error] = std::from_chars(braced.data() + colon + 1, end, part.digits);
  if (error != std::errc() || stop != end || part.digits < 1 || part.digits > 18)
    throw InputError(
        fmt::format("{{{}}}: after the colon stands the least number of digits, from 1 to 18", braced));
  return part;
}

std::ptrdiff_t NamePattern::count(int field) const { return std::ranges::count(parts_, field, &Part::field); }

std::string NamePattern::name(const std::vector<std::string>& values) const {
  std::string name;
  for (const Part& part : parts_)
    name += part.field < 0
                ? part.text
                : fmt::format("{:0>{}}", values[static_cast<std::size_t>(part.field)], part.digits);
  return name;
}

std::optional<std::vector<std::int64_t>> NamePattern::match(std::string_view name) const {
  std::vector<std::int64_t> numbers(fields_);
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    if (part->field < 0) {
      if (!name.starts_with(part->text)) return std::nullopt;
      name.remove_prefix(part->text.size());
      continue;
    }
    const auto next = part + 1;
    // If a digit may follow the field, the field has exactly its least number of digits.
    const bool is_exact =
        part->digits > 0 && next != parts_.end() && (next->field >= 0 || is_digit(next->text.front()));
    const std::size_t least = std::max<std::size_t>(part->digits, 1);
    const std::size_t count = is_exact ? std::min(digits_of(name), least) : digits_of(name);
    if (count < least || count > 9 || (count > least && name.front() == '0')) return std::nullopt;
    std::from_chars(name.data(), name.data() + count, numbers[static_cast<std::size_t>(part->field)]);
    name.remove_prefix(count);
  }
  return name.empty() ? std::optional(numbers) : std::nullopt;
}

std::string expanded(const deck::Deck& deck, const std::string& key, const std::string& input,
                     std::int64_t index, std::int64_t count) {
  constexpr std::string_view fields[] = {"name", "index"};
  const std::string number = fmt::format("{:0{}}", index, std::to_string(count - 1).size());
  return NamePattern(deck, key, fields).name({fs::path(input).stem().string(), number});
}

std::filesystem::path place_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, error);
  return error ? std::filesystem::path(path) : place;
}

void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files) {
  std::set<std::filesystem::path> places;
  for (const std::string& path : taken) places.insert(place_of(path));
  for (const auto& [option, path] : files)
    if (!path.empty() && !places.insert(place_of(path)).second)
      throw InputError(
          fmt::format("{} {}: the run uses this file already: give it a name of its own", option, path));
}

namespace {

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

void check_folders(const deck::Deck& deck, const std::vector<ExpectedFile>& files) {
  for (const ExpectedFile& file : files) {
    const std::filesystem::path folder = folder_of(deck.text_of(file.key));
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) continue;
    deck.fail(file.key, fmt::format("there is no folder {}: create it, or write elsewhere", folder.string()));
  }
}

void check_room(const deck::Deck& deck, const std::vector<ExpectedFile>& files) {
  struct Disk {
    std::int64_t needed = 0;
    std::vector<std::string> paths;
  };
  std::map<dev_t, Disk> disks;
  for (const ExpectedFile& file : files) {
    const std::string path = deck.text_of(file.key);
    struct stat status {};
    if (file.bytes == 0 || ::stat(folder_of(path).c_str(), &status) != 0) continue;
    Disk& disk = disks[status.st_dev];
    disk.paths.push_back(path);
    disk.needed += file.bytes;
    std::error_code error;
    const auto space = std::filesystem::space(folder_of(path), error);
    if (!error && space.available < static_cast<std::uintmax_t>(disk.needed))
      deck.fail(file.key,
                fmt::format("{}: this needs some {}, but there is room for {}: make room, or write elsewhere",
                            fmt::join(disk.paths, " and "), human_bytes(disk.needed),
                            human_bytes(static_cast<std::int64_t>(space.available))));
  }
}

}  // namespace tessera::app
