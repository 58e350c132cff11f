// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_sink.hpp"

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
  /// Closes the identifier. Returns false if HDF5 reports an error.
  bool close() {
    const QuietHdf5 quiet;
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || are_abandoned() || close_(id) >= 0;
  }

  /// Ensures that no identifier of this process is closed any more. To close a file, HDF5 needs all ranks.
  /// After an error, some ranks may wait in another call, so that the others would wait for them forever.
  static void abandon_all() { are_abandoned() = true; }

 private:
  static std::atomic<bool>& are_abandoned() {
    static std::atomic<bool> flag{false};
    return flag;
  }

  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws InputError with the message "<path>: <problem> (<HDF5's description of the error>); <advice>".
[[noreturn]] void fail_with_hdf5(const std::string& path, const std::string& problem,
                                 const std::string& advice);

/// Returns HDF5's identifier for the native type that corresponds to `type`. Complex numbers are compounds of
/// the members `r` and `i`, as h5py writes them.
Hdf5Id memory_type(ElementType type);

/// The element type and the domain of a data set.
struct Hdf5Layout {
  ElementType type = ElementType::uint8;
  Box domain;
};

/// Returns the layout of an open data set. Throws InputError when the data set is empty, does not have 2 to 4
/// dimensions, or does not hold integers or floats of at most 64 bits, or complex numbers of two such floats.
Hdf5Layout layout_of(hid_t dataset, const std::string& path, const std::string& name);

/// The chunks in which a data set is stored.
struct Hdf5Chunks {
  /// Whether the data set is stored in chunks.
  bool is_chunked = false;
  /// Whether the chunks are compressed, or changed by another filter, so that they are only read as a whole.
  bool is_compressed = false;
  /// The number of points of a chunk in each dimension, x first. The first chunk begins at the first point.
  Point points;
};

/// Returns the chunks of an open data set.
Hdf5Chunks chunks_of(hid_t dataset);

/// Returns the offset in the file of the first point of an open data set, if the file holds all points one
/// after another and in the type that they have in memory. Returns nothing if HDF5 has to collect the points
/// from several places, to convert them, or to fill in values because none have been written.
std::optional<std::int64_t> raw_place_of(hid_t dataset, const Hdf5Layout& layout);

/// Returns the most bytes of chunks that a source of one rank keeps in memory: those of all chunks with
/// points of one row, but at most 64 MiB, or one chunk if it is larger.
std::int64_t kept_bytes(const Hdf5Chunks& chunks, const Hdf5Layout& layout);

/// Opens the data set with this name, with a property list for its access. Throws InputError when this fails;
/// the message lists the data sets of the file.
Hdf5Id open_dataset(hid_t file, const std::string& path, const std::string& name, hid_t access = H5P_DEFAULT);

/// Returns the most bytes that an array needs in a file, including HDF5's index of its chunks. Throws
/// InputError about `path` when HDF5 does not support chunks of this size.
std::int64_t most_stored_bytes(const FileArray& array, const Hdf5Storage& storage, const std::string& path);

/// Creates a data set, and the groups that contain it. All ranks that have opened the file must make this
/// call with the same arguments, as HDF5 requires. Throws InputError.
Hdf5Id create_dataset(hid_t file, const std::string& path, const FileArray& array,
                      const Hdf5Storage& storage = {});

/// Returns the name of the data set that is an image, if the file has exactly one. A data set is an image if
/// it has 2 to 4 dimensions. If no data set is an image, but the file has exactly one data set, its name is
/// returned. Throws InputError in all other cases.
std::string only_dataset(hid_t file, const std::string& path);

}  // namespace tessera::io::detail
