// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/detail/tiff.hpp"

namespace tessera::io::detail {
namespace {

std::FILE* stream(thandle_t file) { return static_cast<std::FILE*>(file); }

tmsize_t read_tiff_bytes(thandle_t file, void* bytes, tmsize_t count) {
  return static_cast<tmsize_t>(std::fread(bytes, 1, static_cast<std::size_t>(count), stream(file)));
}

tmsize_t write_tiff_bytes(thandle_t file, void* bytes, tmsize_t count) {
  return static_cast<tmsize_t>(std::fwrite(bytes, 1, static_cast<std::size_t>(count), stream(file)));
}

toff_t seek_in_tiff(thandle_t file, toff_t offset, int whence) {
  if (::fseeko(stream(file), static_cast<off_t>(offset), whence) != 0) return static_cast<toff_t>(-1);
  return static_cast<toff_t>(::ftello(stream(file)));
}

toff_t size_of_tiff(thandle_t file) {
  const off_t here = ::ftello(stream(file));
  const toff_t end = seek_in_tiff(file, 0, SEEK_END);
  seek_in_tiff(file, static_cast<toff_t>(here), SEEK_SET);
  return end;
}

int keep_open(thandle_t) { return 0; }

/// The layout of the points of a page in a TIFF file. The points lie in chunks, which are strips or tiles.
struct TiffLayout {
  ElementType type = ElementType::uint8;
  Box domain;
  bool tiled = false;
  bool planar = false;    ///< whether each channel has chunks of its own
  bool inverted = false;  ///< whether 0 is white
  int bits = 8;           ///< the bits of a sample; an element has more if samples are packed
  std::int64_t chunk_width = 0;
  std::int64_t chunk_height = 0;  ///< the last strip may have fewer rows; all tiles have the full size

  std::int64_t channels() const { return channels_of(domain).size(); }
  std::int64_t columns() const { return (domain[0].size() + chunk_width - 1) / chunk_width; }
  std::int64_t rows() const { return (domain[1].size() + chunk_height - 1) / chunk_height; }
  /// The samples and the bytes of a row of a chunk, which begins with a whole byte.
  std::int64_t row_samples() const { return chunk_width * (planar ? 1 : channels()); }
  std::int64_t row_bytes() const { return (row_samples() * bits + 7) / 8; }
};

/// Unpacks samples of fewer bits than an element has.
template <class T>
void unpack(const std::byte* packed, int bits, std::int64_t samples, T* elements) {
  std::uint32_t word = 0;
  int held = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    for (; held < bits; held += 8) word = word << 8 | std::to_integer<std::uint32_t>(*packed++);
    held -= bits;
    elements[i] = static_cast<T>(word >> held & ((1U << bits) - 1));
  }
}

/// Returns the number that a float of 16 bits stands for.
float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  float size =
      std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024), std::max(exponent, 1) - 25);
  if (exponent == 31)
    size = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return (half & 0x8000) != 0 ? -size : size;
}

/// Returns the value of a field of the page, else the default value of the TIFF standard, else `fallback`.
template <class T>
T field(TIFF* tiff, std::uint32_t tag, T fallback = 0) {
  T value{};
  return TIFFGetFieldDefaulted(tiff, tag, &value) == 1 ? value : fallback;
}

void check_colours(TIFF* tiff, const std::string& path, int photometric) {
  const auto refuse = [&](const char* problem, const char* advice = "convert it to RGB") {
    fail(path, problem, advice);
  };
  const int format = field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  if (photometric == PHOTOMETRIC_MINISWHITE && format != SAMPLEFORMAT_UINT)
    refuse("is a TIFF image in which 0 is white, of signed numbers", "convert it to one in which 0 is black");
  if (photometric == PHOTOMETRIC_PALETTE) refuse("is a TIFF image with a palette");
  if (photometric == PHOTOMETRIC_SEPARATED) refuse("is a TIFF image in the colours of printers (CMYK)");
  const int compression = field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION);
  if (photometric == PHOTOMETRIC_YCBCR && compression != COMPRESSION_JPEG)
    refuse("is a TIFF image of YCbCr samples that are not JPEG-compressed");
  if (photometric != PHOTOMETRIC_MINISWHITE && photometric != PHOTOMETRIC_MINISBLACK &&
      photometric != PHOTOMETRIC_RGB && photometric != PHOTOMETRIC_YCBCR)
    refuse(fmt::format("is a TIFF image of photometric interpretation {}", photometric).c_str(),
           "convert it to grey or RGB");
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0)
    refuse(fmt::format("is compressed in a way that this libtiff does not know ({})", compression).c_str(),
           "compress it by deflate or LZW, or not at all");
}

void check_channels(TIFF* tiff, const std::string& path, int photometric, int channels) {
  const int colours = photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR ? 3 : 1;
  if (channels == colours) return;
  if (photometric == PHOTOMETRIC_MINISWHITE)
    fail(path, "is a TIFF image in which 0 is white, with alpha", "convert it to one in which 0 is black");
  std::uint16_t extra = 0;
  const std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds);
  if (photometric != PHOTOMETRIC_YCBCR && channels == colours + 1 && extra == 1) {
    if (kinds[0] != EXTRASAMPLE_ASSOCALPHA) return;
    fail(path, "has colours that are multiplied by their transparency",
         "write it with unassociated alpha, which keeps the colours");
  }

  fail(path,
       fmt::format("has {} channels ({} of them extra, such as transparency), but images of 1 channel "
                   "(grey) or 3 (RGB), and one for transparency, are supported",
                   channels, extra),
       "remove the extra channels");
}

ElementType type_of(TIFF* tiff, const std::string& path) {
  const int bits = field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  const int format = field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  using enum ElementType;
  if (format == SAMPLEFORMAT_UINT && bits < 16) return bits <= 8 ? uint8 : uint16;
  for (const ElementType type : {int8, uint16, int16, uint32, int32, uint64, int64, float32, float64})
    if (format == sample_format(type) && bits == 8 * static_cast<int>(size_of(type))) return type;
  if (format == SAMPLEFORMAT_IEEEFP && bits == 16) return float32;
  if (format == SAMPLEFORMAT_COMPLEXIEEEFP || format == SAMPLEFORMAT_COMPLEXINT)
    fail(path, "has complex samples", "write its real and imaginary parts as images of their own");
  if (format == SAMPLEFORMAT_IEEEFP)
    fail(path, fmt::format("has floats of {} bits", bits), "convert them to 16, 32 or 64 bits");
  fail(path,
       fmt::format("has samples of {} bits{}", bits, format == SAMPLEFORMAT_VOID ? " without a type" : ""),
       "convert it to integers of up to 16, 32 or 64 bits");
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
/// bytes, or when chunks are too large. They could otherwise overflow, or take too much memory.
void check_sizes(TIFF* tiff, const std::string& path, const TiffLayout& layout, std::int64_t file_bytes) {
  const auto element = static_cast<std::int64_t>(size_of(layout.type));
  const auto damaged = [&] {
    fail(path, fmt::format("claims to be {}, which does not fit into a file of {} bytes",
                           to_string(layout.domain), file_bytes));
  };
  const Box& domain = layout.domain;
  if (domain.empty() || layout.chunk_width < 1 || layout.chunk_height < 1) damaged();
  const auto bytes = product({domain[0].size(), domain[1].size(), layout.channels(), element});
  const std::int64_t samples = layout.planar ? 1 : layout.channels();
  auto chunk = product({layout.chunk_width, layout.chunk_height, samples, element});
  const auto chunks = product({layout.columns(), layout.rows(), layout.planar ? layout.channels() : 1});
  // The file has a table with an entry for each chunk, so that it has more bytes than chunks. The number of
  // a chunk has 32 bits.
  if (!bytes || !chunks || *chunks > file_bytes || *chunks > std::numeric_limits<std::uint32_t>::max())
    damaged();
  const std::string kind = layout.tiled ? "tile" : "strip";
  if (!chunk || *chunk > most_chunk_bytes)
    fail(path, fmt::format("has {}s of over 2 GiB", kind), fmt::format("write it with smaller {}s", kind));
  chunk = layout.chunk_height * layout.row_bytes();
  // Not all of the chunks need to be in the file.
  const bool plain = field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE;
  if (plain && *chunk > file_bytes) damaged();
  // No compression makes an image smaller by a factor of 100,000.
  if (*chunk > std::int64_t{256} << 20 && *chunk / 100'000 > file_bytes) damaged();
  const std::uint64_t needed = layout.tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  if (static_cast<std::uint64_t>(*chunk) != needed) damaged();
}

/// Returns the layout of the page whose header libtiff has read, and lets it decode YCbCr samples with JPEG
/// compression to RGB. Throws InputError about `path` when the page is not supported, or damaged.
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
  layout.bits = field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  layout.inverted = photometric == PHOTOMETRIC_MINISWHITE;
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

/// Returns the range of the chunks that hold points of `points`. Each chunk has `size` points.
Range chunks_of(Range points, std::int64_t size) {
  return {points.begin / size, (points.end + size - 1) / size};
}

/// Decodes one page of a TIFF file. Every function throws InputError when the file is damaged.
class TiffReader {
 public:
  /// Opens the file, and reads the header of the page.
  TiffReader(const std::string& path, const ImageChoice& choice)
      // The letter `m` disables memory maps, with which a file that becomes shorter would end the program.
      : path_(path), file_(open_for_reading(path), "rm") {
    if (file_.handle() == nullptr) fail_damaged();
    if (choice.page.value_or(0) > 0) go_to_page(*choice.page);
    layout_ = read_layout(file_.handle(), path, file_bytes(path));
    if (stack_page_ > 0) check_stack();
  }

  const TiffLayout& layout() const { return layout_; }
  ElementType type() const { return layout_.type; }
  const Box& domain() const { return layout_.domain; }

  /// Fills `block`. Decodes the strips or tiles that hold its points, one at a time.
  void read(const HostBlock& block) {
    if (block.box.empty()) return;
    if (stack_page_ > 0) return read_array(path_, stack_layout(), layout_.domain, block);
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(layout_.chunk_height * layout_.row_bytes()));
    const Range columns = chunks_of(block.box[0], layout_.chunk_width);
    const Range rows = chunks_of(block.box[1], layout_.chunk_height);
    const Range planes = layout_.planar ? block.box[2] : Range{0, 1};
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane)
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        for (std::int64_t column = columns.begin; column < columns.end; ++column) {
          const std::int64_t number = (plane * layout_.rows() + row) * layout_.columns() + column;
          Interleaved chunk{bytes.get(), layout_.type, layout_.domain};
          chunk.box[0] = {column * layout_.chunk_width, (column + 1) * layout_.chunk_width};
          chunk.box[1] = {row * layout_.chunk_height, (row + 1) * layout_.chunk_height};
          if (!layout_.tiled) chunk.box[1].end = std::min(chunk.box[1].end, layout_.domain[1].end);
          if (layout_.planar) chunk.box[2] = {plane, plane + 1};
          decode(static_cast<std::uint32_t>(number), bytes.get(), chunk.box[1].size() * layout_.row_bytes());
          take_points(unpacked(chunk), block);
        }
  }

 private:
  void go_to_page(int page) {
    if (TIFFSetDirectory(file_.handle(), static_cast<tdir_t>(page)) == 1) return;
    const int directories = static_cast<int>(TIFFNumberOfDirectories(file_.handle()));
    const int pages = std::max(directories, stack_pages());
    if (directories == 1 && page < pages && TIFFSetDirectory(file_.handle(), 0) == 1) {
      stack_page_ = page;
      return;
    }
    if (page >= pages)
      fail(path_, fmt::format("has no page {}", page),
           pages == 1 ? "it has only page 0" : fmt::format("give one from 0 to {}", pages - 1));
    fail_damaged();
  }

  /// Returns the number of pages of a stack of ImageJ, which may have one directory for all of them: those
  /// after the first one then lie behind it without gaps. Its description says `images=5`.
  int stack_pages() const {
    const char* text = nullptr;
    if (TIFFGetField(file_.handle(), TIFFTAG_IMAGEDESCRIPTION, &text) != 1) return 1;
    const std::string_view description = text;
    const std::size_t images = description.find("\nimages=");
    if (!description.starts_with("ImageJ=") || images == std::string_view::npos) return 1;
    return std::atoi(text + images + std::string_view("\nimages=").size());
  }

  std::int64_t page_bytes() const {
    return bytes_of_row(layout_.domain, layout_.type) * layout_.domain[1].size();
  }

  /// Returns where the page of a stack lies.
  RawLayout stack_layout() const {
    const auto first = static_cast<std::int64_t>(TIFFGetStrileOffset(file_.handle(), 0));
    return {first + stack_page_ * page_bytes(), TIFFIsBigEndian(file_.handle()) != 0};
  }

  void check_stack() const {
    const bool is_plain = field<std::uint16_t>(file_.handle(), TIFFTAG_COMPRESSION) == COMPRESSION_NONE;
    if (!is_plain || layout_.channels() > 1 || layout_.inverted || layout_.tiled ||
        layout_.bits != 8 * static_cast<int>(size_of(layout_.type)))
      fail(path_, "is a stack of ImageJ with one directory, of pages that are not plain grey",
           "save it with a directory for each page");
    if (stack_layout().offset > file_bytes(path_) - page_bytes()) fail_damaged();
  }

  void decode(std::uint32_t number, std::byte* bytes, std::int64_t count) {
    TIFF* const tiff = file_.handle();
    // Slide scanners and others leave chunks of zeros out.
    if (TIFFGetStrileByteCount(tiff, number) == 0 && TIFFGetStrileOffset(tiff, number) == 0) {
      std::fill_n(bytes, count, std::byte{0});
      return;
    }
    const tmsize_t decoded = layout_.tiled ? TIFFReadEncodedTile(tiff, number, bytes, count)
                                           : TIFFReadEncodedStrip(tiff, number, bytes, count);
    if (decoded != count || file_.has_damaged_jpeg()) fail_damaged();
    if (layout_.inverted) std::transform(bytes, bytes + count, bytes, std::bit_not<std::byte>());
  }

  /// Returns the points of a chunk as whole elements.
  Interleaved unpacked(const Interleaved& chunk) {
    if (layout_.bits == 8 * static_cast<int>(size_of(layout_.type))) return chunk;
    const std::int64_t rows = chunk.box[1].size(), samples = layout_.row_samples();
    elements_.resize(static_cast<std::size_t>(rows * samples) * size_of(layout_.type));
    with_element_type(layout_.type, [&]<class T>(std::type_identity<T>) {
      auto* const elements = reinterpret_cast<T*>(elements_.data());
      if constexpr (std::is_same_v<T, float>)
        std::transform(reinterpret_cast<const std::uint16_t*>(chunk.data),
                       reinterpret_cast<const std::uint16_t*>(chunk.data) + rows * samples, elements,
                       from_half);
      else
        for (std::int64_t row = 0; row < rows; ++row)
          unpack(chunk.data + row * layout_.row_bytes(), layout_.bits, samples, elements + row * samples);
    });
    return {elements_.data(), layout_.type, chunk.box};
  }

  [[noreturn]] void fail_damaged() const {
    const std::string reason = *file_.error() == '\0' ? "a strip or tile is not whole" : file_.error();
    fail(path_, fmt::format("damaged or truncated TIFF ({})", reason));
  }

  std::string path_;
  TiffFile file_;
  TiffLayout layout_;
  /// The number of the page in a stack of ImageJ with one directory; 0 for other files, and the first page.
  int stack_page_ = 0;
  /// The points of a chunk, if they are packed in the file.
  std::vector<std::byte> elements_;
};

ImageInfo inspect_tiff(const std::string& path, const ImageChoice& choice) {
  const TiffLayout layout = TiffReader(path, choice).layout();
  return {.type = layout.type,
          .domain = layout.domain,
          .page = choice.page.value_or(0),
          .chunk_rows = std::min(layout.chunk_height, layout.domain[1].size())};
}

}  // namespace

/// Reads grey or RGB images, with or without transparency, of TIFF and BigTIFF in strips or tiles, with any
/// compression that libtiff supports. The samples are integers of 8, 16, 32 or 64 bits, floats of 16, 32 or
/// 64 bits, or unsigned integers of fewer than 16 bits, which are not scaled. Where 0 is white, samples are
/// inverted. Strips and tiles that the file leaves out are 0. Stacks of ImageJ have pages. The orientation
/// that the file asks for is ignored. Each rank decodes the strips or tiles that contain points of its block,
/// one after the other.
///
/// Writes strips without compression, in a BigTIFF file if the data has more than about 3.8 GiB.
extern const FormatFunctions tiff_format = {inspect_tiff, open_by_rank<read_by<TiffReader>>, create_tiff};

int TiffFile::on_error(TIFF*, void* messages, const char*, const char* format, va_list values) {
  auto& error = static_cast<Messages*>(messages)->error;
  std::vsnprintf(error, sizeof(error), format, values);
  return 1;
}

int TiffFile::on_warning(TIFF*, void* messages, const char* module, const char*, va_list) {
  if (module != nullptr && std::string_view(module) == "JPEGLib")
    static_cast<Messages*>(messages)->damaged_jpeg = true;
  return 1;
}

TiffFile::TiffFile(File file, const char* mode) : file_(std::move(file)) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &messages_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &messages_);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_chunk_bytes);
  tiff_.reset(TIFFClientOpenExt("", mode, file_.get(), read_tiff_bytes, write_tiff_bytes, seek_in_tiff,
                                keep_open, size_of_tiff, nullptr, nullptr, options.get()));
}

bool TiffFile::close() {
  tiff_.reset();
  return std::fclose(file_.release()) == 0;
}

}  // namespace tessera::io::detail
