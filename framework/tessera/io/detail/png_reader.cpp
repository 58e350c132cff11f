// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_reader.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace tessera::io::detail {
namespace {

void read_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto* file = static_cast<std::FILE*>(png_get_io_ptr(png));
  if (std::fread(bytes, 1, count, file) == count) return;
  png_error(png, std::ferror(file) != 0 ? "it cannot be read to its end" : "the file ends too early");
}

}  // namespace

template <class Call>
void PngReader::checked(const Call& call) {
  if (!png_succeeds(errors_, call))
    fail(path_, fmt::format("damaged or truncated PNG ({})", errors_.message),
         "get a complete copy of the file");
}

PngReader::PngReader(const std::string& path) : path_(path), file_(open_for_reading(path)) {
  try {
    read_header();
  } catch (...) {
    png_destroy_read_struct(&png_, &info_, nullptr);
    throw;
  }
}

PngReader::~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

void PngReader::read_header() {
  checked([&] {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, on_png_error, on_png_warning);
    info_ = png_create_info_struct(png_);
    // By default, libpng refuses images of more than a million columns or rows.
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_read_fn(png_, file_.get(), read_bytes);
    png_read_info(png_, info_);
  });
  refuse_transparent_grey();
  checked([&] {
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
    if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if constexpr (std::endian::native == std::endian::little)
      if (png_get_bit_depth(png_, info_) == 16) png_set_swap(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    row_bytes_ = png_get_rowbytes(png_, info_);
    layout_ = {png_get_image_width(png_, info_), png_get_image_height(png_, info_),
               png_get_channels(png_, info_), png_get_bit_depth(png_, info_)};
  });
}

void PngReader::refuse_transparent_grey() const {
  const int colour = png_get_color_type(png_, info_);
  const bool has_alpha =
      (colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  if (!has_alpha || (colour & PNG_COLOR_MASK_COLOR) != 0) return;
  fail(path_,
       "has 2 channels (grey and transparency), but images of 1 channel (grey), 3 (RGB) or 4 (RGB and "
       "transparency) are supported",
       "remove the alpha channel, or convert the image to RGB");
}

void PngReader::read_row(std::byte* samples) {
  if (passes_ > 1) {
    if (image_.empty()) decode_interlaced();
    std::memcpy(samples, image_.data() + next_row_++ * row_bytes_, row_bytes_);
  } else {
    checked([&] { png_read_row(png_, reinterpret_cast<png_bytep>(samples), nullptr); });
  }
}

void PngReader::decode_interlaced() {
  const auto height = static_cast<std::size_t>(layout_.height);
  image_.resize(row_bytes_ * height);
  auto* samples = reinterpret_cast<png_bytep>(image_.data());
  checked([&] {
    for (int pass = 0; pass < passes_; ++pass)
      for (std::size_t y = 0; y < height; ++y) png_read_row(png_, samples + y * row_bytes_, nullptr);
  });
}

void PngReader::finish() {
  checked([&] { png_read_end(png_, nullptr); });
}

}  // namespace tessera::io::detail
