// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/detail/tiff_reader.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

class TiffSource : public BlockSource {
 public:
  TiffSource(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      TiffReader reader(path_, info_.page);
      if (reader.layout().type != info_.type || !(reader.layout().domain == info_.domain))
        fail_changed(path_);
      reader.read(block);
    });
  }

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
};

}  // namespace

std::unique_ptr<BlockSource> open_tiff(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) {
  return std::make_unique<TiffSource>(communicator, path, info);
}

}  // namespace tessera::io::detail
