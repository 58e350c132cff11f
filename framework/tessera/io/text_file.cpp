// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "tessera/io/detail/files.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

void write_all(const detail::UnfinishedFile& output, const std::string& text) {
  detail::File file(std::fopen(output.temporary_path().c_str(), "wb"));
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fclose(file.release()) != 0)
    detail::fail_to_write(output.path(), detail::error_text(errno));
}

}  // namespace

TextFile::TextFile(MPI_Comm communicator, const std::string& path)
    : communicator_(communicator), file_(std::make_unique<detail::UnfinishedFile>(communicator, path)) {}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;

void TextFile::write(const std::string& text) {
  collectively(communicator_, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator_, &rank);
    if (rank == 0) write_all(*file_, text);
  });
  file_->complete();
}

std::string read_text_file(const std::string& path, const std::string& kind) {
  const detail::File file = detail::open_for_reading(path, kind);
  std::string text;
  char piece[1 << 16];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file.get())) text.append(piece, size);
  if (std::ferror(file.get()) != 0)
    detail::fail(path, fmt::format("cannot be read ({})", detail::error_text(errno)), "check the disk");
  return text;
}

}  // namespace tessera::io
