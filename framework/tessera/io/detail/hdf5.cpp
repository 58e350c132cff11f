// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

/// Returns the description of the first entry of HDF5's error stack. The first entry is about the function
/// that found the error; the last entry is about the function that Tessera called.
std::string innermost_error() {
  std::string text;
  const H5E_walk2_t keep_first = [](unsigned depth, const H5E_error2_t* error,
                                    void* data) noexcept -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text;
}

std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  const H5L_iterate_t add = [](hid_t group, const char* name, const H5L_info_t* link,
                               void* data) noexcept -> herr_t {
    if (link->type != H5L_TYPE_HARD) return 0;
    const Hdf5Id object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
    if (object.valid() && H5Iget_type(object) == H5I_DATASET)
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add, &names);
  return names;
}

/// The names of the real and the imaginary part in the compounds that h5py writes.
constexpr const char* part_names[] = {"r", "i"};

/// Returns the type of complex numbers that are stored as a compound of the members `r` and `i`, which are
/// floats of the same size; nothing for other compounds.
std::optional<ElementType> complex_type(hid_t compound) {
  if (H5Tget_nmembers(compound) != 2) return std::nullopt;
  std::size_t sizes[2] = {};
  for (const unsigned part : {0U, 1U}) {
    if (H5Tget_member_index(compound, part_names[part]) < 0) return std::nullopt;
    const auto index = static_cast<unsigned>(H5Tget_member_index(compound, part_names[part]));
    const Hdf5Id member(H5Tget_member_type(compound, index), H5Tclose);
    if (H5Tget_class(member) != H5T_FLOAT) return std::nullopt;
    sizes[part] = H5Tget_size(member);
  }
  if (sizes[0] != sizes[1] || sizes[0] > sizeof(double)) return std::nullopt;
  return sizes[0] <= sizeof(float) ? ElementType::complex64 : ElementType::complex128;
}

std::optional<ElementType> element_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_COMPOUND) return complex_type(type);
  if (kind == H5T_FLOAT && size <= 8) return size <= 4 ? ElementType::float32 : ElementType::float64;
  if (kind != H5T_INTEGER || size > 8) return std::nullopt;
  const int width = size == 1 ? 0 : size == 2 ? 2 : size <= 4 ? 4 : 6;
  return static_cast<ElementType>(width + (H5Tget_sign(type) == H5T_SGN_NONE ? 1 : 0));
}

using Extents = std::array<hsize_t, max_dimensions>;

/// The most bytes that a chunk needs besides its points: for its entry in HDF5's index of chunks, and for
/// what DEFLATE adds.
constexpr std::int64_t bytes_about_a_chunk = 128;

/// Returns the number of a dimension in the order of HDF5, where the slowest dimension is the first one.
std::size_t slot_of(int dimension, int dimensions) {
  return static_cast<std::size_t>(dimensions - 1 - dimension);
}

/// Returns the extents of a chunk, which are at most those of the array. Throws InputError about `path` when
/// a chunk has 4 GiB or more, which HDF5 does not support.
Extents chunk_of(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  const int dimensions = array.domain.dimensions;
  Extents chunk{};
  double bytes = static_cast<double>(size_of(array.type));
  for (int d = 0; d < dimensions; ++d) {
    chunk[slot_of(d, dimensions)] = static_cast<hsize_t>(storage.chunk_points(d, array.domain[d].size()));
    bytes *= static_cast<double>(chunk[slot_of(d, dimensions)]);
  }
  if (bytes >= 0x1p32)
    fail(path, fmt::format("chunks of '{}' of {:.0f} bytes", array.name, bytes),
         "HDF5 has none of 4 GiB or more: choose smaller ones");
  return chunk;
}

bool has_image_shape(hid_t file, const std::string& name) {
  const Hdf5Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  return dimensions >= 2 && dimensions <= max_dimensions;
}

}  // namespace

void fail_with_hdf5(const std::string& path, const std::string& problem, const std::string& advice) {
  const std::string reason = innermost_error();
  fail(path, reason.empty() ? problem : fmt::format("{} ({})", problem, reason), advice);
}

Hdf5Id memory_type(ElementType type) {
  const std::array<hid_t, 10> types = {
      H5T_NATIVE_INT8,   H5T_NATIVE_UINT8, H5T_NATIVE_INT16,  H5T_NATIVE_UINT16, H5T_NATIVE_INT32,
      H5T_NATIVE_UINT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT64, H5T_NATIVE_FLOAT,  H5T_NATIVE_DOUBLE};
  const hid_t part = types[static_cast<std::size_t>(part_type(type))];
  if (!is_complex(type))
    return Hdf5Id(part, [](hid_t) -> herr_t { return 0; });  // HDF5 owns the native types
  const std::size_t bytes = size_of(part_type(type));
  Hdf5Id compound(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose);
  for (const std::size_t k : {0, 1}) H5Tinsert(compound, part_names[k], k * bytes, part);
  return compound;
}

Hdf5Layout layout_of(hid_t dataset, const std::string& path, const std::string& name) {
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  if (!type.valid() || !space.valid())
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be read", name),
                   "get a complete copy of the file");

  const std::optional<ElementType> element = element_type(type);
  if (!element)
    fail(path,
         fmt::format("data set '{}' does not hold integers or floats of at most 64 bits, or complex numbers "
                     "with members r and i of such floats",
                     name),
         "choose another data set");
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions < 2 || dimensions > max_dimensions)
    fail(path,
         fmt::format("data set '{}' has {} dimensions, an image has 2, (H, W), 3, (C, H, W), or 4", name,
                     dimensions),
         "choose another data set");
  Extents extents{};
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  Hdf5Layout layout{*element, {}};
  for (int d = dimensions - 1; d >= 0; --d)
    layout.domain.range[layout.domain.dimensions++] = {
        0, static_cast<std::int64_t>(extents[static_cast<std::size_t>(d)])};
  if (layout.domain.empty())
    fail(path, fmt::format("data set '{}' is empty", name), "choose another data set");
  return layout;
}

Hdf5Chunks chunks_of(hid_t dataset) {
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation) != H5D_CHUNKED) return {};
  Hdf5Chunks chunks{true, H5Pget_nfilters(creation) > 0, {}};
  Extents extents{};
  const int dimensions = H5Pget_chunk(creation, max_dimensions, extents.data());
  for (int d = 0; d < dimensions; ++d)
    chunks.points[d] = static_cast<std::int64_t>(extents[slot_of(d, dimensions)]);
  return chunks;
}

std::optional<std::int64_t> raw_place_of(hid_t dataset, const Hdf5Layout& layout) {
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose);
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) != 0) return std::nullopt;
  if (H5Tequal(type, memory_type(layout.type)) <= 0) return std::nullopt;
  if (H5Dget_storage_size(dataset) != static_cast<hsize_t>(layout.domain.size()) * size_of(layout.type))
    return std::nullopt;
  // The place is counted from the beginning of the file, including the user block. It is undefined if no
  // points have been written.
  const haddr_t place = H5Dget_offset(dataset);
  if (place == HADDR_UNDEF) return std::nullopt;
  return static_cast<std::int64_t>(place);
}

std::int64_t kept_bytes(const Hdf5Chunks& chunks, const Hdf5Layout& layout) {
  if (!chunks.is_chunked) return 0;
  auto bytes = static_cast<std::int64_t>(size_of(layout.type));
  for (int d = 0; d < layout.domain.dimensions; ++d) bytes *= chunks.points[d];
  const std::int64_t in_row = (layout.domain[0].size() + chunks.points[0] - 1) / chunks.points[0];
  return bytes * std::clamp<std::int64_t>((std::int64_t(64) << 20) / bytes, 1, in_row);
}

Hdf5Id open_dataset(hid_t file, const std::string& path, const std::string& name, hid_t access) {
  Hdf5Id dataset(H5Dopen2(file, name.c_str(), access), H5Dclose);
  if (dataset.valid()) return dataset;
  const std::vector<std::string> names = dataset_names(file);
  if (names.empty()) fail(path, "holds no data set", "give a file with an image");
  fail(path, fmt::format("data set '{}' cannot be opened", name),
       fmt::format("the file has: {}", listed(names)));
}

std::int64_t most_stored_bytes(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  const auto element = static_cast<std::int64_t>(size_of(array.type));
  if (!storage.has_chunks()) return array.domain.size() * element;
  const int dimensions = array.domain.dimensions;
  const Extents chunk = chunk_of(array, storage, path);
  std::int64_t chunks = 1, points = 1;
  for (int d = 0; d < dimensions; ++d) {
    const auto extent = static_cast<std::int64_t>(chunk[slot_of(d, dimensions)]);
    chunks *= (array.domain[d].size() - 1) / extent + 1;
    points *= extent;
  }
  // Chunks that extend beyond the array are stored completely. Chunks that DEFLATE cannot compress grow a
  // little.
  return chunks * (points * element + points * element / 256 + bytes_about_a_chunk);
}

Hdf5Id create_dataset(hid_t file, const std::string& path, const FileArray& array,
                      const Hdf5Storage& storage) {
  const int dimensions = array.domain.dimensions;
  Extents extents{};
  for (int d = 0; d < dimensions; ++d)
    extents[slot_of(d, dimensions)] = static_cast<hsize_t>(array.domain[d].size());
  const Hdf5Id space(H5Screate_simple(dimensions, extents.data(), nullptr), H5Sclose);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation, false);  // so that equal arrays give equal files
  if (storage.has_chunks()) H5Pset_chunk(creation, dimensions, chunk_of(array, storage, path).data());
  if (storage.compression > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, static_cast<unsigned>(storage.compression));
  }
  Hdf5Id dataset(
      H5Dcreate2(file, array.name.c_str(), memory_type(array.type), space, links, creation, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid())
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be created", array.name), "choose another name");
  return dataset;
}

std::string only_dataset(hid_t file, const std::string& path) {
  std::vector<std::string> names = dataset_names(file);
  if (names.empty()) fail(path, "holds no data set", "give a file with an image");
  std::vector<std::string> images = names;
  std::erase_if(images, [file](const std::string& name) { return !has_image_shape(file, name); });
  if (!images.empty()) names = std::move(images);
  if (names.size() > 1)
    fail(path, fmt::format("holds {} data sets", names.size()),
         fmt::format("choose one of: {}", listed(names)));
  return names.front();
}

}  // namespace tessera::io::detail
