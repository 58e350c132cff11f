// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_transfer.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

class Hdf5Source : public BlockSource {
 public:
  Hdf5Source(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    const QuietHdf5 quiet;
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      open_for_reading(path_);  // says better than MPI-IO what is wrong
    });
    const Hdf5Id file = open_in_parallel(communicator_, path_, path_);
    Hdf5Id dataset;
    Hdf5Layout layout{};
    collectively(communicator_, [&] {
      dataset = open_dataset(file, path_, info_.dataset);
      layout = layout_of(dataset, path_, info_.dataset);
      check_unchanged(path_, info_, layout.type, layout.domain);
    });
    read_dataset(communicator_, dataset, layout, block, path_);
  }

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
};

}  // namespace

std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) {
  return std::make_unique<Hdf5Source>(communicator, path, info);
}

}  // namespace tessera::io::detail
