// SPDX-License-Identifier: BSD-3-Clause
#include <png.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_encoding.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
  static_cast<CodecErrors*>(png_get_error_ptr(png))->leave(message);
}

void ignore_png_warning(png_structp, png_const_charp) {}

void read_png_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto* file = static_cast<std::FILE*>(png_get_io_ptr(png));
  if (std::fread(bytes, 1, count, file) == count) return;
  png_error(png, std::ferror(file) != 0 ? "it cannot be read to its end" : "the file ends too early");
}

/// Decodes one PNG file.
class PngReader final : public RowReader {
 public:
  /// Opens the file, and reads everything before the pixels.
  explicit PngReader(const std::string& path) : PngReader(path, open_for_reading(path)) { read_header(); }
  ~PngReader() override { png_destroy_read_struct(&png_, &info_, nullptr); }

  ElementType type() const override { return type_; }
  Box domain() const override { return domain_; }

  /// Decodes the next row; if the file is interlaced, the first call decodes the whole image.
  void read_row(std::byte* samples) override {
    if (passes_ > 1) {
      if (image_.empty()) decode_interlaced();
      std::memcpy(samples, image_.data() + next_row_++ * row_bytes_, row_bytes_);
    } else {
      checked([&] { png_read_row(png_, reinterpret_cast<png_bytep>(samples), nullptr); });
    }
  }

  void finish() override {
    checked([&] { png_read_end(png_, nullptr); });
  }

 private:
  /// If the other constructor fails after this one, the destructor is called.
  PngReader(const std::string& path, File file) : path_(path), file_(std::move(file)) {}

  template <class Call>
  void checked(const Call& call) {
    errors_.check(path_, "PNG", call);
  }

  void read_header() {
    checked([&] {
      png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, on_png_error, ignore_png_warning);
      info_ = png_create_info_struct(png_);
      // By default, libpng refuses images of more than a million columns or rows.
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_set_read_fn(png_, file_.get(), read_png_bytes);
      png_read_info(png_, info_);
      if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
      if (png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
      if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
      if constexpr (std::endian::native == std::endian::little)
        if (png_get_bit_depth(png_, info_) == 16) png_set_swap(png_);
      passes_ = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    });
    row_bytes_ = png_get_rowbytes(png_, info_);
    type_ = png_get_bit_depth(png_, info_) == 16 ? ElementType::uint16 : ElementType::uint8;
    domain_ = image_domain(png_get_image_width(png_, info_), png_get_image_height(png_, info_),
                           png_get_channels(png_, info_));
  }

  void decode_interlaced() {
    const auto height = static_cast<std::size_t>(domain_[1].size());
    image_.resize(row_bytes_ * height);
    auto* samples = reinterpret_cast<png_bytep>(image_.data());
    checked([&] {
      for (int pass = 0; pass < passes_; ++pass)
        for (std::size_t y = 0; y < height; ++y) png_read_row(png_, samples + y * row_bytes_, nullptr);
    });
  }

  std::string path_;
  File file_;
  CodecErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  ElementType type_ = ElementType::uint8;
  Box domain_;
  int passes_ = 1;
  std::size_t row_bytes_ = 0;
  /// The whole image, if the file is interlaced.
  std::vector<std::byte> image_;
  std::size_t next_row_ = 0;
};

}  // namespace

/// Reads grey or RGB images of uint8 or uint16; transparency is one more channel. Samples of fewer than 8
/// bits are scaled to 8 bits. Images with a palette become RGB images, or RGBA images if the palette has
/// transparent entries. Rows are read as of JPEG, but an interlaced file is held in memory as a whole.
///
/// Writes grey for 1 channel, RGB for 3, and RGBA for 4. uint8 and uint16 are stored unchanged. float32 is
/// clamped to [0, 1], scaled to 16 bits and rounded to nearest; NaN becomes 0. `threads` threads of rank 0
/// encode the rows. The bytes of the file depend neither on their number nor on that of ranks.
extern const FormatFunctions png_format = {inspect_by<PngReader>, open_by_rows<PngReader>, create_png};

}  // namespace tessera::io::detail
