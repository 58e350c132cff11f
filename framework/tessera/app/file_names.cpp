// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/file_names.hpp"

#include <fmt/format.h>

#include <set>

#include "tessera/domain/error.hpp"

namespace tessera::app {

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

}  // namespace tessera::app
