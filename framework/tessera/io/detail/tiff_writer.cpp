// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/tiff_writer.hpp"

#include <algorithm>
#include <cerrno>

#include "tessera/io/detail/interleaved.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::int64_t strip_bytes = std::int64_t{256} << 10;

int sample_format(ElementType type) {
  return with_element_type(type, []<class T>(std::type_identity<T>) {
    if (std::is_floating_point_v<T>) return SAMPLEFORMAT_IEEEFP;
    return std::is_signed_v<T> ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
  });
}

}  // namespace

File open_for_writing(const UnfinishedFile& output) {
  File file(std::fopen(output.temporary_path().c_str(), "wb+"));
  if (!file) fail_to_write(output.path(), error_text(errno));
  errno = 0;  // a later value of errno then comes from a write
  return file;
}

bool set_image_fields(TIFF* tiff, const Box& domain, ElementType type) {
  const int channels = domain.dimensions == 3 ? static_cast<int>(domain[2].size()) : 1;
  const std::uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
  const std::int64_t row_bytes = domain[0].size() * channels * static_cast<std::int64_t>(size_of(type));
  const std::int64_t rows = std::clamp<std::int64_t>(strip_bytes / row_bytes, 1, domain[1].size());
  return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(domain[0].size())) == 1 &&
         TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(domain[1].size())) == 1 &&
         TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels) == 1 &&
         TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * size_of(type))) == 1 &&
         TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, sample_format(type)) == 1 &&
         TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB) ==
             1 &&
         (channels < 4 || TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha) == 1) &&
         TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1 &&
         TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE) == 1 &&
         TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT) == 1 &&
         TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows)) == 1;
}

TiffWriter::TiffWriter(const UnfinishedFile& output, const Box& domain, ElementType type)
    : path_(output.path()),
      domain_(domain),
      type_(type),
      samples_(static_cast<std::size_t>(domain.size() / domain[1].size()) * size_of(type)),
      file_(open_for_writing(output),
            needs_big_tiff(domain.size() * static_cast<std::int64_t>(size_of(type))) ? "w8" : "w") {
  if (file_.handle() == nullptr || !set_image_fields(file_.handle(), domain, type)) fail_here();
}

void TiffWriter::write_rows(const HostBlock& rows) {
  for (std::int64_t y = rows.box[1].begin; y < rows.box[1].end; ++y) write_row(rows, y);
}

void TiffWriter::write_row(const HostBlock& rows, std::int64_t y) {
  put_points(rows, row_of(samples_.data(), type_, domain_, y));
  const auto number = static_cast<std::uint32_t>(y - domain_[1].begin);
  errno = 0;
  if (TIFFWriteScanline(file_.handle(), samples_.data(), number, 0) != 1) fail_here();
}

void TiffWriter::finish() {
  errno = 0;
  if (TIFFWriteDirectory(file_.handle()) != 1) fail_here();
  if (!file_.close()) fail_to_write(path_, error_text(errno));
}

void TiffWriter::fail_here() const {
  // The message of the system names the cause, such as a full disk. The message of libtiff does not.
  fail_to_write(path_, errno != 0 ? error_text(errno) : file_.error());
}

}  // namespace tessera::io::detail
