// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Throws InputError "<path>: <problem>; <advice>", on one line.
[[noreturn]] void fail(const std::string& path, const std::string& problem, const std::string& advice);

/// Throws InputError that an output file cannot be written to its end.
[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason);

/// The names, or the first of many, as an error's advice tells them.
std::string listed(const std::vector<std::string>& names);

/// The system's words for an errno value.
std::string error_text(int error_number);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Makes sure that a file may have so many bytes, and has room for them, where its file system can. Throws
/// InputError about `path`.
void reserve(const std::string& file_name, const std::string& path, std::int64_t bytes);

/// Gives back what of that room lies behind the file's end. Throws InputError about `path`.
void release_reserve(const std::string& file_name, const std::string& path);

/// Waits until a file, or the names in a folder, have reached the disk. Throws InputError about `path`.
void wait_for_disk(const std::string& file_name, const std::string& path);

/// Opens a regular file for reading; throws InputError when it is missing, something else, or not permitted.
/// `kind` says what is wanted.
File open_for_reading(const std::string& path,
                      const std::string& kind = "a PNG, HDF5, TIFF, JPEG, FITS or RLE file");

/// An output file under a temporary name in the folder of its final one. Collective, except as noted.
class UnfinishedFile {
 public:
  /// Rank 0 creates the file, empty; throws InputError on every rank when it cannot.
  UnfinishedFile(MPI_Comm communicator, const std::string& path);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  /// Rank 0 removes the file unless it was completed. Not collective.
  ~UnfinishedFile();

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  /// Rank 0 renames the file, which must be closed by then, to its final name.
  void complete();
  /// The same when all of it has reached the disk: after a crash of the machine there is the file, or what
  /// had its name before.
  void complete_on_disk();

 private:
  void create() const;
  void rename() const;

  MPI_Comm communicator_;
  int rank_ = 0;
  std::string path_;
  std::string temporary_path_;
};

}  // namespace tessera::io::detail
