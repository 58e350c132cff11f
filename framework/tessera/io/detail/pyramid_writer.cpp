// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/pyramid_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/tiff_writer.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::int64_t smallest_side = 256;

/// Opens a file without a name in the folder of `output`.
File open_nameless(const UnfinishedFile& output) {
  const std::string name = output.temporary_path() + ".levels";
  File file(std::fopen(name.c_str(), "wb+"));
  if (!file) fail_to_write(output.path(), error_text(errno));
  std::remove(name.c_str());
  errno = 0;
  return file;
}

/// The levels take a third of what the image takes.
bool needs_big_pyramid(const Box& domain, ElementType type) {
  return needs_big_tiff(domain.size() * static_cast<std::int64_t>(size_of(type)) / 3 * 4);
}

}  // namespace

std::string ome_type(ElementType type) {
  if (type == ElementType::float32) return "float";
  if (type == ElementType::float64) return "double";
  return size_of(type) <= 4 ? std::string(name_of(type)) : "";
}

PyramidWriter::PyramidWriter(const UnfinishedFile& output, const Box& domain, ElementType type)
    : path_(output.path()),
      domain_(domain),
      type_(type),
      samples_(static_cast<std::size_t>(domain.size() / domain[1].size()) * size_of(type)),
      file_(open_for_writing(output), needs_big_pyramid(domain, type) ? "w8" : "w"),
      kept_(open_nameless(output)) {
  check(file_.handle() != nullptr);
  add_levels();
  TIFF* const tiff = file_.handle();
  check(set_image_fields(tiff, domain, type));
  check(TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description().c_str()) == 1);
  const std::vector<toff_t> offsets(levels_.size());  // which libtiff fills in
  if (!levels_.empty())
    check(TIFFSetField(tiff, TIFFTAG_SUBIFD, static_cast<int>(levels_.size()), offsets.data()) == 1);
}

void PyramidWriter::add_levels() {
  std::int64_t place = 0;
  for (Box below = domain_; std::max(below[0].size(), below[1].size()) > smallest_side;) {
    const Box domain = halved(below);
    const std::int64_t row_bytes =
        domain.size() / domain[1].size() * static_cast<std::int64_t>(size_of(type_));
    const std::size_t number = levels_.size();
    levels_.push_back({domain, place, place, row_bytes,
                       std::make_unique<RowHalver>(
                           below, type_, [this, number](const std::byte* row) { keep_row(number, row); })});
    place += row_bytes * domain[1].size();
    below = domain;
  }
}

std::string PyramidWriter::description() const {
  const std::int64_t channels = channels_of(domain_).size();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://www.openmicroscopy.org/Schemas/OME/2016-06 "
      "http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd\">"
      "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\" Type=\"{}\" SizeX=\"{}\" "
      "SizeY=\"{}\" SizeC=\"{}\" SizeZ=\"1\" SizeT=\"1\" BigEndian=\"{}\">"
      "<Channel ID=\"Channel:0:0\" SamplesPerPixel=\"{}\"/><TiffData IFD=\"0\" PlaneCount=\"1\"/>"
      "</Pixels></Image></OME>",
      ome_type(type_), domain_[0].size(), domain_[1].size(), channels,
      TIFFIsBigEndian(file_.handle()) != 0 ? "true" : "false", channels);
}

void PyramidWriter::write_rows(const HostBlock& rows) {
  for (std::int64_t y = rows.box[1].begin; y < rows.box[1].end; ++y) {
    put_points(rows, row_of(samples_.data(), type_, domain_, y));
    // The halver first: libtiff may exchange the bytes of the row.
    if (!levels_.empty()) levels_.front().halver->add(samples_.data());
    errno = 0;
    check(TIFFWriteScanline(file_.handle(), samples_.data(), static_cast<std::uint32_t>(y - domain_[1].begin),
                            0) == 1);
  }
}

/// Keeps a row of a level, and passes it on to the level above.
void PyramidWriter::keep_row(std::size_t level, const std::byte* row) {
  Level& here = levels_[level];
  errno = 0;
  check(::fseeko(kept_.get(), static_cast<off_t>(here.next), SEEK_SET) == 0 &&
        std::fwrite(row, 1, static_cast<std::size_t>(here.row_bytes), kept_.get()) ==
            static_cast<std::size_t>(here.row_bytes));
  here.next += here.row_bytes;
  if (level + 1 < levels_.size()) levels_[level + 1].halver->add(row);
}

void PyramidWriter::write_level(const Level& level) {
  TIFF* const tiff = file_.handle();
  check(set_image_fields(tiff, level.domain, type_) &&
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE) == 1);
  check(::fseeko(kept_.get(), static_cast<off_t>(level.first), SEEK_SET) == 0);
  const auto bytes = static_cast<std::size_t>(level.row_bytes);
  for (std::int64_t y = 0; y < level.domain[1].size(); ++y) {
    errno = 0;
    check(std::fread(samples_.data(), 1, bytes, kept_.get()) == bytes);
    check(TIFFWriteScanline(tiff, samples_.data(), static_cast<std::uint32_t>(y), 0) == 1);
  }
  check(TIFFWriteDirectory(tiff) == 1);
}

void PyramidWriter::finish() {
  for (Level& level : levels_) level.halver->finish();  // each before the one above it
  errno = 0;
  check(TIFFWriteDirectory(file_.handle()) == 1);
  for (const Level& level : levels_) write_level(level);
  if (!file_.close()) fail_to_write(path_, error_text(errno));
}

/// Throws InputError if something could not be written.
void PyramidWriter::check(bool is_done) const {
  // The message of the system names the cause, such as a full disk. The message of libtiff does not.
  if (!is_done) fail_to_write(path_, errno != 0 ? error_text(errno) : file_.error());
}

}  // namespace tessera::io::detail
