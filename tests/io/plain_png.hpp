// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

// PNG files through libpng alone, to check Tessera's against.
namespace tessera::io_test {

/// An image as it stands in the file: whole rows, 16-bit samples with the high byte first.
struct PlainPng {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int colour = PNG_COLOR_TYPE_GRAY;
  int bits = 8;
  int interlace = PNG_INTERLACE_NONE;
  std::vector<png_color> palette;
  std::vector<png_byte> transparency;  ///< of the palette
  std::vector<png_byte> bytes;
  bool has_colour_key = false;  ///< whether points that are black are transparent

  int channels() const {
    return ((colour & PNG_COLOR_MASK_COLOR) != 0 && colour != PNG_COLOR_TYPE_PALETTE ? 3 : 1) +
           ((colour & PNG_COLOR_MASK_ALPHA) != 0 ? 1 : 0);
  }
  std::size_t row_bytes() const { return static_cast<std::size_t>((width * channels() * bits + 7) / 8); }
  /// The sample of channel c of the point (x, y); for 8 and 16 bits.
  int sample(std::int64_t x, std::int64_t y, int c = 0) const {
    const std::size_t at = static_cast<std::size_t>(y) * row_bytes() +
                           static_cast<std::size_t>((x * channels() + c) * (bits / 8));
    return bits == 16 ? bytes[at] * 256 + bytes[at + 1] : bytes[at];
  }
};

/// An image of this shape, its samples filled by value(x, y, c); for 8 and 16 bits.
template <class Value>
PlainPng make_png(std::int64_t width, std::int64_t height, int colour, int bits, const Value& value) {
  PlainPng image{width, height, colour, bits, PNG_INTERLACE_NONE, {}, {}, {}};
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < image.channels(); ++c) {
        const int sample = value(x, y, c);
        if (bits == 16) image.bytes.push_back(static_cast<png_byte>(sample >> 8));
        image.bytes.push_back(static_cast<png_byte>(sample));
      }
  return image;
}

inline void write_plain_png(const std::string& path, PlainPng image) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               image.bits, image.colour, image.interlace, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!image.palette.empty())
    png_set_PLTE(png, info, image.palette.data(), static_cast<int>(image.palette.size()));
  if (!image.transparency.empty())
    png_set_tRNS(png, info, image.transparency.data(), static_cast<int>(image.transparency.size()), nullptr);
  if (image.has_colour_key) {
    png_color_16 key{};
    png_set_tRNS(png, info, nullptr, 0, &key);
  }
  png_write_info(png, info);
  std::vector<png_bytep> rows;
  for (std::int64_t y = 0; y < image.height; ++y)
    rows.push_back(image.bytes.data() + static_cast<std::size_t>(y) * image.row_bytes());
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

inline PlainPng read_plain_png(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  PlainPng image{png_get_image_width(png, info),
                 png_get_image_height(png, info),
                 png_get_color_type(png, info),
                 png_get_bit_depth(png, info),
                 png_get_interlace_type(png, info),
                 {},
                 {},
                 {}};
  png_bytepp rows = png_get_rows(png, info);
  for (std::int64_t y = 0; y < image.height; ++y)
    image.bytes.insert(image.bytes.end(), rows[y], rows[y] + image.row_bytes());
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return image;
}

}  // namespace tessera::io_test
