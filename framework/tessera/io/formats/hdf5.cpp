// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace detail {
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

bool has_image_shape(hid_t file, const std::string& name) {
  const Hdf5Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  return dimensions >= 2 && dimensions <= max_dimensions;
}

/// Returns the name of the data set that is an image, if the file has exactly one. A data set is an image if
/// it has 2 to 4 dimensions. If no data set is an image, but the file has exactly one data set, its name is
/// returned. Throws InputError in all other cases.
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

/// Returns ImageInfo::kept_bytes of a data set.
std::int64_t kept_bytes(const Hdf5Chunks& chunks, const Hdf5Layout& layout) {
  if (!chunks.is_chunked) return 0;
  auto bytes = static_cast<std::int64_t>(size_of(layout.type));
  for (int d = 0; d < layout.domain.dimensions; ++d) bytes *= chunks.points[d];
  const std::int64_t in_row = (layout.domain[0].size() + chunks.points[0] - 1) / chunks.points[0];
  return bytes * std::clamp<std::int64_t>((std::int64_t(64) << 20) / bytes, 1, in_row);
}

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
    const Hdf5Id file = open_in_parallel(communicator_, path_);
    Hdf5Id dataset;
    collectively(communicator_, [&] { dataset = opened_in(file); });
    read_dataset(communicator_, dataset, layout_, block, path_);
  }

 private:
  Hdf5Id opened_in(const Hdf5Id& file) {
    Hdf5Id dataset = open_dataset(file, path_, info_.dataset);
    layout_ = layout_of(dataset, path_, info_.dataset);
    check_unchanged(path_, info_, layout_.type, layout_.domain);
    return dataset;
  }

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
    Hdf5Id dataset = opened_in(file_);
    place_ = raw_place_of(dataset, layout_, path_);
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
    read_at(path_, *place_, info_.domain, block);
  }

  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  bool is_alone_;
  std::optional<std::int64_t> place_ = {};
  Hdf5Layout layout_;
  // A source of one rank keeps these open.
  Hdf5Id file_, dataset_;
};

std::unique_ptr<BlockSource> open_hdf5(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) {
  return std::make_unique<Hdf5Source>(communicator, path, info);
}

ImageInfo inspect_hdf5(const std::string& path, const ImageChoice& choice) {
  const QuietHdf5 quiet;
  const Hdf5Id file = open_alone(path);
  const std::string name = choice.dataset.empty() ? only_dataset(file, path) : choice.dataset;
  const Hdf5Id opened = open_dataset(file, path, name);
  const Hdf5Layout layout = layout_of(opened, path, name);
  ImageInfo info{.type = layout.type, .domain = layout.domain, .dataset = name};
  const Hdf5Chunks chunks = chunks_of(opened);
  if (chunks.is_compressed) info.chunk_rows = std::min(chunks.points[1], layout.domain[1].size());
  info.kept_bytes = kept_bytes(chunks, layout);
  return info;
}

}  // namespace

/// Reads data sets of the shape (H, W), height and width, or (C, H, W) with C channels, or of 4 dimensions,
/// slowest first. The elements are integers or floats of at most 64 bits in any byte order, or compounds of
/// two such floats with the names `r` and `i`, which are complex numbers as h5py writes them. Each rank reads
/// its own block. If the elements must be converted or are stored in chunks, several ranks use MPI-IO, and a
/// source of one rank keeps the file open, and chunks of ImageInfo::kept_bytes.
extern const FormatFunctions hdf5_format = {inspect_hdf5, open_hdf5};

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
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be read", name));

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

Hdf5Id open_dataset(hid_t file, const std::string& path, const std::string& name, hid_t access) {
  Hdf5Id dataset(H5Dopen2(file, name.c_str(), access), H5Dclose);
  if (dataset.valid()) return dataset;
  const std::vector<std::string> names = dataset_names(file);
  if (names.empty()) fail(path, "holds no data set", "give a file with an image");
  fail(path, fmt::format("data set '{}' cannot be opened", name),
       fmt::format("the file has: {}", listed(names)));
}

}  // namespace detail

// HDF5 is not asked, as each of its calls changes its state, which only one thread may do at a time.
std::string hdf5_version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

}  // namespace tessera::io
