// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

namespace tessera::io {

namespace detail {
class UnfinishedFile;
}

/// Writes a text file, which has a temporary name in the same folder until it is complete. All calls are
/// collective. An object that is destroyed before `write` leaves no file.
class TextFile {
 public:
  /// Creates the file. Throws InputError on every rank when it cannot be written.
  TextFile(MPI_Comm communicator, const std::string& path);
  ~TextFile();
  /// Takes over the file of another object.
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;

  /// Writes the text of rank 0 and gives the file its final name. Throws InputError on every rank when that
  /// fails, for example because the disk is full.
  void write(const std::string& text);

 private:
  MPI_Comm communicator_;
  std::unique_ptr<detail::UnfinishedFile> file_;
};

/// Returns all of a text file. Throws InputError when it cannot be read; `kind` says in the message what the
/// file should be, such as "a plan". Not collective.
std::string read_text_file(const std::string& path, const std::string& kind);

}  // namespace tessera::io
