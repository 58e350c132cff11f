// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

// The most bytes that one call reads into a block, or writes from it, without a buffer. MPI counts bytes with
// an int. Tessera does not rely on MPI implementations to split a collective read or write of more bytes.
constexpr std::int64_t in_place_bytes = std::int64_t{1} << 30;
constexpr std::int64_t staged_chunk_bytes = std::int64_t{8} << 20;
constexpr std::int64_t compressed_bytes = std::int64_t{32} << 20;
/// The most chunks that one call reads or writes. While a chunk is written, HDF5 needs about 14 KB for it.
constexpr std::int64_t chunks_at_once = 1024;

/// Returns the extents, slowest first, of an array in C order that contains the block, begins at the same
/// address, and has the same strides. Returns nothing if there is no such array.
std::optional<Extents> enclosing_array(const HostBlock& block) {
  Extents extents{};
  const int last = block.box.dimensions - 1;
  std::int64_t stride = 1;
  for (int d = 0; d < last; ++d) {
    std::int64_t next = block.strides[d + 1];
    if (next % stride != 0 || next < stride * block.box[d].size()) {
      if (block.box[d + 1].size() > 1) return std::nullopt;
      next = stride * block.box[d].size();
    }
    extents[static_cast<std::size_t>(last - d)] = static_cast<hsize_t>(next / stride);
    stride = next;
  }
  extents[0] = static_cast<hsize_t>(block.box[last].size());
  return extents;
}

/// A part of a block that is read or written in one call.
struct Piece {
  Box box;
  Hdf5Id memory_space;
  Hdf5Id file_space;
};

class Transfer {
 public:
  Transfer(hid_t dataset, const HostBlock& block, const Box& domain, const std::string& path)
      : dataset_(dataset), block_(block), domain_(domain), path_(path) {}

  /// Cuts the block into pieces, and describes them to HDF5. Not collective. `through_mpi` tells whether the
  /// file is open through MPI-IO.
  void prepare(Direction direction, bool through_mpi) {
    const Hdf5Chunks storage = chunks_of(dataset_);
    transfer_list_ = checked(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    // A collective call would read zeros for uncompressed chunks behind the end of a truncated file.
    is_independent_ = direction == Direction::read && storage.is_chunked && !storage.is_compressed;
    if (through_mpi)
      H5Pset_dxpl_mpio(transfer_list_, is_independent_ ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
    staged_ = !block_.box.empty() && !enclosing_array(block_).has_value();
    for (const Box& box : parts_of(storage)) pieces_.push_back(piece_of(box));
    nothing_.memory_space = checked(H5Dget_space(dataset_), H5Sclose);
    nothing_.file_space = checked(H5Dget_space(dataset_), H5Sclose);
    // Another type would need a conversion, which HDF5 does not do in collective calls.
    nothings_type_ = checked(H5Dget_type(dataset_), H5Tclose);
    points_type_ = memory_type(block_.type);
    H5Sselect_none(nothing_.memory_space);
    H5Sselect_none(nothing_.file_space);
  }

  bool is_independent() const { return is_independent_; }
  std::int64_t pieces() const { return static_cast<std::int64_t>(pieces_.size()); }

  /// Reads or writes the piece with this number. If there is no such piece, the rank takes part in the
  /// collective call of HDF5 without any points. Throws only after this call.
  void move(std::int64_t number, Direction direction) {
    const bool some = number < pieces();
    const Piece& piece = some ? pieces_[static_cast<std::size_t>(number)] : nothing_;
    const HostBlock memory = memory_of(piece.box);
    std::byte unused{};
    std::byte* data = some ? memory.data : &unused;
    const hid_t type = some ? points_type_ : nothings_type_;
    if (direction == Direction::write) {
      if (staged_ && some) copy_part(block_, memory, piece.box);
      if (H5Dwrite(dataset_, type, piece.memory_space, piece.file_space, transfer_list_, data) < 0)
        fail_to_write_hdf5(path_);
    } else {
      if (H5Dread(dataset_, type, piece.memory_space, piece.file_space, transfer_list_, data) < 0)
        fail_with_hdf5(path_, "cannot be read");
      if (staged_ && some) copy_part(memory, block_, piece.box);
    }
  }

 private:
  /// Returns the parts of the block that are read or written in one call each. Their size is limited,
  /// because HDF5 keeps its data about each chunk, and all chunks that it has compressed, in memory until the
  /// call ends.
  std::vector<Box> parts_of(const Hdf5Chunks& storage) {
    std::vector<Box> parts{block_.box};
    if (storage.is_chunked) {
      std::int64_t bytes = element_bytes();
      for (int d = 0; d < domain_.dimensions; ++d) bytes *= storage.points[d];
      const std::int64_t most =
          storage.is_compressed ? std::min(chunks_at_once, compressed_bytes / bytes) : chunks_at_once;
      parts = groups_of_chunks(block_.box, domain_, storage.points, most);
    }
    // Compressed data sets are not cut into small pieces: HDF5 handles a whole chunk for each part of it.
    const bool is_small = staged_ && !storage.is_compressed;
    std::vector<Box> result;
    std::int64_t largest = 0;
    for (const Box& part : parts)
      for (const Box& box : slabs(part, (is_small ? staged_chunk_bytes : in_place_bytes) / element_bytes())) {
        result.push_back(box);
        largest = std::max(largest, box.size());
      }
    if (staged_) buffer_.resize(static_cast<std::size_t>(largest * element_bytes()));
    return result;
  }

  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(block_.type)); }

  Hdf5Id checked(hid_t id, Hdf5Id::Close close) const {
    if (id < 0) fail_with_hdf5(path_, "HDF5 cannot describe the transfer", "report this");
    return Hdf5Id(id, close);
  }

  /// Returns the memory of a piece: a part of the block, or the buffer if the block is copied through it.
  HostBlock memory_of(const Box& box) {
    if (box.empty()) return {};
    if (staged_) return packed_block(buffer_.data(), block_.type, box);
    HostBlock part = block_;
    part.data = address_of(block_, box);
    part.box = box;
    return part;
  }

  Piece piece_of(const Box& box) {
    const int dimensions = box.dimensions;
    Extents start{}, origin{};
    const Extents count = extents_of(box);
    for (int d = 0; d < dimensions; ++d)
      start[slot_of(d, dimensions)] = static_cast<hsize_t>(box[d].begin - domain_[d].begin);
    const Extents memory = enclosing_array(memory_of(box)).value();
    Piece piece{box, checked(H5Screate_simple(dimensions, memory.data(), nullptr), H5Sclose),
                checked(H5Dget_space(dataset_), H5Sclose)};
    if (H5Sselect_hyperslab(piece.memory_space, H5S_SELECT_SET, origin.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Sselect_hyperslab(piece.file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) <
            0)
      fail_with_hdf5(path_, "HDF5 cannot describe the transfer", "report this");
    return piece;
  }

  hid_t dataset_;
  HostBlock block_;
  Box domain_;
  std::string path_;
  bool staged_ = false;
  bool is_independent_ = false;
  Hdf5Id transfer_list_;
  std::vector<Piece> pieces_;
  Piece nothing_;
  Hdf5Id nothings_type_;
  Hdf5Id points_type_;
  std::vector<std::byte> buffer_;
};

/// Returns what raw_place_of returns, or -1, the same on all ranks. Throws InputError on all ranks when the
/// data set extends beyond the end of the file, because MPI-IO would read zeros there.
std::int64_t agreed_raw_place(MPI_Comm communicator, hid_t dataset, const Hdf5Layout& layout,
                              const std::string& path) {
  std::int64_t place = -1;
  collectively(communicator, [&] { place = raw_place_of(dataset, layout, path).value_or(-1); });
  // If the file changes during the run, the ranks may have found different places. Without the broadcast,
  // they would make different collective calls, and wait for each other forever.
  MPI_Bcast(&place, 1, MPI_INT64_T, 0, communicator);
  return place;
}

/// Returns HDF5's access property list for a file that the ranks of `communicator` open together.
Hdf5Id parallel_access(MPI_Comm communicator) {
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_fapl_mpio(access, communicator, MPI_INFO_NULL) < 0)
    throw InternalError("HDF5 refuses the communicator");
  return access;
}

}  // namespace

Hdf5Id open_alone(const std::string& path) {
  Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) fail_with_hdf5(path, "damaged or truncated HDF5 file");
  return file;
}

Hdf5Id open_in_parallel(MPI_Comm communicator, const std::string& path) {
  Hdf5Id file;
  collectively(communicator, [&] {
    file = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, parallel_access(communicator)), H5Fclose);
    if (!file.valid()) fail_with_hdf5(path, "damaged or truncated HDF5 file");
  });
  return file;
}

Hdf5Id create_in_parallel(MPI_Comm communicator, const UnfinishedFile& output, const NewHdf5& how) {
  const auto make_room = [&] {
    if (rank_of(communicator) == 0) reserve(output, how.all_bytes());
  };
  collectively(communicator, make_room);
  Hdf5Id file;
  collectively(communicator, [&] {
    const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_userblock(creation, how.user_block_bytes);
    const Hdf5Id access = parallel_access(communicator);
    if (how.chunked) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    file = Hdf5Id(H5Fcreate(output.temporary_path().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
    if (!file.valid())
      fail_with_hdf5(output.path(), "cannot be written",
                     "create its folder, or choose another that can be written");
  });
  collectively(communicator, make_room);  // again, because HDF5 has emptied the file
  return file;
}

void transfer(MPI_Comm communicator, hid_t dataset, Direction direction, const HostBlock& block,
              const Box& domain, const std::string& path) {
  Transfer mine(dataset, block, domain, path);
  collectively(communicator, [&] { mine.prepare(direction, true); });
  std::int64_t rounds = mine.pieces();
  MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, communicator);
  // In independent calls, no rank waits for others inside HDF5, so that `collectively` is enough.
  const auto together = direction == Direction::write ? write_together
                        : mine.is_independent()       ? collectively
                                                      : call_together;
  for (std::int64_t round = 0; round < rounds; ++round)
    together(communicator, [&] { mine.move(round, direction); });
}

void read_alone(hid_t dataset, const Hdf5Layout& layout, const HostBlock& block, const std::string& path) {
  if (block.box.empty()) return;
  Transfer all(dataset, block, layout.domain, path);
  all.prepare(Direction::read, false);
  for (std::int64_t piece = 0; piece < all.pieces(); ++piece) all.move(piece, Direction::read);
}

std::optional<std::int64_t> raw_place_of(hid_t dataset, const Hdf5Layout& layout, const std::string& path) {
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose);
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) != 0) return std::nullopt;
  if (H5Tequal(type, memory_type(layout.type)) <= 0) return std::nullopt;
  const std::int64_t bytes = layout.domain.size() * static_cast<std::int64_t>(size_of(layout.type));
  if (H5Dget_storage_size(dataset) != static_cast<hsize_t>(bytes)) return std::nullopt;
  // The place is undefined if no points have been written.
  const haddr_t place = H5Dget_offset(dataset);
  if (place == HADDR_UNDEF) return std::nullopt;
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error || static_cast<std::int64_t>(place) > size - bytes) fail(path, "damaged or truncated HDF5 file");
  return static_cast<std::int64_t>(place);
}

void read_at(const std::string& path, std::int64_t place, const Box& domain, const HostBlock& block) {
  const RawLayout raw{place, std::endian::native == std::endian::big};
  read_array(path, open_for_reading(path).get(), raw, domain, block);
}

void read_dataset(MPI_Comm communicator, hid_t dataset, const Hdf5Layout& layout, const HostBlock& block,
                  const std::string& path) {
  const std::int64_t place = agreed_raw_place(communicator, dataset, layout, path);
  if (place < 0) return transfer(communicator, dataset, Direction::read, block, layout.domain, path);
  collectively(communicator, [&] {
    if (!block.box.empty()) read_at(path, place, layout.domain, block);
  });
}

}  // namespace tessera::io::detail
