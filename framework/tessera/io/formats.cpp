// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/video_backend.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io {
namespace detail {

// Each is defined in a file of io/formats, or made from io/without/format.cpp.in in a build without the
// library of the format.
extern const FormatFunctions png_format, hdf5_format, tiff_format, jpeg_format, fits_format, rle_format,
    flo_format, ome_tiff_format, raw_format;

bool is_rle(const std::string& path, std::FILE* file);

}  // namespace detail

namespace {

using namespace detail;
using namespace std::string_view_literals;

bool has_signature(std::FILE* file, long offset, std::string_view signature) {
  std::string bytes(signature.size(), '\0');
  return std::fseek(file, offset, SEEK_SET) == 0 &&
         std::fread(bytes.data(), 1, signature.size(), file) == signature.size() && bytes == signature;
}

/// Returns whether the file has the signature of HDF5. A user block, with any content, may stand before the
/// signature. Its size is 512 bytes, or 512 bytes times a power of two.
bool is_hdf5(const std::string&, std::FILE* file) {
  if (file == nullptr) return false;
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  for (long offset = 0; offset < size; offset = offset == 0 ? 512 : 2 * offset)
    if (has_signature(file, offset, "\x89HDF\r\n\x1a\n"sv)) return true;
  return false;
}

/// Returns the format of what is at the path, or null if it has none of the table. `file` is null if this is
/// a folder.
const Format* format_at(const std::string& path, std::FILE* file) {
  const auto has_its_signature = [file](const Format& format) {
    return file != nullptr && std::ranges::any_of(format.signatures, [file](std::string_view signature) {
             return has_signature(file, 0, signature);
           });
  };
  for (const Format& format : formats())
    if (has_its_signature(format)) return &format;
  for (const Format& format : formats())
    if (format.is_at != nullptr && format.is_at(path, file)) return &format;
  return nullptr;
}

const Format& known_format_at(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const File file = is_folder ? nullptr : open_for_reading(path);
  if (const Format* format = format_at(path, file.get())) return *format;
  if (is_folder) open_for_reading(path);  // throws
  fail(path,
       fmt::format("is not an image that can be read (by its content neither {})", readable_formats("nor")),
       "convert it to one of them");
}

void check_choice(const std::string& path, const Format& format, const ImageChoice& choice) {
  if (!choice.dataset.empty() && !format.traits.has_datasets)
    fail(path, fmt::format("is {}, which has no data sets", format.kind), "leave the data set's name out");
  if (choice.page && !format.traits.has_pages)
    fail(path, fmt::format("is {}, which has no pages", format.kind), "leave the page out");
  if (choice.page && *choice.page < 0)
    fail(path, fmt::format("has no page {}", *choice.page), "give one from 0 on");
}

[[noreturn]] void fail_without(const std::string& path, std::string_view library, const char* way_out) {
  fail(path, fmt::format("this Tessera was built without {}", library),
       fmt::format("configure it with -DTESSERA_{}=ON, or {}", library, way_out));
}

}  // namespace

void detail::fail_to_read_without(const std::string& path, std::string_view library) {
  fail_without(path, library, "convert the file");
}

void detail::fail_to_write_without(const std::string& path, std::string_view library) {
  fail_without(path, library, "write another format");
}

const std::vector<Format>& formats() {
  using enum ImageFormat;
  // clang-format off
  static const std::vector<Format> table = {
      {png, "PNG", "a PNG file", "PNG", "png", {".png"}, {"\x89PNG\r\n\x1a\n"sv}, nullptr, png_format,
       {.is_listed = true, .is_read_in_order = true}},
      {hdf5, "HDF5", "an HDF5 file", "HDF5", "file", {".h5", ".hdf5", ".hdf", ".he5"}, {}, is_hdf5,
       hdf5_format, {.is_listed = true, .has_datasets = true, .needs_one_thread = true}},
      {tiff, "TIFF", "a TIFF file", "TIFF", "tiff", {".tif", ".tiff", ".btf", ".tf8"},
       {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}, nullptr, tiff_format,
       {.is_listed = true, .has_pages = true}},
      {jpeg, "JPEG", "a JPEG file", "JPEG", "", {".jpg", ".jpeg", ".jpe", ".jfif"}, {"\xff\xd8\xff"sv},
       nullptr, jpeg_format, {.is_listed = true, .is_read_in_order = true}},
      {fits, "FITS", "a FITS file", "FITS", "", {".fits", ".fit", ".fts"}, {"SIMPLE  "sv}, nullptr,
       fits_format, {.is_listed = true, .has_datasets = true, .needs_one_thread = true}},
      {raw, "raw numbers", "a raw file", "", "raw", {".raw"}, {}, nullptr, raw_format, {}},
      {rle, "RLE", "an RLE file", "", "rle", {".rle"}, {}, is_rle, rle_format, {.is_listed = true}},
      {flo, "FLO", "a .flo file", "", "flo", {".flo"}, {"PIEH"sv}, nullptr, flo_format, {}},
      {ome_tiff, "OME-TIFF", "an OME-TIFF file", "TIFF", "", {}, {}, nullptr, ome_tiff_format, {}}};
  // clang-format on
  return table;
}

const Format& format_of(ImageFormat id) { return *std::ranges::find(formats(), id, &Format::id); }

std::string readable_formats(const std::string& last_word) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (format.traits.is_listed) names.push_back(format.name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} {} {}", fmt::join(names, ", "), last_word, last);
}

std::string formats_text() {
  std::vector<std::string> with, without;
  for (const Format& format : formats()) {
    if (format.name != format.library) continue;
    const bool is_hdf5 = format.id == ImageFormat::hdf5;
    std::vector<std::string>& list = format.is_built() ? with : without;
    // HDF5 comes first, with its version.
    list.insert(is_hdf5 ? list.begin() : list.end(), is_hdf5 && format.is_built()
                                                         ? fmt::format("HDF5 {}", hdf5_version())
                                                         : std::string(format.name));
  }
  (has_video ? with : without).emplace_back("VIDEO");
  if (!without.empty()) without.front().insert(0, "without ");
  with.insert(with.end(), without.begin(), without.end());
  return fmt::format("formats: {}", fmt::join(with, ", "));
}

std::optional<ImageFormat> image_format(const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (!is_folder && !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const File file(is_folder ? nullptr : std::fopen(path.c_str(), "rb"));
  if (!is_folder && !file) return std::nullopt;
  const Format* format = format_at(path, file.get());
  return format == nullptr ? std::nullopt : std::optional(format->id);
}

ImageInfo inspect_image(const std::string& path, const ImageChoice& choice) {
  const Format& format = known_format_at(path);
  check_choice(path, format, choice);
  if (!format.is_built()) fail_to_read_without(path, format.library);
  return format.functions.inspect(path, choice);
}

ImageInfo broadcast(MPI_Comm communicator, ImageInfo info) {
  int length = static_cast<int>(info.dataset.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, communicator);
  info.dataset.resize(static_cast<std::size_t>(length));
  MPI_Bcast(info.dataset.data(), length, MPI_CHAR, 0, communicator);
  MPI_Bcast(&info.format, sizeof(info.format), MPI_BYTE, 0, communicator);
  MPI_Bcast(&info.type, sizeof(info.type), MPI_BYTE, 0, communicator);
  MPI_Bcast(&info.domain, sizeof(info.domain), MPI_BYTE, 0, communicator);
  MPI_Bcast(&info.page, 1, MPI_INT, 0, communicator);
  MPI_Bcast(&info.raw, sizeof(info.raw), MPI_BYTE, 0, communicator);
  MPI_Bcast(&info.chunk_rows, 1, MPI_INT64_T, 0, communicator);
  MPI_Bcast(&info.kept_bytes, 1, MPI_INT64_T, 0, communicator);
  return info;
}

std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info) {
  const Format& format = format_of(info.format);
  if (!format.is_built()) fail_to_read_without(path, format.library);
  return format.functions.open(communicator, path, info);
}

std::unique_ptr<BlockSink> create_image(MPI_Comm communicator, ImageFormat id, const std::string& path,
                                        const Box& domain, ElementType type, int threads) {
  const Format& format = format_of(id);
  if (!format.is_built()) fail_to_write_without(path, format.library);
  if (format.functions.create == nullptr)
    throw InternalError(fmt::format("{}: {} is not written by create_image", path, format.name));
  return format.functions.create(communicator, path, domain, type, threads);
}

}  // namespace tessera::io
