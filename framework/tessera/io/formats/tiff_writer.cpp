// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/tiff.hpp"
#include "tessera/io/formats.hpp"

namespace tessera::io::detail {
namespace {

/// Returns the mean of `count` values, which is 1, 2 or 4, from their sum.
template <class T, class Sum>
T mean(Sum sum, int count) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(sum / count);
  else
    return static_cast<T>((sum + count / 2) >> (count / 2));  // shifts of 0, 1 and 2 round down below 0, too
}

/// Halves two rows, or one if `second` is null.
template <class T>
void halve(const T* first, const T* second, std::int64_t columns, std::int64_t channels, T* result) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const int rows = second == nullptr ? 1 : 2;
  for (std::int64_t x = 0; x < columns; x += 2) {
    const bool has_right = x + 1 < columns;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t at = x * channels + c;
      Sum sum = static_cast<Sum>(first[at]);
      if (has_right) sum += static_cast<Sum>(first[at + channels]);
      if (second != nullptr) sum += static_cast<Sum>(second[at]);
      if (second != nullptr && has_right) sum += static_cast<Sum>(second[at + channels]);
      result[x / 2 * channels + c] = mean<T>(sum, has_right ? 2 * rows : rows);
    }
  }
}

/// Returns the points of an image at half its size: half the columns and rows, rounded up, and all channels.
Box halved(const Box& domain) {
  Box half = domain;
  for (const int d : {0, 1}) half[d] = {0, (domain[d].size() + 1) / 2};
  return half;
}

/// Halves an image, row by row. A row has all columns, and the channels of a pixel together. A point of the
/// result is the mean of those points of 2 x 2 that exist, of integers rounded to nearest, halves up.
class RowHalver {
 public:
  /// `domain` holds all points of the image that is halved. `next` gets each row of the result.
  RowHalver(const Box& domain, ElementType type, std::function<void(const std::byte*)> next)
      : columns_(domain[0].size()),
        channels_(channels_of(domain).size()),
        type_(type),
        next_(std::move(next)),
        row_(static_cast<std::size_t>(columns_ * channels_) * size_of(type)),
        result_(static_cast<std::size_t>((columns_ + 1) / 2 * channels_) * size_of(type)) {}

  /// Takes the next row of the image.
  void add(const std::byte* row) {
    if (std::exchange(has_row_, !has_row_))
      emit(row_.data(), row);
    else
      std::memcpy(row_.data(), row, row_.size());
  }

  /// Says that there are no more rows.
  void finish() {
    if (std::exchange(has_row_, false)) emit(row_.data(), nullptr);
  }

 private:
  void emit(const std::byte* first, const std::byte* second) {
    with_element_type(type_, [&]<class T>(std::type_identity<T>) {
      halve(reinterpret_cast<const T*>(first), reinterpret_cast<const T*>(second), columns_, channels_,
            reinterpret_cast<T*>(result_.data()));
    });
    next_(result_.data());
  }

  std::int64_t columns_;
  std::int64_t channels_;
  ElementType type_;
  std::function<void(const std::byte*)> next_;
  bool has_row_ = false;
  std::vector<std::byte> row_;
  std::vector<std::byte> result_;
};

constexpr std::int64_t strip_bytes = std::int64_t{256} << 10;
/// No side of the highest level of a pyramid is longer.
constexpr std::int64_t smallest_side = 256;

/// Opens the file `name` and removes its content. Messages call it `path`.
File open_for_writing(const std::string& name, const std::string& path) {
  File file(std::fopen(name.c_str(), "wb+"));
  if (!file) fail_to_write(path, error_text(errno));
  errno = 0;  // a later value of errno then comes from a write
  return file;
}

/// Sets the fields of a directory for an image in strips without compression. Returns whether libtiff takes
/// them.
bool set_image_fields(TIFF* tiff, const Box& domain, ElementType type) {
  const auto channels = static_cast<int>(channels_of(domain).size());
  const std::uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
  const std::int64_t rows =
      std::clamp<std::int64_t>(strip_bytes / bytes_of_row(domain, type), 1, domain[1].size());
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

/// Returns the name of a type in OME-XML.
std::string ome_type(ElementType type) {
  if (type == ElementType::float32) return "float";
  if (type == ElementType::float64) return "double";
  return std::string(name_of(type));
}

/// Returns the mode for libtiff to open the file. The levels of a pyramid together take a third of the bytes
/// of the image.
const char* mode_of(const Box& domain, ElementType type, bool has_pyramid) {
  const std::int64_t bytes = domain.size() * static_cast<std::int64_t>(size_of(type));
  return needs_big_tiff(has_pyramid ? bytes / 3 * 4 : bytes) ? "w8" : "w";
}

/// Writes a TIFF file row by row. If it gets a pyramid, it is an OME-TIFF file. Each level above the
/// image is made from the one below. Its rows go to a nameless file in the same folder, and are copied from
/// there when the image is complete. So memory holds a few rows.
class TiffWriter : public RowWriter {
 public:
  /// Opens the file at the temporary path of `output`, and replaces its content.
  TiffWriter(const UnfinishedFile& output, const Box& domain, ElementType type, int, bool has_pyramid = false)
      : path_(output.path()),
        domain_(domain),
        type_(type),
        samples_(static_cast<std::size_t>(bytes_of_row(domain, type))),
        file_(open_for_writing(output.temporary_path(), output.path()), mode_of(domain, type, has_pyramid)) {
    TIFF* const tiff = file_.handle();
    check(tiff != nullptr);
    check(set_image_fields(tiff, domain, type));
    if (!has_pyramid) return;
    const std::string levels = output.temporary_path() + ".levels";
    kept_ = open_for_writing(levels, path_);
    std::remove(levels.c_str());  // so that no file is left
    add_levels();
    check(TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description().c_str()) == 1);
    const std::vector<toff_t> offsets(levels_.size());  // which libtiff fills in
    if (!levels_.empty())
      check(TIFFSetField(tiff, TIFFTAG_SUBIFD, static_cast<int>(levels_.size()), offsets.data()) == 1);
  }

  void write_rows(const HostBlock& rows) override {
    for (std::int64_t y = rows.box[1].begin; y < rows.box[1].end; ++y) {
      put_points(rows, row_of(samples_.data(), type_, domain_, y));
      // The halver first: libtiff may exchange the bytes of the row.
      if (!levels_.empty()) levels_.front().halver->add(samples_.data());
      errno = 0;
      check(TIFFWriteScanline(file_.handle(), samples_.data(),
                              static_cast<std::uint32_t>(y - domain_[1].begin), 0) == 1);
    }
  }

  void finish() override {
    for (Level& level : levels_) level.halver->finish();  // each before the one above it
    errno = 0;
    check(TIFFWriteDirectory(file_.handle()) == 1);
    for (const Level& level : levels_) write_level(level);
    if (!file_.close()) fail_to_write(path_, error_text(errno));
  }

 private:
  /// A level above the image.
  struct Level {
    Box domain;
    /// The place of its next row in the nameless file, and of its first one.
    std::int64_t next = 0;
    std::int64_t first = 0;
    std::int64_t row_bytes = 0;
    /// Makes its rows from those of the level below.
    std::unique_ptr<RowHalver> halver;
  };

  void add_levels() {
    std::int64_t place = 0;
    for (Box below = domain_; std::max(below[0].size(), below[1].size()) > smallest_side;) {
      const Box domain = halved(below);
      const std::int64_t row_bytes = bytes_of_row(domain, type_);
      const std::size_t number = levels_.size();
      levels_.push_back({domain, place, place, row_bytes,
                         std::make_unique<RowHalver>(
                             below, type_, [this, number](const std::byte* row) { keep_row(number, row); })});
      place += row_bytes * domain[1].size();
      below = domain;
    }
  }

  std::string description() const {
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

  /// Keeps a row of a level, and passes it on to the level above.
  void keep_row(std::size_t level, const std::byte* row) {
    Level& here = levels_[level];
    errno = 0;
    check(::fseeko(kept_.get(), static_cast<off_t>(here.next), SEEK_SET) == 0 &&
          std::fwrite(row, 1, static_cast<std::size_t>(here.row_bytes), kept_.get()) ==
              static_cast<std::size_t>(here.row_bytes));
    here.next += here.row_bytes;
    if (level + 1 < levels_.size()) levels_[level + 1].halver->add(row);
  }

  void write_level(const Level& level) {
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

  /// Throws InputError if something could not be written.
  void check(bool is_done) const {
    // The message of the system names the cause, such as a full disk. The message of libtiff does not.
    if (!is_done) fail_to_write(path_, errno != 0 ? error_text(errno) : file_.error());
  }

  std::string path_;
  Box domain_;
  ElementType type_;
  std::vector<std::byte> samples_;
  TiffFile file_;
  File kept_;
  std::vector<Level> levels_;
};

struct OmeTiffWriter final : TiffWriter {
  OmeTiffWriter(const UnfinishedFile& output, const Box& domain, ElementType type, int threads)
      : TiffWriter(output, domain, type, threads, true) {}
};

}  // namespace

int sample_format(ElementType type) {
  return with_element_type(type, []<class T>(std::type_identity<T>) {
    if (std::is_floating_point_v<T>) return SAMPLEFORMAT_IEEEFP;
    return std::is_signed_v<T> ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
  });
}

std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type, int threads) {
  return create_by_rows<TiffWriter>(communicator, path, domain, type, threads);
}

/// Writes a TIFF file with a pyramid: the image in the first directory, with a description of its pixels for
/// Bio-Formats and others, and in directories below it the image at half, a quarter and so on of its size,
/// down to at most 256 points a side. A point of a level is the mean of up to 2 x 2 points of the level
/// before, rounded to nearest, halves up. Until the image is complete, the levels are in a nameless file in
/// the folder of `path`, of a third of the size of the image.
extern const FormatFunctions ome_tiff_format = {.create = create_by_rows<OmeTiffWriter>};

}  // namespace tessera::io::detail
