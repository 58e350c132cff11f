// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/rle_reader.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// Sets the cells of a block's part.
void set(const HostBlock& block, const Box& part, int value) {
  for (std::int64_t y = part[1].begin; y < part[1].end; ++y) {
    const Box row{part[0], {y, y + 1}};
    std::memset(address_of(block, row), value, static_cast<std::size_t>(part[0].size()));
  }
}

class RleSource : public BlockSource {
 public:
  RleSource(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      RleReader reader(path_);
      if (!(reader.domain() == info_.domain)) fail_changed(path_);
      if (!block.box.empty()) set(block, block.box, 0);
      reader.read_runs([&](std::int64_t y, const Range& x) {
        const Box live = intersection(block.box, Box{x, {y, y + 1}});
        if (!live.empty()) set(block, live, 1);
      });
    });
  }

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
};

}  // namespace

std::unique_ptr<BlockSource> open_rle(MPI_Comm communicator, const std::string& path, const ImageInfo& info) {
  return std::make_unique<RleSource>(communicator, path, info);
}

}  // namespace tessera::io::detail
