// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

enum class Direction { read, write };

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
  /// The file of a data set that is written is open through MPI-IO.
  Transfer(Direction direction, hid_t dataset, const HostBlock& block, const Box& domain,
           const std::string& path)
      : direction_(direction), dataset_(dataset), block_(block), domain_(domain), path_(path) {}

  /// Cuts the block into pieces, and describes them to HDF5. Not collective.
  void prepare() {
    const Hdf5Chunks storage = chunks_of(dataset_);
    transfer_list_ = checked(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    if (direction_ == Direction::write) H5Pset_dxpl_mpio(transfer_list_, H5FD_MPIO_COLLECTIVE);
    // A data set that is written has the type of the blocks, also on ranks whose blocks are empty.
    type_ = checked(H5Dget_type(dataset_), H5Tclose);
    if (direction_ == Direction::read)
      type_ = H5Tget_class(type_) == H5T_BITFIELD  // which HDF5 converts only to others
                  ? checked(H5Tget_native_type(type_, H5T_DIR_ASCEND), H5Tclose)
                  : memory_type(block_.type);
    staged_ = !block_.box.empty() && !enclosing_array(block_).has_value();
    for (const Box& box : parts_of(storage)) pieces_.push_back(piece_of(box));
    nothing_.memory_space = checked(H5Dget_space(dataset_), H5Sclose);
    nothing_.file_space = checked(H5Dget_space(dataset_), H5Sclose);
    H5Sselect_none(nothing_.memory_space);
    H5Sselect_none(nothing_.file_space);
  }

  std::int64_t pieces() const { return static_cast<std::int64_t>(pieces_.size()); }

  /// Reads or writes the piece with this number. If there is no such piece, the rank takes part in the
  /// collective call of HDF5 without any points. Throws only after this call.
  void move(std::int64_t number) {
    const bool some = number < pieces();
    const Piece& piece = some ? pieces_[static_cast<std::size_t>(number)] : nothing_;
    const HostBlock memory = memory_of(piece.box);
    std::byte unused{};
    std::byte* data = some ? memory.data : &unused;
    if (direction_ == Direction::write) {
      if (staged_ && some) copy_part(block_, memory, piece.box);
      if (H5Dwrite(dataset_, type_, piece.memory_space, piece.file_space, transfer_list_, data) < 0)
        fail_to_write_hdf5(path_);
    } else {
      if (H5Dread(dataset_, type_, piece.memory_space, piece.file_space, transfer_list_, data) < 0)
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

  Direction direction_;
  hid_t dataset_;
  HostBlock block_;
  Box domain_;
  std::string path_;
  bool staged_ = false;
  Hdf5Id transfer_list_;
  Hdf5Id type_;
  std::vector<Piece> pieces_;
  Piece nothing_;
  std::vector<std::byte> buffer_;
};

/// How long a rank waits for the other ranks after its own call has failed. The other ranks may
/// still be reading or writing.
constexpr double patience_seconds = 5;

/// Returns HDF5's type for texts of variable length. Texts of a fixed length would have to fit into the
/// header of an object, which has at most 64 KiB.
Hdf5Id text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

Hdf5Id open_alone(const std::string& path) {
  Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) fail_with_hdf5(path, "damaged or truncated HDF5 file");
  return file;
}

void write_block(MPI_Comm communicator, hid_t dataset, const HostBlock& block, const Box& domain,
                 const std::string& path) {
  Transfer mine(Direction::write, dataset, block, domain, path);
  collectively(communicator, [&] { mine.prepare(); });
  std::int64_t rounds = mine.pieces();
  MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, communicator);
  for (std::int64_t round = 0; round < rounds; ++round)
    call_together(communicator, [&] { mine.move(round); });
}

void read_block(hid_t dataset, const Box& domain, const HostBlock& block, const std::string& path) {
  if (block.box.empty()) return;
  Transfer all(Direction::read, dataset, block, domain, path);
  all.prepare();
  for (std::int64_t piece = 0; piece < all.pieces(); ++piece) all.move(piece);
}

void call_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    collectively_within(communicator, patience_seconds, task);
  } catch (const InputError&) {
    throw;
  } catch (const AgreedInternalError&) {
    throw;
  } catch (...) {
    remove_unfinished_files();  // because rank 0, which has created them, may wait forever
    throw;
  }
}

void read_scalar(hid_t object, const std::string& path, const std::string& name, hid_t type, void* value) {
  const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Id stored(H5Aget_type(attribute), H5Tclose);
  const Hdf5Id space(H5Aget_space(attribute), H5Sclose);
  const bool fits = attribute.valid() && stored.valid() && H5Tget_class(stored) == H5Tget_class(type) &&
                    H5Tis_variable_str(stored) == H5Tis_variable_str(type) &&
                    H5Sget_simple_extent_npoints(space) == 1;
  if (!fits || H5Aread(attribute, type, value) < 0)
    fail_with_hdf5(path, fmt::format("attribute '{}' cannot be read", name));
}

std::string read_text(hid_t object, const std::string& path, const std::string& name) {
  char* text = nullptr;
  read_scalar(object, path, name, text_type(), &text);
  const std::string copy = text == nullptr ? "" : text;
  H5free_memory(text);
  return copy;
}

void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute) {
  const auto write = [&](hid_t type, const void* value, const Hdf5Id& space) {
    const Hdf5Id id(H5Acreate2(object, attribute.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose);
    if (!id.valid() || H5Awrite(id, type, value) < 0)
      fail_with_hdf5(path, fmt::format("attribute '{}' cannot be written", attribute.name),
                     "free some space, or choose another place");
  };
  const Hdf5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    const char* begin = text->c_str();
    write(text_type(), &begin, scalar);
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
    const hsize_t count = list->size();
    write(H5T_NATIVE_INT64, list->data(), Hdf5Id(H5Screate_simple(1, &count, nullptr), H5Sclose));
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    write(H5T_NATIVE_INT64, integer, scalar);
  } else {
    write(H5T_NATIVE_DOUBLE, &std::get<double>(attribute.value), scalar);
  }
}

}  // namespace tessera::io::detail
