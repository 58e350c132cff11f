// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <optional>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_transfer.hpp"
#include "tessera/io/detail/raw_array.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

class Hdf5Source : public BlockSource {
 public:
  Hdf5Source(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    if (place_) return read_at_place(block);
    const QuietHdf5 quiet;
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      open_for_reading(path_);  // its error messages are clearer than those of MPI-IO
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
    if (ranks_of(communicator_) == 1) place_ = raw_place_of(dataset, layout);
  }

 private:
  /// Reads from a file whose numbers are known to lie one after the other, without HDF5: opening an HDF5 file
  /// takes longer than reading a small block.
  void read_at_place(const HostBlock& block) const {
    check_block(block, info_.type, info_.domain);
    const RawLayout raw{*place_, std::endian::native == std::endian::big};
    read_array(path_, open_for_reading(path_).get(), raw, info_.domain, block);
  }

  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  std::optional<std::int64_t> place_ = {};
};

}  // namespace

const bool has_hdf5 = true;

std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) {
  return std::make_unique<Hdf5Source>(communicator, path, info);
}

ImageInfo inspect_hdf5(const std::string& path, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid())
    fail_with_hdf5(path, "damaged or truncated HDF5 file", "get a complete copy of the file");
  const std::string name = dataset.empty() ? only_dataset(file, path) : dataset;
  const Hdf5Id opened = open_dataset(file, path, name);
  const Hdf5Layout layout = layout_of(opened, path, name);
  ImageInfo info{ImageFormat::hdf5, layout.type, layout.domain, name};
  if (const Hdf5Chunks chunks = chunks_of(opened); chunks.is_compressed)
    info.chunk_rows = std::min(chunks.points[1], layout.domain[1].size());
  return info;
}

}  // namespace tessera::io::detail
