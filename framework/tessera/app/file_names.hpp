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

/// A file, with the key of a deck or the option that names it.
struct NamedFile {
  /// The key or option.
  std::string key;
  /// The path of the file.
  std::string path;
};

/// Throws InputError when two uses of the run have the same file: when a file that is to be written is one of
/// `taken`, or another of `files`. Each of `files` is the option or key that names it, and its path. Empty
/// paths are no files.
void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tessera::app
