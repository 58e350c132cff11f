// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::app {

/// A folder with the checkpoints of one program, which are numbered: `<program>-00000012.h5`. Not collective.
class CheckpointFolder {
 public:
  CheckpointFolder(std::string path, std::string program);

  const std::string& path() const { return path_; }
  /// Those that are complete, the newest first. None when there is no such folder.
  std::vector<std::string> files() const;
  /// The number of the newest; 0 when there is none.
  std::int64_t last_number() const;
  std::string file(std::int64_t number) const;
  /// Removes all others of this program, and what killed runs have left unfinished.
  void remove_all_but(const std::vector<std::string>& kept) const;

 private:
  /// 0: not the name of a checkpoint.
  std::int64_t number_of(const std::string& name) const;
  std::string name_of(std::int64_t number) const;

  std::string path_;
  std::string program_;
};

}  // namespace tessera::app
