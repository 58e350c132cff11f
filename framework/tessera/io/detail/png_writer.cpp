// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_writer.hpp"

#include <bit>
#include <cerrno>
#include <cstring>

namespace tessera::io::detail {
namespace {

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto* file = static_cast<std::FILE*>(png_get_io_ptr(png));
  if (std::fwrite(bytes, 1, count, file) != count) png_error(png, std::strerror(errno));
}

void flush_bytes(png_structp) {}

}  // namespace

template <class Call>
void PngWriter::checked(const Call& call) {
  if (!png_succeeds(errors_, call)) fail_to_write(path_, errors_.message);
}

PngWriter::PngWriter(const UnfinishedFile& output, const PngLayout& layout)
    : path_(output.path()), file_(std::fopen(output.temporary_path().c_str(), "wb")) {
  if (!file_) fail_to_write(path_, error_text(errno));
  try {
    write_header(layout);
  } catch (...) {
    png_destroy_write_struct(&png_, &info_);
    throw;
  }
}

PngWriter::~PngWriter() { png_destroy_write_struct(&png_, &info_); }

void PngWriter::write_header(const PngLayout& layout) {
  checked([&] {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors_, on_png_error, on_png_warning);
    info_ = png_create_info_struct(png_);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(png_, file_.get(), write_bytes, flush_bytes);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(layout.width), static_cast<png_uint_32>(layout.height),
                 layout.bits, layout.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    if constexpr (std::endian::native == std::endian::little)
      if (layout.bits == 16) png_set_swap(png_);
  });
}

void PngWriter::write_row(const std::byte* samples) {
  checked([&] { png_write_row(png_, reinterpret_cast<png_const_bytep>(samples)); });
}

void PngWriter::finish() {
  checked([&] { png_write_end(png_, nullptr); });
  if (std::fclose(file_.release()) != 0) fail_to_write(path_, error_text(errno));
}

}  // namespace tessera::io::detail
