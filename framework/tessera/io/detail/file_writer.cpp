// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {

FileWriter::FileWriter(const std::string& file_name, const std::string& path)
    : path_(path), number_(::open(file_name.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (number_ < 0) fail_to_write(path_, error_text(errno));
}

FileWriter::~FileWriter() {
  if (number_ >= 0) ::close(number_);
}

void FileWriter::write(const std::byte* from, std::int64_t bytes, std::int64_t to) const {
  // This takes several calls if the system writes fewer bytes than a call asks for.
  while (bytes > 0) {
    const ::ssize_t written = ::pwrite(number_, from, static_cast<std::size_t>(bytes), to);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path_, error_text(errno));
    from += written;
    to += written;
    bytes -= written;
  }
}

void FileWriter::close() {
  const int result = ::close(number_);
  number_ = -1;
  if (result != 0) fail_to_write(path_, error_text(errno));
}

}  // namespace tessera::io::detail
