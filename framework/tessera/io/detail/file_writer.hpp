// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::io::detail {

/// A file that is open for writing. Several threads may write to it at the same time.
class FileWriter {
 public:
  /// Opens the file `file_name`, which must exist. Messages call it `path`, because `file_name` may be a
  /// temporary name. Throws InputError when the file cannot be opened.
  FileWriter(const std::string& file_name, const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Writes `bytes` bytes at the offset `to` of the file. Throws InputError when this fails.
  void write(const std::byte* from, std::int64_t bytes, std::int64_t to) const;
  /// Closes the file. Throws InputError when this fails: some file systems report only at this point that
  /// they are full.
  void close();

 private:
  std::string path_;
  int number_;
};

}  // namespace tessera::io::detail
