// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::app {

/// Returns the path with symbolic links and relative parts resolved, so that different paths of one file
/// become equal.
std::filesystem::path place_of(const std::string& path);

/// A file together with the key of a deck or the option that names it.
struct NamedFile {
  /// The key or option that names the file.
  std::string key;
  /// The path of the file.
  std::string path;
};

/// Throws InputError when one of `files`, which a run is to write, is the same file as one of `taken` or as
/// another one of `files`. Each of `files` is a pair of the option or key that names it and its path; entries
/// with an empty path are skipped.
void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tessera::app
