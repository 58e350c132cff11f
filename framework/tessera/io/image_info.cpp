// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/image_info.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/rle_text.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io {
namespace {

using namespace detail;

using namespace std::string_view_literals;
constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n"sv;
constexpr std::string_view fits_signature = "SIMPLE  "sv;
constexpr std::string_view flo_signature = "PIEH"sv;
constexpr std::string_view jpeg_signature = "\xff\xd8\xff"sv;
/// The signatures of TIFF and BigTIFF, each in both byte orders.
constexpr std::string_view tiff_signatures[] = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv};

bool has_signature(std::FILE* file, long offset, std::string_view signature) {
  std::string bytes(signature.size(), '\0');
  return std::fseek(file, offset, SEEK_SET) == 0 &&
         std::fread(bytes.data(), 1, signature.size(), file) == signature.size() && bytes == signature;
}

/// Returns whether the file has the signature of HDF5. A user block, with any content, may stand before the
/// signature. Its size is 512 bytes, or 512 bytes times a power of two.
bool is_hdf5(std::FILE* file) {
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  for (long offset = 0; offset < size; offset = offset == 0 ? 512 : 2 * offset)
    if (has_signature(file, offset, hdf5_signature)) return true;
  return false;
}

/// Returns the words that error messages use for a file of this format.
std::string_view kind_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::png:
      return "a PNG file";
    case ImageFormat::hdf5:
      return "an HDF5 file";
    case ImageFormat::tiff:
      return "a TIFF file";
    case ImageFormat::jpeg:
      return "a JPEG file";
    case ImageFormat::fits:
      return "a FITS file";
    case ImageFormat::flo:
      return "a .flo file";
    case ImageFormat::raw:
      return "a raw file";
    case ImageFormat::rle:
      break;
  }
  return "an RLE file";
}

void check_choice(const std::string& path, ImageFormat format, const ImageChoice& choice) {
  if (!choice.dataset.empty() && format != ImageFormat::hdf5 && format != ImageFormat::fits)
    fail(path, fmt::format("is {}, which has no data sets", kind_of(format)),
         "leave the data set's name out");
  if (choice.page && format != ImageFormat::tiff)
    fail(path, fmt::format("is {}, which has no pages", kind_of(format)), "leave the page out");
  if (choice.page && *choice.page < 0)
    fail(path, fmt::format("has no page {}", *choice.page), "give one from 0 on");
}

/// Returns the format of a file that is open for reading, or nothing when the format is unknown.
std::optional<ImageFormat> format_of(const File& file) {
  if (has_signature(file.get(), 0, png_signature)) return ImageFormat::png;
  if (has_signature(file.get(), 0, fits_signature)) return ImageFormat::fits;
  if (has_signature(file.get(), 0, jpeg_signature)) return ImageFormat::jpeg;
  for (const std::string_view signature : tiff_signatures)
    if (has_signature(file.get(), 0, signature)) return ImageFormat::tiff;
  if (has_signature(file.get(), 0, flo_signature)) return ImageFormat::flo;
  if (is_hdf5(file.get())) return ImageFormat::hdf5;
  if (is_rle(file.get())) return ImageFormat::rle;
  return std::nullopt;
}

ImageFormat format_of(const std::string& path) {
  if (const auto format = format_of(open_for_reading(path))) return *format;
  fail(path, "is not an image that can be read (by its content neither PNG, HDF5, TIFF, JPEG, FITS nor RLE)",
       "convert it to one of them");
}

}  // namespace

std::optional<ImageFormat> image_format(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const File file(std::fopen(path.c_str(), "rb"));
  return file ? format_of(file) : std::nullopt;
}

ImageInfo inspect_image(const std::string& path, const ImageChoice& choice) {
  const ImageFormat format = format_of(path);
  check_choice(path, format, choice);
  switch (format) {
    case ImageFormat::png:
      return inspect_png(path);
    case ImageFormat::hdf5:
      return inspect_hdf5(path, choice.dataset);
    case ImageFormat::tiff:
      return inspect_tiff(path, choice.page.value_or(0));
    case ImageFormat::jpeg:
      return inspect_jpeg(path);
    case ImageFormat::fits:
      return inspect_fits(path, choice.dataset);
    case ImageFormat::flo:
      return inspect_flo(path);
    case ImageFormat::rle:
    case ImageFormat::raw:  // never returned by format_of, because raw files have no signature
      break;
  }
  return inspect_rle(path);
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

}  // namespace tessera::io
