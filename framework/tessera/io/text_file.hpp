// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {
namespace detail {
class UnfinishedFile;
}

/// Writes a text file. Until the file is complete, it has a temporary name in the same folder. All calls are
/// collective. If the object is destroyed before `write` has succeeded, no file is left.
class TextFile {
 public:
  /// Creates the file. Throws InputError on every rank when the file cannot be written.
  TextFile(MPI_Comm communicator, const std::string& path);
  ~TextFile();
  /// Takes over the file of another object.
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;

  /// Writes the text that rank 0 passes, and gives the file its final name. Throws InputError on every rank
  /// when the file cannot be written, for example because the disk is full.
  void write(const std::string& text);

 private:
  MPI_Comm communicator_;
  std::unique_ptr<detail::UnfinishedFile> file_;
};

/// Returns the whole content of a text file. Throws InputError when the file cannot be read. `kind` is what
/// the file should be, such as "a plan", and appears in the message of the error. Not collective.
std::string read_text_file(const std::string& path, const std::string& kind);

/// Returns a digest of a text, which depends on its characters and its length, and is the same on every
/// machine.
std::uint64_t text_digest(std::string_view text);

/// Removes all output files that are not complete. A rank calls this function before it ends the whole job;
/// no rank may write files afterwards. Any thread may call it, and more than once. Returns false if another
/// rank has removed the first of these files before, which is then already ending the job and has reported
/// why. Not collective.
bool remove_unfinished_files();

/// Removes files with the temporary names of `paths` that processes of this machine have left when they were
/// killed. One rank should call it, before any of these files is created.
void remove_abandoned_files(const std::vector<std::string>& paths);

/// Returns the number of the process of this machine that was killed and has left a file with the temporary
/// name of each of `paths`; 0 if there is none, or if several processes have left such files. One rank should
/// call it.
long killed_process(const std::vector<std::string>& paths);

}  // namespace tessera::io
