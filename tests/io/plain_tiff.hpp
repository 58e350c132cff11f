// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

// TIFF files through libtiff alone, to check Tessera's against.
namespace tessera::io_test {

/// How a page stands in its file.
struct PlainTiff {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  int bits = 8;
  int format = SAMPLEFORMAT_UINT;
  int photometric = PHOTOMETRIC_MINISBLACK;
  int compression = COMPRESSION_NONE;
  int predictor = PREDICTOR_NONE;
  bool planar = false;
  /// The width of tiles, a multiple of 16; 0 for strips.
  std::int64_t tile_width = 0;
  std::int64_t chunk_height = 5;
  std::vector<std::uint16_t> extra = {};  ///< what the last channels are
};

template <class T>
PlainTiff plain_tiff(std::int64_t width, std::int64_t height, int channels) {
  PlainTiff page{width, height, channels, static_cast<int>(8 * sizeof(T))};
  if (std::is_floating_point_v<T>) page.format = SAMPLEFORMAT_IEEEFP;
  if (std::is_integral_v<T> && std::is_signed_v<T>) page.format = SAMPLEFORMAT_INT;
  if (channels > 1) page.photometric = PHOTOMETRIC_RGB;
  if (channels == 4) page.extra = {EXTRASAMPLE_UNASSALPHA};
  return page;
}

inline void set_fields(TIFF* tiff, const PlainTiff& page) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(page.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(page.height));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, page.format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, page.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, page.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, page.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (page.predictor != PREDICTOR_NONE) TIFFSetField(tiff, TIFFTAG_PREDICTOR, page.predictor);
  if (page.compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (!page.extra.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(page.extra.size()), page.extra.data());
  if (page.tile_width > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(page.tile_width));
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(page.chunk_height));
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(page.chunk_height));
  }
}

/// Writes a page whose samples are value(x, y, c), strip by strip or tile by tile.
template <class T, class Value>
void write_page(TIFF* tiff, const PlainTiff& page, const Value& value) {
  set_fields(tiff, page);
  const std::int64_t chunk_width = page.tile_width > 0 ? page.tile_width : page.width;
  const int together = page.planar ? 1 : page.channels;
  std::uint32_t number = 0;
  for (int plane = 0; plane < (page.planar ? page.channels : 1); ++plane)
    for (std::int64_t top = 0; top < page.height; top += page.chunk_height)
      for (std::int64_t left = 0; left < page.width; left += chunk_width) {
        const std::int64_t bottom =
            page.tile_width > 0 ? top + page.chunk_height : std::min(top + page.chunk_height, page.height);
        std::vector<T> samples;
        for (std::int64_t y = top; y < bottom; ++y)
          for (std::int64_t x = left; x < left + chunk_width; ++x)
            for (int c = plane; c < plane + together; ++c) samples.push_back(static_cast<T>(value(x, y, c)));
        const auto bytes = static_cast<tmsize_t>(samples.size() * sizeof(T));
        const tmsize_t written = page.tile_width > 0
                                     ? TIFFWriteEncodedTile(tiff, number, samples.data(), bytes)
                                     : TIFFWriteEncodedStrip(tiff, number, samples.data(), bytes);
        EXPECT_EQ(written, bytes);
        ++number;
      }
  EXPECT_EQ(TIFFWriteDirectory(tiff), 1);
}

/// Writes a file of one page. `mode`: "w", of the byte order "wl" or "wb", BigTIFF "w8".
template <class T, class Value>
void write_plain_tiff(const std::string& path, const PlainTiff& page, const Value& value,
                      const char* mode = "w") {
  TIFF* tiff = TIFFOpen(path.c_str(), mode);
  write_page<T>(tiff, page, value);
  TIFFClose(tiff);
}

template <class T>
T tiff_field(TIFF* tiff, std::uint32_t tag) {
  T value{};
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

/// Overwrites the value of a field of a TIFF file whose bytes are ordered low first.
inline void put_field(std::string& bytes, int tag, std::uint32_t value) {
  std::uint32_t directory = 0;
  std::memcpy(&directory, bytes.data() + 4, sizeof(directory));
  std::uint16_t entries = 0;
  std::memcpy(&entries, bytes.data() + directory, sizeof(entries));
  for (std::size_t at = directory + 2; at < directory + 2 + 12U * entries; at += 12) {
    std::uint16_t each = 0;
    std::memcpy(&each, bytes.data() + at, sizeof(each));
    if (each != tag) continue;
    const std::uint16_t type = TIFF_LONG;
    std::memcpy(bytes.data() + at + 2, &type, sizeof(type));
    std::memcpy(bytes.data() + at + 8, &value, sizeof(value));
  }
}

}  // namespace tessera::io_test
