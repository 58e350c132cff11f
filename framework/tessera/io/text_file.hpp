// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

namespace tessera::io {

namespace detail {
class UnfinishedFile;
}

/// A text file under a temporary name beside its own until it is complete. Collective; an object that is
/// destroyed before leaves nothing behind.
class TextFile {
 public:
  /// Creates the file; throws InputError on every rank when it cannot be written.
  TextFile(MPI_Comm communicator, const std::string& path);
  ~TextFile();
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;

  /// Writes the text of rank 0 and gives the file its name. Throws InputError on every rank when the disk is
  /// full, say.
  void write(const std::string& text);

 private:
  MPI_Comm communicator_;
  std::unique_ptr<detail::UnfinishedFile> file_;
};

/// All of a text file. Not collective. Throws InputError when it cannot be read; `kind` says what it should
/// have been, such as "a plan".
std::string read_text_file(const std::string& path, const std::string& kind);

}  // namespace tessera::io
