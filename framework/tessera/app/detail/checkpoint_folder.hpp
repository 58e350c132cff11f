// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::app {

/// A folder with the checkpoints of one program. The file name of a checkpoint consists of the name of the
/// program and a number, as in `<program>-00000012.h5`. No call is collective.
class CheckpointFolder {
 public:
  /// Makes an object for the checkpoints of `program` in the folder `path`, which need not exist.
  CheckpointFolder(std::string path, std::string program);

  const std::string& path() const { return path_; }
  /// Returns the paths of the complete checkpoints, the newest first. The result is empty if the folder does
  /// not exist.
  std::vector<std::string> files() const;
  /// Returns the number of the newest checkpoint, or 0 if there is no checkpoint.
  std::int64_t last_number() const;
  /// Returns the path of the checkpoint with this number.
  std::string file(std::int64_t number) const;
  /// Removes all checkpoints of this program except those whose paths are in `kept`. Also removes unfinished
  /// checkpoints, which are left when a run is killed while it writes.
  void remove_all_but(const std::vector<std::string>& kept) const;

 private:
  /// Returns the number of the checkpoint whose file name is `name`, or 0 if `name` is not the file name of a
  /// checkpoint of this program.
  std::int64_t number_of(const std::string& name) const;
  std::string name_of(std::int64_t number) const;

  std::string path_;
  std::string program_;
};

}  // namespace tessera::app
