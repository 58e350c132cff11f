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

/// The entries of the table of cached chunks. Chunks with the same entry replace each other, so that there
/// are many more than chunks in a row. HDF5 advises a prime number.
constexpr std::size_t cache_slots = 100003;

class Hdf5Source : public BlockSource {
 public:
  Hdf5Source(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info), is_alone_(ranks_of(communicator) == 1) {}

  void read(const HostBlock& block) override {
    if (place_) return read_at_place(block);
    if (is_alone_) return read_in_open_file(block);
    const QuietHdf5 quiet;
    collectively(communicator_, [&] {
      check_block(block, info_.type, info_.domain);
      open_for_reading(path_);  // its error messages are clearer than those of MPI-IO
    });
    const Hdf5Id file = open_in_parallel(communicator_, path_, path_);
    Hdf5Id dataset;
    Hdf5Layout layout;
    collectively(communicator_, [&] {
      dataset = open_dataset(file, path_, info_.dataset);
      layout = layout_of(dataset, path_, info_.dataset);
      check_unchanged(path_, info_, layout.type, layout.domain);
    });
    read_dataset(communicator_, dataset, layout, block, path_);
  }

 private:
  /// Reads without MPI, and keeps the file open, so that HDF5 keeps chunks that other blocks need, too.
  void read_in_open_file(const HostBlock& block) {
    check_block(block, info_.type, info_.domain);
    const QuietHdf5 quiet;
    try {
      if (!dataset_.valid()) open();
      if (place_) return read_at_place(block);
      read_alone(dataset_, layout_, block, path_);
    } catch (...) {
      close();
      throw;
    }
  }

  void open() {
    open_for_reading(path_);  // its error messages are clearer than those of HDF5
    file_ = open_alone(path_);
    Hdf5Id dataset = open_dataset(file_, path_, info_.dataset);
    layout_ = layout_of(dataset, path_, info_.dataset);
    check_unchanged(path_, info_, layout_.type, layout_.domain);
    place_ = checked_raw_place(dataset, layout_, path_);
    if (place_) return close();
    const std::int64_t bytes = kept_bytes(chunks_of(dataset), layout_);
    if (bytes == 0) {
      dataset_ = std::move(dataset);
      return;
    }
    // HDF5 takes the size of the cache from those who open the data set while it is not open.
    dataset.close();
    const Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access, cache_slots, static_cast<std::size_t>(bytes), 0);
    dataset_ = open_dataset(file_, path_, info_.dataset, access);
  }

  void close() {
    dataset_.close();
    file_.close();
  }

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
  bool is_alone_;
  std::optional<std::int64_t> place_ = {};
  // A source of one rank keeps these open.
  Hdf5Id file_, dataset_;
  Hdf5Layout layout_;
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
  const Hdf5Chunks chunks = chunks_of(opened);
  if (chunks.is_compressed) info.chunk_rows = std::min(chunks.points[1], layout.domain[1].size());
  info.kept_bytes = kept_bytes(chunks, layout);
  return info;
}

}  // namespace tessera::io::detail
