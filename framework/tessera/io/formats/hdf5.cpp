// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
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

/// Returns the names of the data sets of a file. Data sets behind external links are included. Throws
/// InputError if there are none.
std::vector<std::string> dataset_names(hid_t file, const std::string& path) {
  std::vector<std::string> names;
  const H5L_iterate_t add = [](hid_t group, const char* name, const H5L_info_t* link,
                               void* data) noexcept -> herr_t {
    if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_EXTERNAL) return 0;
    const Hdf5Id object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
    if (object.valid() && H5Iget_type(object) == H5I_DATASET)
      static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add, &names);
  if (names.empty()) fail(path, "holds no data set", "give a file with an image");
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
  if (kind == H5T_ENUM) return element_type(Hdf5Id(H5Tget_super(type), H5Tclose));  // as h5py's booleans
  if (kind == H5T_FLOAT && size <= 8) return size <= 4 ? ElementType::float32 : ElementType::float64;
  const bool is_bit_field = kind == H5T_BITFIELD && std::has_single_bit(size);
  if ((kind != H5T_INTEGER && !is_bit_field) || size > 8) return std::nullopt;
  const int width = size == 1 ? 0 : size == 2 ? 2 : size <= 4 ? 4 : 6;
  return static_cast<ElementType>(width + (is_bit_field || H5Tget_sign(type) == H5T_SGN_NONE ? 1 : 0));
}

/// Returns the description of an open data set. Throws InputError unless it is an array that inspect_image
/// describes.
FileArray array_of(hid_t dataset, const std::string& path, const std::string& name) {
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
  std::vector<hsize_t> extents(static_cast<std::size_t>(dimensions));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  std::ranges::reverse(extents);
  FileArray array{name, *element, Box::of_extents(extents)};
  if (array.domain.empty())
    fail(path, fmt::format("data set '{}' is empty", name), "choose another data set");
  return array;
}

/// Opens the data set with this name, with a property list for its access. Throws InputError when this fails;
/// the message lists the data sets of the file.
Hdf5Id open_dataset(hid_t file, const std::string& path, const std::string& name,
                    hid_t access = H5P_DEFAULT) {
  Hdf5Id dataset(H5Dopen2(file, name.c_str(), access), H5Dclose);
  if (dataset.valid()) return dataset;
  const std::string names = listed(dataset_names(file, path));
  fail(path, fmt::format("data set '{}' cannot be opened", name), fmt::format("the file has: {}", names));
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
  std::vector<std::string> names = dataset_names(file, path);
  std::vector<std::string> images = names;
  std::erase_if(images, [file](const std::string& name) { return !has_image_shape(file, name); });
  if (!images.empty()) names = std::move(images);
  if (names.size() > 1)
    fail(path, fmt::format("holds {} data sets", names.size()),
         fmt::format("choose one of: {}", listed(names)));
  return names.front();
}

/// Returns ImageInfo::kept_bytes of a data set.
std::int64_t kept_bytes(const Hdf5Chunks& chunks, const FileArray& array) {
  if (!chunks.is_chunked) return 0;
  auto bytes = static_cast<std::int64_t>(size_of(array.type));
  for (int d = 0; d < array.domain.dimensions; ++d) bytes *= chunks.points[d];
  const std::int64_t in_row = (array.domain[0].size() + chunks.points[0] - 1) / chunks.points[0];
  return bytes * std::clamp<std::int64_t>((std::int64_t(64) << 20) / bytes, 1, in_row);
}

/// Returns a text that HDF5 copies: `copy` gets memory and its size, and returns the length of the text.
template <class Copy>
std::string copied(const Copy& copy) {
  std::string text(static_cast<std::size_t>(std::max<ssize_t>(copy(nullptr, 0), 0)) + 1, '\0');
  copy(text.data(), text.size());
  text.pop_back();
  return text;
}

/// Returns the name of the file that holds an open data set, which may have been found by an external link.
std::string file_of(hid_t dataset) {
  return copied([dataset](char* text, std::size_t size) { return H5Fget_name(dataset, text, size); });
}

/// Returns the offset in the file of the first point of an open data set, or nothing if HDF5 has to collect
/// the points from several places or another file, to convert them, or to fill in values that have not been
/// written. Throws InputError when the data set extends beyond the end of the file.
std::optional<std::int64_t> raw_place_of(hid_t dataset, const FileArray& array, const std::string& path) {
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose);
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) != 0) return std::nullopt;
  if (H5Tequal(type, memory_type(array.type)) <= 0) return std::nullopt;
  if (file_of(dataset) != path) return std::nullopt;
  const std::int64_t bytes = array.domain.size() * static_cast<std::int64_t>(size_of(array.type));
  if (H5Dget_storage_size(dataset) != static_cast<hsize_t>(bytes)) return std::nullopt;
  // The place is undefined if no points have been written.
  const haddr_t place = H5Dget_offset(dataset);
  if (place == HADDR_UNDEF) return std::nullopt;
  if (static_cast<std::int64_t>(place) > file_bytes(path) - bytes)
    fail(path, "damaged or truncated HDF5 file");
  return static_cast<std::int64_t>(place);
}

/// Throws InputError if a virtual data set takes points from a data set that is missing, where HDF5 would
/// read zeros without an error. Sources that are virtual themselves are not looked into.
void check_sources(hid_t dataset, const std::string& path, const std::string& name) {
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose);
  std::size_t count = 0;
  if (H5Pget_layout(creation) != H5D_VIRTUAL || H5Pget_virtual_count(creation, &count) < 0) return;
  if (std::getenv("HDF5_VDS_PREFIX") != nullptr) return;  // HDF5 then looks elsewhere
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path file = copied(
        [&](char* text, std::size_t size) { return H5Pget_virtual_filename(creation, i, text, size); });
    const std::string source = copied(
        [&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(creation, i, text, size); });
    const auto is_in = [&source](const std::filesystem::path& place) {
      const Hdf5Id opened(H5Fopen(place.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      return Hdf5Id(H5Dopen2(opened, source.c_str(), H5P_DEFAULT), H5Dclose).valid();
    };
    // A number that HDF5 counts up is in the place of `%b`, as far as there are such files or data sets.
    if ((file.string() + source).find("%b") != std::string::npos) continue;
    // HDF5 looks for the file in these places, beside the file with the data set and beside the target of
    // links.
    const std::filesystem::path whole = file_of(dataset), folder = whole.parent_path();
    const std::filesystem::path target = std::filesystem::weakly_canonical(whole).parent_path();
    if (!is_in(file == "." ? whole : folder / file) && !is_in(folder / file.filename()) && !is_in(file) &&
        !is_in(target / file))
      fail(path,
           fmt::format("data set '{}' takes points from '{}' of {}, which is missing", name, source,
                       file.string()),
           "put this file into the same folder");
  }
}

/// The entries of the table of cached chunks. Chunks with the same entry replace each other, so that there
/// are many more than chunks in a row. HDF5 advises a prime number.
constexpr std::size_t cache_slots = 100003;

/// A source whose ranks read without MPI. Each rank keeps the file open, so that HDF5 keeps chunks that other
/// blocks need, too.
class Hdf5Source : public BlockSource {
 public:
  Hdf5Source(MPI_Comm communicator, const std::string& path, const ImageInfo& info)
      : communicator_(communicator), path_(path), info_(info) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      const QuietHdf5 quiet;
      check_block(block, info_.type, info_.domain);
      if (!place_ && !dataset_.valid()) open();
      // Opening an HDF5 file takes longer than reading a small block.
      if (place_) return read_at(path_, *place_, info_.domain, block);
      try {
        read_block(dataset_, info_.domain, block, path_);
      } catch (...) {
        dataset_.close();
        file_.close();
        throw;
      }
    });
  }

 private:
  void open() {
    open_for_reading(path_);  // its error messages are clearer than those of HDF5
    Hdf5Id file = open_alone(path_);
    Hdf5Id dataset = open_dataset(file, path_, info_.dataset);
    const FileArray array = array_of(dataset, path_, info_.dataset);
    check_unchanged(path_, info_, array.type, array.domain);
    place_ = raw_place_of(dataset, array, path_);
    if (place_) return;
    if (const std::int64_t bytes = kept_bytes(chunks_of(dataset), array)) {
      // HDF5 takes the size of the cache from those who open the data set while it is not open.
      dataset.close();
      const Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
      H5Pset_chunk_cache(access, cache_slots, static_cast<std::size_t>(bytes), 0);
      dataset = open_dataset(file, path_, info_.dataset, access);
    }
    dataset_ = std::move(dataset);
    file_ = std::move(file);
  }

  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  /// Where the points lie, if they lie in the file as in memory. Then the file does not stay open.
  std::optional<std::int64_t> place_ = {};
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
  const FileArray array = array_of(opened, path, name);
  check_sources(opened, path, name);
  ImageInfo info{.type = array.type, .domain = array.domain, .dataset = name};
  const Hdf5Chunks chunks = chunks_of(opened);
  if (chunks.is_compressed) info.chunk_rows = std::min(chunks.points[1], array.domain[1].size());
  info.kept_bytes = kept_bytes(chunks, array);
  return info;
}

}  // namespace

/// Reads data sets of the shape (H, W), height and width, or (C, H, W) with C channels, or of 4 dimensions,
/// slowest first. The elements are integers or floats of at most 64 bits in any byte order, or compounds of
/// two such floats with the names `r` and `i`, which are complex numbers as h5py writes them. Booleans of
/// h5py are int8, and fields of 8, 16, 32 or 64 bits, as PyTables writes booleans, unsigned integers. Each
/// rank reads its own block without MPI. If the elements must be converted or are stored in chunks, each rank
/// keeps the file open, and chunks of ImageInfo::kept_bytes.
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

}  // namespace detail

// HDF5 is not asked, as each of its calls changes its state, which only one thread may do at a time.
std::string hdf5_version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

}  // namespace tessera::io
