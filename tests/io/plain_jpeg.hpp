// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <jpeglib.h>

// JPEG files through libjpeg alone, to check Tessera's against.
namespace tessera::io_test {

struct PlainJpeg {
  std::int64_t width = 0;
  std::int64_t height = 0;
  J_COLOR_SPACE colour = JCS_RGB;
  bool progressive = false;
  std::vector<std::uint8_t> bytes = {};  ///< the channels of a point together

  int channels() const { return colour == JCS_GRAYSCALE ? 1 : colour == JCS_RGB ? 3 : 4; }
  int sample(std::int64_t x, std::int64_t y, std::int64_t c) const {
    return bytes[static_cast<std::size_t>((y * width + x) * channels() + c)];
  }
};

/// A smooth image with an edge.
inline PlainJpeg make_jpeg(std::int64_t width, std::int64_t height, J_COLOR_SPACE colour) {
  PlainJpeg image{width, height, colour};
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < image.channels(); ++c)
        image.bytes.push_back(static_cast<std::uint8_t>(3 * x + y * (c + 1) + (x > y ? 90 : 0)));
  return image;
}

inline void write_plain_jpeg(const std::string& path, PlainJpeg image) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = image.channels();
  jpeg.in_color_space = image.colour;
  jpeg_set_defaults(&jpeg);
  if (image.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (std::int64_t y = 0; y < image.height; ++y) {
    JSAMPROW row = image.bytes.data() + y * image.width * image.channels();
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
}

inline PlainJpeg read_plain_jpeg(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg_start_decompress(&jpeg);
  PlainJpeg image{jpeg.output_width, jpeg.output_height, jpeg.out_color_space};
  const auto row_bytes = static_cast<std::size_t>(image.width * image.channels());
  image.bytes.resize(row_bytes * jpeg.output_height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = image.bytes.data() + row_bytes * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  std::fclose(file);
  return image;
}

}  // namespace tessera::io_test
