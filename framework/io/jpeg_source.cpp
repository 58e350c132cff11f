// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/jpeg_reader.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

class JpegSource : public BlockSource {
 public:
  JpegSource(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      JpegReader reader(path_);
      if (info_.type != ElementType::uint8 || !(reader.domain() == info_.domain)) fail_changed(path_);
      reader.read_rows([&](std::int64_t y, std::byte* samples) {
        take_points(row_of(samples, info_.type, info_.domain, y), block);
      });
    });
  }

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
};

}  // namespace

std::unique_ptr<BlockSource> open_jpeg(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) {
  return std::make_unique<JpegSource>(communicator, path, info);
}

}  // namespace tessera::io::detail
