// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/png_reader.hpp"
#include "tessera/io/detail/png_samples.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

class PngSource : public BlockSource {
 public:
  PngSource(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      PngReader reader(path_);
      const PngLayout layout = reader.layout();
      if (sample_type(layout) != info_.type || !(domain_of(layout) == info_.domain)) fail_changed(path_);
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

std::unique_ptr<BlockSource> open_png(MPI_Comm communicator, const std::string& path, const ImageInfo& info) {
  return std::make_unique<PngSource>(communicator, path, info);
}

}  // namespace tessera::io::detail
