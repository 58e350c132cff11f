// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "tessera/app/file_names.hpp"

namespace tessera::app {
namespace {

/// Returns the names of the files in a folder, or no names if the folder cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  return names;
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string path, std::string program)
    : path_(std::move(path)), program_(std::move(program)) {}

std::int64_t CheckpointFolder::number_of(const std::string& name) const {
  const std::string begin = program_ + "-";
  if (!name.starts_with(begin)) return 0;
  std::int64_t number = 0;
  std::from_chars(name.data() + begin.size(), name.data() + name.size(), number);
  return number > 0 && name == name_of(number) ? number : 0;
}

std::string CheckpointFolder::name_of(std::int64_t number) const {
  return fmt::format("{}-{:08}.h5", program_, number);
}

std::vector<std::string> CheckpointFolder::files() const {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names_in(path_))
    if (const std::int64_t number = number_of(name); number > 0) numbers.push_back(number);
  std::ranges::sort(numbers, std::greater());
  std::vector<std::string> files;
  for (const std::int64_t number : numbers) files.push_back(file(number));
  return files;
}

std::int64_t CheckpointFolder::last_number() const {
  std::int64_t last = 0;
  for (const std::string& name : names_in(path_)) last = std::max(last, number_of(name));
  return last;
}

std::string CheckpointFolder::file(std::int64_t number) const {
  return (std::filesystem::path(path_) / name_of(number)).string();
}

void CheckpointFolder::remove_all_but(const std::vector<std::string>& kept) const {
  const std::string unfinished = fmt::format(".{}-", program_);
  for (const std::string& name : names_in(path_)) {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    const bool is_kept = std::ranges::any_of(
        kept, [&](const std::string& one) { return place_of(one) == place_of(file.string()); });
    const bool is_left = name.starts_with(unfinished) && name.find(".h5.part-") != std::string::npos;
    std::error_code ignored;
    if (is_left || (number_of(name) > 0 && !is_kept)) std::filesystem::remove(file, ignored);
  }
}

}  // namespace tessera::app
