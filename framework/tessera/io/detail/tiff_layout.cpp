// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/tiff_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/interleaved.hpp"

namespace tessera::io::detail {
namespace {

/// Returns the value of a field of the page. If the page does not have the field, returns the default value
/// of the TIFF standard, or `fallback` if the standard has no default value.
template <class T>
T field(TIFF* tiff, std::uint32_t tag, T fallback = 0) {
  T value{};
  return TIFFGetFieldDefaulted(tiff, tag, &value) == 1 ? value : fallback;
}

int channels_for(int photometric) {
  return photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
}

void check_colours(TIFF* tiff, const std::string& path, int photometric) {
  const auto refuse = [&](const char* problem, const char* advice = "convert it to RGB") {
    fail(path, problem, advice);
  };
  if (photometric == PHOTOMETRIC_MINISWHITE)
    refuse("is a TIFF image in which 0 is white", "convert it to one in which 0 is black");
  if (photometric == PHOTOMETRIC_PALETTE) refuse("is a TIFF image with a palette");
  if (photometric == PHOTOMETRIC_SEPARATED) refuse("is a TIFF image in the colours of printers (CMYK)");
  const int compression = field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION);
  if (photometric == PHOTOMETRIC_YCBCR && compression != COMPRESSION_JPEG)
    refuse("is a TIFF image of YCbCr samples that are not JPEG-compressed");
  if (photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_RGB &&
      photometric != PHOTOMETRIC_YCBCR)
    refuse(fmt::format("is a TIFF image of photometric interpretation {}", photometric).c_str(),
           "convert it to grey or RGB");
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0)
    refuse(fmt::format("is compressed in a way that this libtiff does not know ({})", compression).c_str(),
           "compress it by deflate or LZW, or not at all");
}

void check_channels(TIFF* tiff, const std::string& path, int photometric, int channels) {
  if (channels == channels_for(photometric)) return;
  std::uint16_t extra = 0;
  const std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds);
  if (photometric == PHOTOMETRIC_RGB && channels == 4 && extra == 1) {
    if (kinds[0] != EXTRASAMPLE_ASSOCALPHA) return;
    fail(path, "has colours that are multiplied by their transparency",
         "write it with unassociated alpha, which keeps the colours");
  }
  fail(path,
       fmt::format("has {} channels ({} of them extra, such as transparency), but images of 1 channel "
                   "(grey), 3 (RGB) or 4 (RGB and transparency) are supported",
                   channels, extra),
       "remove the extra channels");
}

ElementType type_of(TIFF* tiff, const std::string& path) {
  const int bits = field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  const int format = field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  const auto is = [&](ElementType type, int kind) {
    return format == kind && bits == 8 * static_cast<int>(size_of(type));
  };
  using enum ElementType;
  for (const ElementType type : {uint8, uint16, uint32, uint64})
    if (is(type, SAMPLEFORMAT_UINT)) return type;
  for (const ElementType type : {int8, int16, int32, int64})
    if (is(type, SAMPLEFORMAT_INT)) return type;
  for (const ElementType type : {float32, float64})
    if (is(type, SAMPLEFORMAT_IEEEFP)) return type;
  if (format == SAMPLEFORMAT_COMPLEXIEEEFP || format == SAMPLEFORMAT_COMPLEXINT)
    fail(path, "has complex samples", "write its real and imaginary parts as images of their own");
  if (format == SAMPLEFORMAT_IEEEFP)
    fail(path, fmt::format("has floats of {} bits", bits), "convert them to 32 or 64 bits");
  fail(path,
       fmt::format("has samples of {} bits{}", bits, format == SAMPLEFORMAT_VOID ? " without a type" : ""),
       "convert it to integers of 8, 16, 32 or 64 bits");
}

void check_depth(TIFF* tiff, const std::string& path) {
  if (field<std::uint32_t>(tiff, TIFFTAG_IMAGEDEPTH, 1) > 1 ||
      field<std::uint32_t>(tiff, TIFFTAG_TILEDEPTH, 1) > 1)
    fail(path, "is a TIFF volume, of more than one layer", "write each layer as a page");
}

/// Returns the product of factors that are not negative, or nothing if the product overflows.
std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
  return result;
}

/// Throws InputError when the sizes in the header of the page are impossible for a file of `file_bytes`
/// bytes, or when chunks are too large. Sizes from a damaged header could otherwise overflow, or lead to the
/// allocation of too much memory.
void check_sizes(TIFF* tiff, const std::string& path, const TiffLayout& layout, std::int64_t file_bytes) {
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  const auto damaged = [&] {
    fail(path,
         fmt::format("claims to be {}, which does not fit into a file of {} bytes", to_string(layout.domain),
                     file_bytes),
         "get a complete copy of the file");
  };
  const Box& domain = layout.domain;
  if (domain.empty() || layout.chunk_width < 1 || layout.chunk_height < 1) damaged();
  const auto bytes = product({domain[0].size(), domain[1].size(), layout.channels(), element});
  const auto chunk =
      product({layout.chunk_width, layout.chunk_height, layout.planar ? 1 : layout.channels(), element});
  const auto chunks = product({layout.columns(), layout.rows(), layout.planar ? layout.channels() : 1});
  // The file has a table with an entry for each chunk, so that it has more bytes than chunks. The number of
  // a chunk has 32 bits.
  if (!bytes || !chunks || *chunks > file_bytes || *chunks > std::numeric_limits<std::uint32_t>::max())
    damaged();
  const bool plain = field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE;
  if (plain && *bytes > file_bytes) damaged();
  const std::string kind = layout.tiled ? "tile" : "strip";
  if (!chunk || *chunk > most_chunk_bytes)
    fail(path, fmt::format("has {}s of over 2 GiB", kind), fmt::format("write it with smaller {}s", kind));
  // No compression makes an image smaller by a factor of 100,000.
  if (*chunk > std::int64_t{256} << 20 && *chunk / 100'000 > file_bytes) damaged();
  const std::uint64_t needed = layout.tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  if (static_cast<std::uint64_t>(*chunk) != needed) damaged();
}

}  // namespace

TiffLayout read_layout(TIFF* tiff, const std::string& path, std::int64_t file_bytes) {
  const int channels = field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL);
  const int photometric = field<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC,
                                               channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  check_colours(tiff, path, photometric);
  check_channels(tiff, path, photometric, channels);
  check_depth(tiff, path);
  if (photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);

  TiffLayout layout;
  layout.type = type_of(tiff, path);
  layout.domain = image_domain(field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH),
                               field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH), channels);
  layout.tiled = TIFFIsTiled(tiff) != 0;
  layout.planar = channels > 1 && field<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  if (layout.tiled) {
    layout.chunk_width = field<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH);
    layout.chunk_height = field<std::uint32_t>(tiff, TIFFTAG_TILELENGTH);
  } else {
    layout.chunk_width = layout.domain[0].size();
    layout.chunk_height =
        std::min<std::int64_t>(field<std::uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP), layout.domain[1].size());
  }
  check_sizes(tiff, path, layout, file_bytes);
  return layout;
}

}  // namespace tessera::io::detail
