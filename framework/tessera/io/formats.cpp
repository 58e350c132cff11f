// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
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

bool is_rle(std::FILE* file);

}  // namespace detail

namespace {

using namespace detail;
using namespace std::string_view_literals;

bool has_signature(std::FILE* file, long offset, std::string_view signature) {
  std::string bytes(signature.size(), '\0');
  return std::fseek(file, offset, SEEK_SET) == 0 &&
         std::fread(bytes.data(), 1, signature.size(), file) == signature.size() && bytes == signature;
}

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n"sv;

/// Returns whether the file has the signature of HDF5 after a user block, which has any content and 512 bytes
/// times a power of two.
bool is_hdf5(std::FILE* file) {
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  for (long offset = 512; offset < size; offset *= 2)
    if (has_signature(file, offset, hdf5_signature)) return true;
  return false;
}

/// Returns the format of an open file, or null if it has none of the table.
const Format* format_in(std::FILE* file) {
  const auto has_its_signature = [file](const Format& format) {
    return std::ranges::any_of(
        format.signatures, [file](std::string_view signature) { return has_signature(file, 0, signature); });
  };
  for (const Format& format : formats())
    if (has_its_signature(format)) return &format;
  for (const Format& format : formats())
    if (format.is_in != nullptr && format.is_in(file)) return &format;
  return nullptr;
}

const Format& known_format_at(const std::string& path) {
  const File file = open_for_reading(path);
  if (const Format* format = format_in(file.get())) return *format;
  fail(path,
       fmt::format("is not an image that can be read (by its content neither {})", readable_formats("nor")),
       "convert it to one of them");
}

void check_choice(const std::string& path, const Format& format, const ImageChoice& choice) {
  if (!choice.dataset.empty() && !format.traits.has_datasets)
    fail(path, fmt::format("has the format {}, which has no data sets", format.name),
         "leave the data set's name out");
  if (choice.page && !format.traits.has_pages)
    fail(path, fmt::format("has the format {}, which has no pages", format.name), "leave the page out");
  if (choice.page && *choice.page < 0)
    fail(path, fmt::format("has no page {}", *choice.page), "give one from 0 on");
}

/// Returns the items as "a", "a or b" or "a, b or c", where `last_word` is "or".
template <class Items>
std::string alternatives(const Items& items, const std::string& last_word) {
  if (items.size() == 1) return fmt::format("{}", items.front());
  return fmt::format("{} {} {}", fmt::join(items.begin(), items.end() - 1, ", "), last_word, items.back());
}

/// Throws InputError if files of the format cannot hold such an array.
void check_array(const std::string& path, const Format& format, const Box& domain, ElementType type) {
  constexpr const char* advice = "write HDF5 instead";
  if (!format.holds(type)) {
    std::vector<std::string_view> names;
    for (const ElementType held : format.types) names.push_back(name_of(held));
    fail(path, fmt::format("{} holds {}, not {}", format.name, alternatives(names, "or"), name_of(type)),
         advice);
  }
  if (!format.holds(domain))
    fail(path,
         fmt::format("{} holds images of {} channel{}, not {}", format.name,
                     alternatives(format.channels, "or"), format.channels.back() == 1 ? "" : "s",
                     to_string(domain)),
         advice);
  if (format.channels.empty()) return;
  // A row may be sent as one message, and MPI counts the bytes of a message with an int.
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (bytes_of_row(domain, type) > most || domain[1].size() > most)
    fail(path, fmt::format("{} is too large for {}", to_string(domain), format.name), advice);
}

std::vector<Format> make_table() {
  using enum ElementType;
  using Types = std::vector<ElementType>;
  const Types of_pictures = {uint8, uint16, float32};
  const Types real = {int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64};
  const Types of_ome = {int8, uint8, int16, uint16, int32, uint32, float32, float64};
  // clang-format off
  return {
      {.id = ImageFormat::hdf5, .name = "HDF5", .library = "HDF5", .output = "file",
       .endings = {".h5", ".hdf5", ".hdf", ".he5"}, .signatures = {hdf5_signature}, .is_in = is_hdf5,
       .functions = hdf5_format,
       .traits = {.is_listed = true, .has_datasets = true, .needs_one_thread = true}},
      {.id = ImageFormat::png, .name = "PNG", .library = "PNG", .output = "png", .endings = {".png"},
       .signatures = {"\x89PNG\r\n\x1a\n"sv}, .types = of_pictures, .channels = {1, 3, 4},
       .functions = png_format, .traits = {.is_listed = true}},
      {.id = ImageFormat::tiff, .name = "TIFF", .library = "TIFF", .output = "tiff",
       .endings = {".tif", ".tiff", ".btf", ".tf8"},
       .signatures = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}, .types = real, .channels = {1, 3, 4},
       .functions = tiff_format, .traits = {.is_listed = true, .has_pages = true}},
      {.id = ImageFormat::jpeg, .name = "JPEG", .library = "JPEG",
       .endings = {".jpg", ".jpeg", ".jpe", ".jfif"}, .signatures = {"\xff\xd8\xff"sv}, .functions = jpeg_format, .traits = {.is_listed = true}},
      {.id = ImageFormat::fits, .name = "FITS", .library = "FITS", .endings = {".fits", ".fit", ".fts"},
       .signatures = {"SIMPLE  "sv}, .functions = fits_format,
       .traits = {.is_listed = true, .has_datasets = true, .needs_one_thread = true}},
      {.id = ImageFormat::raw, .name = "raw numbers", .output = "raw",
       .help = "The numbers of the result alone: C order (x fastest), this machine's byte order",
       .endings = {".raw"}, .functions = raw_format},
      {.id = ImageFormat::rle, .name = "RLE", .output = "rle",
       .help = "The result as an RLE pattern: cells that are not 0 are alive", .endings = {".rle"},
       .is_in = is_rle, .types = {uint8}, .channels = {1}, .functions = rle_format,
       .traits = {.is_listed = true}},
      {.id = ImageFormat::flo, .name = "FLO", .output = "flo",
       .help = "The result as a .flo file of the Middlebury benchmark", .endings = {".flo"},
       .signatures = {"PIEH"sv}, .types = {float32}, .channels = {2}, .functions = flo_format},
      {.id = ImageFormat::ome_tiff, .name = "OME-TIFF", .library = "TIFF", .types = of_ome,
       .channels = {1, 3, 4}, .functions = ome_tiff_format}};
  // clang-format on
}

}  // namespace

void detail::fail_without(const std::string& path, std::string_view library, std::string_view instead) {
  fail(path, fmt::format("this Tessera was built without {}", library),
       fmt::format("configure it with -DTESSERA_{}=ON, or {}", library, instead));
}

bool Format::holds(ElementType type) const {
  return types.empty() || std::ranges::find(types, type) != types.end();
}

bool Format::holds(const Box& domain) const {
  if (channels.empty()) return true;
  const bool is_image = !domain.empty() && (domain.dimensions == 2 || domain.dimensions == 3);
  return is_image && std::ranges::find(channels, channels_of(domain).size()) != channels.end();
}

const std::vector<Format>& formats() {
  static const std::vector<Format> table = make_table();
  return table;
}

const Format& format_of(ImageFormat id) { return *std::ranges::find(formats(), id, &Format::id); }

std::string readable_formats(const std::string& last_word) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (format.traits.is_listed) names.push_back(format.name);
  return alternatives(names, last_word);
}

std::string formats_text() {
  std::vector<std::string> with, without;
  for (const Format& format : formats())
    if (format.name == format.library) (format.is_built() ? with : without).emplace_back(format.name);
  if (!with.empty() && with.front() == "HDF5") with.front().append(" ").append(hdf5_version());
  (has_video ? with : without).emplace_back("VIDEO");
  if (!without.empty()) without.front().insert(0, "without ");
  with.insert(with.end(), without.begin(), without.end());
  return fmt::format("formats: {}", fmt::join(with, ", "));
}

std::optional<ImageFormat> image_format(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const File file(std::fopen(path.c_str(), "rb"));
  const Format* format = file ? format_in(file.get()) : nullptr;
  return format == nullptr ? std::nullopt : std::optional(format->id);
}

ImageInfo inspect_image(const std::string& path, const ImageChoice& choice) {
  const Format& format = known_format_at(path);
  check_choice(path, format, choice);
  if (!format.is_built()) fail_without(path, format.library, convert_file);
  ImageInfo info = format.functions.inspect(path, choice);
  info.format = format.id;
  return info;
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
  if (!format.is_built()) fail_without(path, format.library, convert_file);
  return format.functions.open(communicator, path, info);
}

std::unique_ptr<BlockSink> create_image(MPI_Comm communicator, ImageFormat id, const std::string& path,
                                        const Box& domain, ElementType type, int threads) {
  const Format& format = format_of(id);
  if (!format.is_built()) fail_without(path, format.library, write_other_format);
  check_array(path, format, domain, type);
  if (format.functions.create == nullptr)
    throw InternalError(fmt::format("{}: {} is not written by create_image", path, format.name));
  return format.functions.create(communicator, path, domain, type, threads);
}

}  // namespace tessera::io
