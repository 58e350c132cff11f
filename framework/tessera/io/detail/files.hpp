// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::detail {

/// Throws InputError with the message "<path>: <problem>; <advice>", on one line.
[[noreturn]] void fail(const std::string& path, const std::string& problem, const std::string& advice);

/// Throws InputError which says that the output file at `path` cannot be written completely.
[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason);

/// Returns a list of the names for an error message. If there are more than 10 names, the list has the first
/// 10 and the number of the others.
std::string listed(const std::vector<std::string>& names);

/// Returns the message of the system for a value of errno.
std::string error_text(int error_number);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Reserves space on the disk for `bytes` bytes of the file `file_name`, if the file system supports this.
/// Throws InputError about `path` when there is too little space, or when the limit of the process on the
/// size of files is less than `bytes`.
void reserve(const std::string& file_name, const std::string& path, std::int64_t bytes);

/// Frees the space that `reserve` has reserved behind the end of the file. Throws InputError about `path`.
void release_reserve(const std::string& file_name, const std::string& path);

/// Waits until the content of `file_name` has reached the disk. `file_name` may be a folder, whose content is
/// the names of its files. Throws InputError about `path`.
void wait_for_disk(const std::string& file_name, const std::string& path);

/// Opens a regular file for reading. Throws InputError when there is no file at `path`, when it is not a
/// regular file, or when the process has no permission to read it. `kind` is the kind of file that the error
/// message asks for; empty means an image in a format that can be read.
File open_for_reading(const std::string& path, const std::string& kind = "");

/// Throws InputError which says that the file at `path` cannot be read, because Tessera was built without a
/// library. `library` is the end of the name of the CMake option, such as "PNG" in TESSERA_PNG.
[[noreturn]] void fail_to_read_without(const std::string& path, std::string_view library);
/// Throws InputError which says that the file at `path` cannot be written, for the same reason.
[[noreturn]] void fail_to_write_without(const std::string& path, std::string_view library);

/// An output file that has a temporary name, in its final folder, until it is complete. The constructor and
/// the functions that complete the file are collective.
class UnfinishedFile {
 public:
  /// Creates an empty file on rank 0. Throws InputError on every rank when rank 0 cannot create the file.
  UnfinishedFile(MPI_Comm communicator, const std::string& path);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  /// Removes the file on rank 0, unless the file is complete. Not collective.
  ~UnfinishedFile();

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  /// Gives the file its final name. The file must be closed before the call. Throws InputError on every rank
  /// when the file cannot be renamed.
  void complete();
  /// Waits until the whole file has reached the disk, and then gives the file its final name. If the machine
  /// crashes, there is either the complete file, or the file that had the final name before.
  void complete_on_disk();

 private:
  void create() const;
  void rename() const;

  MPI_Comm communicator_;
  int rank_ = 0;
  std::string path_;
  std::string temporary_path_;
};

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
