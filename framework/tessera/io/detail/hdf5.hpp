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

/// While one lives, HDF5 prints nothing of its own.
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
  /// Closes it now; false when HDF5 reports an error.
  bool close() {
    const QuietHdf5 quiet;
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || are_abandoned() || close_(id) >= 0;
  }

  /// From now on no identifier of this process is closed, which ranks do together, and those that wait for
  /// each other elsewhere never would.
  static void abandon_all() { are_abandoned() = true; }

 private:
  static std::atomic<bool>& are_abandoned() {
    static std::atomic<bool> flag{false};
    return flag;
  }

  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws InputError "<path>: <problem> (<what HDF5 said first>); <advice>".
[[noreturn]] void fail_with_hdf5(const std::string& path, const std::string& problem,
                                 const std::string& advice);

/// HDF5's own type for elements in memory.
hid_t memory_type(ElementType type);

/// What a data set holds, as Tessera sees it.
struct Hdf5Layout {
  ElementType type;
  Box domain;
};

/// The layout of an open data set; throws InputError when it is no image.
Hdf5Layout layout_of(hid_t dataset, const std::string& path, const std::string& name);

/// The byte of its file at which the points of an open data set begin that lie there one after another, of
/// the very type that they have in memory; none when HDF5 has to gather, convert or make them up.
std::optional<std::int64_t> raw_place_of(hid_t dataset, const Hdf5Layout& layout);

/// Opens the data set of this name; throws InputError when there is none, naming those that the file holds.
Hdf5Id open_dataset(hid_t file, const std::string& path, const std::string& name);

/// The room that an array takes at most, with what HDF5 notes about its chunks. Throws InputError about
/// `path` when HDF5 has no such chunks.
std::int64_t most_stored_bytes(const FileArray& array, const Hdf5Storage& storage, const std::string& path);

/// Creates a data set, and the groups above it. Collective in HDF5's sense. Throws InputError.
Hdf5Id create_dataset(hid_t file, const std::string& path, const FileArray& array,
                      const Hdf5Storage& storage = {});

/// The name of the only data set in the file, or of the only one among several that is shaped like an image.
/// Throws InputError when there is none, or several.
std::string only_dataset(hid_t file, const std::string& path);

}  // namespace tessera::io::detail
