// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::app {

/// A folder with the checkpoints of one program, which are numbered, such as `<program>-00000012.h5`. No call
/// is collective.
class CheckpointFolder {
 public:
  /// Names the folder at `path`, which need not exist, for the checkpoints of `program`.
  CheckpointFolder(std::string path, std::string program);

  const std::string& path() const { return path_; }
  /// Returns the paths of the complete checkpoints, the newest first, or none when the folder does not exist.
  std::vector<std::string> files() const;
  /// Returns the number of the newest checkpoint; 0 when there is none.
  std::int64_t last_number() const;
  /// Returns the path of the checkpoint of this number.
  std::string file(std::int64_t number) const;
  /// Removes all checkpoints of this program but those whose paths are in `kept`, and the unfinished files
  /// that killed runs have left.
  void remove_all_but(const std::vector<std::string>& kept) const;

 private:
  /// Returns the number in the name of a checkpoint; 0 when it is not the name of one.
  std::int64_t number_of(const std::string& name) const;
  std::string name_of(std::int64_t number) const;

  std::string path_;
  std::string program_;
};

}  // namespace tessera::app
