// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {

/// Throws InputError with the message "<path>: <problem>; <advice>", on one line.
[[noreturn]] void fail(const std::string& path, const std::string& problem,
                       const std::string& advice = "get a complete copy of the file");

/// Throws InputError which says that the output file at `path` cannot be written completely.
[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason);

/// Returns a list of the names for an error message: at most 10, and the number of the others.
std::string listed(const std::vector<std::string>& names);

/// Runs `task` on rank 0. If it throws an exception, all ranks throw an error, as in `collectively`.
/// Collective.
void on_rank_0(MPI_Comm communicator, const std::function<void()>& task);

/// Returns the value of rank 0. Collective. Makes no call of MPI for MPI_COMM_SELF.
std::int64_t from_rank_0(MPI_Comm communicator, std::int64_t value);

/// Returns the sum of the values of all ranks. Collective. Makes no call of MPI for MPI_COMM_SELF.
template <class Value>
Value sum_over_ranks(MPI_Comm communicator, Value value) {
  static_assert(std::is_integral_v<Value> && sizeof(Value) == sizeof(std::uint64_t));
  if (ranks_of(communicator) > 1) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return value;
}

/// Returns the message of the system for a value of errno.
std::string error_text(int error_number);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a regular file for reading. Throws InputError when there is none at `path`, or no permission to read
/// it. `kind` is what the error message asks for; empty means an image in a format that can be read.
File open_for_reading(const std::string& path, const std::string& kind = "");

/// Returns the number of bytes of a file. Throws InputError when the system does not tell it.
std::int64_t file_bytes(const std::string& path);

/// Throws InputError which says that a file cannot be read or written, because Tessera was built without a
/// library, which is named as in the CMake option TESSERA_<library>. `instead` is what helps besides.
[[noreturn]] void fail_without(const std::string& path, std::string_view library, std::string_view instead);
inline constexpr std::string_view convert_file = "convert the file";
inline constexpr std::string_view write_other_format = "write another format";

/// An output file that has a temporary name, in its final folder, until it is complete. The constructor and
/// the functions that complete the file are collective.
class UnfinishedFile {
 public:
  /// Creates an empty file on rank 0, or takes over the file that the process `killed` has left there. Throws
  /// InputError on every rank when rank 0 cannot do so.
  UnfinishedFile(MPI_Comm communicator, const std::string& path, long killed = 0);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  /// Removes the file on rank 0, unless the file is complete. Not collective.
  ~UnfinishedFile();

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  /// Gives the file its final name. The file must be closed before the call. If `on_disk`, this is done when
  /// the whole file has reached the disk: if the machine crashes, there is either the complete file, or the
  /// one that had the final name before. Throws InputError on every rank when the file cannot be renamed.
  void complete(bool on_disk = false);

 private:
  void create(long killed) const;

  MPI_Comm communicator_;
  int rank_;
  std::string path_;
  std::string temporary_path_;
};

/// Reserves space on the disk for `bytes` bytes of the file, if the file system supports this. Throws
/// InputError when there is too little, or when the limit of the process on the size of files is lower.
void reserve(const UnfinishedFile& file, std::int64_t bytes);

/// Gives the file a size of `bytes` bytes, and frees the space that `reserve` has reserved behind its end.
/// Throws InputError.
void set_size(const UnfinishedFile& file, std::int64_t bytes);

/// An unfinished file that is open for writing. All functions throw InputError when the system reports an
/// error.
class FileWriter {
 public:
  explicit FileWriter(const UnfinishedFile& file);

  /// Writes `bytes` bytes at the offset `to` of the file. Several threads may call it at the same time.
  void write(const std::byte* from, std::int64_t bytes, std::int64_t to) const;
  /// Writes bytes behind those that were appended before.
  void append(const void* from, std::size_t bytes);
  /// Closes the file: some file systems report only at this point that they are full.
  void close();

 private:
  std::string path_;
  File file_;
  std::int64_t appended_ = 0;
};

}  // namespace tessera::io::detail
