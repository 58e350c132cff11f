// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tessera::app {

/// A path by which two names of one file are equal.
std::filesystem::path place_of(const std::string& path);

/// A file, and the key of a deck or the option that names it.
struct NamedFile {
  std::string key;
  std::string path;
};

/// Throws InputError when a file that is to be written, named by its option or key, is one of those that the
/// run uses: `taken`, or another of `files`. Empty paths are no files.
void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tessera::app
