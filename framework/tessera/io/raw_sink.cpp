// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/parts.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

/// A file that is open for writing.
class Descriptor {
 public:
  Descriptor(const std::string& path, const std::string& name)
      : name_(name), number_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (number_ < 0) fail_to_write(name_, error_text(errno));
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// Writes `bytes` bytes at the offset `to` of the file. This takes several calls if the system writes
  /// fewer bytes than a call asks for.
  void write(const std::byte* from, std::int64_t bytes, std::int64_t to) const {
    while (bytes > 0) {
      const ::ssize_t written = ::pwrite(number_, from, static_cast<std::size_t>(bytes), to);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_to_write(name_, error_text(errno));
      from += written;
      to += written;
      bytes -= written;
    }
  }
  /// Closes the file. Throws InputError when this fails: some file systems report only at this point that
  /// they are full.
  void close() {
    const int result = ::close(number_);
    number_ = -1;
    if (result != 0) fail_to_write(name_, error_text(errno));
  }

 private:
  std::string name_;
  int number_;
};

class RawSink final : public BlockSink {
 public:
  RawSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type)
      : communicator_(communicator),
        domain_(domain),
        type_(type),
        parts_(communicator, path, domain),
        file_(communicator, path) {}

  void write(const HostBlock& block) override { write_part(block, domain_); }

  void write_part(const HostBlock& block, const Box& part) override {
    parts_.take(block, part, type_);
    collectively(communicator_, [&] {
      if (!block.box.empty()) write_own(block);
    });
    if (parts_.complete()) file_.complete();
  }

 private:
  void write_own(const HostBlock& block) const {
    Descriptor descriptor(file_.temporary_path(), file_.path());
    const auto size = static_cast<std::int64_t>(size_of(type_));
    for_each_run(block, domain_, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
      descriptor.write(memory, points * size, first * size);
    });
    descriptor.close();
  }

  MPI_Comm communicator_;
  Box domain_;
  ElementType type_;
  Parts parts_;
  UnfinishedFile file_;
};

}  // namespace

std::unique_ptr<BlockSink> create_raw(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type) {
  if (domain.empty()) throw InternalError(fmt::format("{}: nothing to write", path));
  return std::make_unique<RawSink>(communicator, path, domain, type);
}

}  // namespace tessera::io
