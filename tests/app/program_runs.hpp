// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "child_process.hpp"

// Programs as their users start them.
namespace tessera::app_test {

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ / name; }
  /// The names in it, hidden ones too.
  std::set<std::string> names() const;
  /// Stores a file in it.
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

using Environment = std::map<std::string, std::string>;

/// `mpiexec -n ranks program words...` in a folder.
ParallelEnding run_on_ranks(const std::string& program, int ranks, const Folder& folder,
                            const std::vector<std::string>& words, const Environment& environment = {});

}  // namespace tessera::app_test
