// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::app {

/// Returns `path` with symbolic links and relative parts resolved, so that different paths of the same file
/// become equal.
std::filesystem::path place_of(const std::string& path);

/// A file, together with the deck key or the command-line option that names the file.
struct NamedFile {
  /// The key or option that names the file.
  std::string key;
  /// The path of the file.
  std::string path;
};

/// Checks the names of `files`, which a run is to write. Each element of `files` is a pair: the option or key
/// that names a file, and the path of the file. Elements with an empty path are skipped. `taken` holds the
/// paths of files that the run uses already. Throws InputError when an element of `files` is the same file as
/// one of `taken` or as another element of `files`.
void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tessera::app
