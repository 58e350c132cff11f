// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/file_writer.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/parts.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

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
    FileWriter writer(file_.temporary_path(), file_.path());
    const auto size = static_cast<std::int64_t>(size_of(type_));
    for_each_run(block, domain_, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
      writer.write(memory, points * size, first * size);
    });
    writer.close();
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
