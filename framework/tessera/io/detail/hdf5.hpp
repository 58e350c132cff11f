// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Prevents HDF5 from printing error messages during the lifetime of an object of this class.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Owns an HDF5 identifier.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() { close(); }

  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }
  /// Gives up the identifier without closing it.
  hid_t release() { return std::exchange(id_, -1); }
  /// Closes the identifier. Returns false if HDF5 reports an error.
  bool close() {
    const QuietHdf5 quiet;
    const hid_t id = release();
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws InputError with the message "<path>: <problem> (<HDF5's description of the error>); <advice>".
[[noreturn]] void fail_with_hdf5(const std::string& path, const std::string& problem,
                                 const std::string& advice = "get a complete copy of the file");

/// Throws the same about a file that cannot be written.
[[noreturn]] inline void fail_to_write_hdf5(const std::string& path) {
  fail_with_hdf5(path, "cannot be written", "free some space, or choose another place");
}

/// Returns HDF5's native type of `type`; for complex numbers a compound of `r` and `i`, as h5py writes it.
Hdf5Id memory_type(ElementType type);

/// Numbers for each dimension in the order of HDF5, the slowest dimension first.
using Extents = std::array<hsize_t, max_dimensions>;

/// Returns the place of a dimension in Extents.
constexpr std::size_t slot_of(int dimension, int dimensions) {
  return static_cast<std::size_t>(dimensions - 1 - dimension);
}

/// Returns the extents of a box.
inline Extents extents_of(const Box& box) {
  Extents extents{};
  for (int d = 0; d < box.dimensions; ++d)
    extents[slot_of(d, box.dimensions)] = static_cast<hsize_t>(box[d].size());
  return extents;
}

/// The chunks of a data set in its file.
struct Hdf5Chunks {
  /// True if the data set is stored in chunks.
  bool is_chunked = false;
  /// True if the chunks are compressed, or changed by another filter, so that they are only read as a whole.
  bool is_compressed = false;
  /// The number of points of a chunk in each dimension, x first. The first chunk begins at the first point.
  Point points;
};

/// Returns the chunks of an open data set.
Hdf5Chunks chunks_of(hid_t dataset);

/// Adds the attribute to an open object of HDF5, such as a file. Throws InputError about `path`.
void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute);

/// Reads a scalar attribute. Throws InputError about `path` when it does not exist, or when its type is not
/// in the same class of types as `type`, for example the class of all integers.
void read_scalar(hid_t object, const std::string& path, const std::string& name, hid_t type, void* value);
/// Returns the value of an attribute that is a text. Throws as above.
std::string read_text(hid_t object, const std::string& path, const std::string& name);

/// Runs `task`, which makes collective calls of HDF5. Collective. If it fails on a rank, this rank waits a
/// few seconds for the others. If all end `task` in this time, all throw the same error, as in
/// `collectively`. Otherwise, others may wait inside HDF5 forever: the rank throws StrandedError or
/// InternalError.
void call_together(MPI_Comm communicator, const std::function<void()>& task);

/// Opens the file at `path` for reading, without MPI. Not collective. Throws InputError.
Hdf5Id open_alone(const std::string& path);

/// Writes the block of each rank to an open data set, which holds `domain`, of a file that is open through
/// MPI-IO. If HDF5 cannot describe the strides of a block, its points are copied through a buffer.
/// Collective. Throws InputError about `path` on every rank, or StrandedError.
void write_block(MPI_Comm communicator, hid_t dataset, const HostBlock& block, const Box& domain,
                 const std::string& path);

/// Fills a block from an open data set, which holds `domain`, of a file that open_alone has opened. Makes no
/// call of MPI. Throws InputError about `path`.
void read_block(hid_t dataset, const Box& domain, const HostBlock& block, const std::string& path);

}  // namespace tessera::io::detail
