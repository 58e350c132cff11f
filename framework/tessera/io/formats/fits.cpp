// SPDX-License-Identifier: BSD-3-Clause
#include <fitsio.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <system_error>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

/// Returns the message of CFITSIO for `status`, and the first one on its error stack, which may quote
/// headers: bytes that are not printable become question marks.
std::string reason_of(int status) {
  std::array<char, FLEN_STATUS> summary{};
  std::array<char, FLEN_ERRMSG> first{};
  fits_get_errstatus(status, summary.data());
  fits_read_errmsg(first.data());
  fits_clear_errmsg();
  std::string reason = summary.data();
  if (first[0] != '\0') reason.append(": ").append(first.data());
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return reason;
}

/// Returns the element type of an image whose points are scale * stored + zero, where `bits` is the FITS type
/// of the stored values. FITS stores only unsigned bytes and signed integers of more bits. Signed bytes and
/// unsigned integers are stored shifted by half of their range, and `zero` undoes the shift. Integers become
/// floats if `has_blank`, as only floats have NaN for points without a value.
ElementType type_of(int bits, double scale, double zero, bool has_blank) {
  struct Kind {
    int bits;
    ElementType stored, shifted;
    double shift;
  };
  constexpr std::array<Kind, 4> kinds = {{{BYTE_IMG, ElementType::uint8, ElementType::int8, -128},
                                          {SHORT_IMG, ElementType::int16, ElementType::uint16, 0x1p15},
                                          {LONG_IMG, ElementType::int32, ElementType::uint32, 0x1p31},
                                          {LONGLONG_IMG, ElementType::int64, ElementType::uint64, 0x1p63}}};
  for (const Kind& kind : kinds)
    if (kind.bits == bits && scale == 1 && !has_blank) {
      if (zero == 0) return kind.stored;
      if (zero == kind.shift) return kind.shifted;
    }
  const bool is_narrow = bits == BYTE_IMG || bits == SHORT_IMG || bits == FLOAT_IMG;
  return is_narrow ? ElementType::float32 : ElementType::float64;
}

int fits_type(ElementType type) {
  constexpr std::array<int, 10> types = {TSBYTE, TBYTE,     TSHORT,     TUSHORT, TINT,
                                         TUINT,  TLONGLONG, TULONGLONG, TFLOAT,  TDOUBLE};
  return types[static_cast<std::size_t>(type)];
}

/// An image of a FITS file. The constructor and `read` throw InputError when the file is damaged.
class FitsReader {
 public:
  /// Opens the file at the extension with the name or the number `choice.dataset`. If this is empty, the file
  /// is opened at the first image with 2 or 3 axes. Throws InputError when the extension does not exist, or
  /// is not such an image.
  FitsReader(const std::string& path, const ImageChoice& choice) : path_(path) {
    open_for_reading(path_);  // has better error messages than CFITSIO
    // At the beginning of a name, CFITSIO removes blanks, and replaces '~' by a home directory.
    const std::string name = path_.front() == '/' ? path_ : "./" + path_;
    int status = 0;
    fitsfile* file = nullptr;
    fits_open_diskfile(&file, name.c_str(), READONLY, &status);
    check(status);
    file_.reset(file);
    move_to(choice.dataset);
    find_layout();
  }

  ElementType type() const { return type_; }
  const Box& domain() const { return domain_; }
  /// Returns the number of the extension at which the file is open. The primary header has the number 0.
  int extension() const {
    int position = 0;
    return fits_get_hdu_num(file_.get(), &position) - 1;
  }

  /// Fills a block, which has the type of the image and lies in its domain. The block may be empty.
  void read(const HostBlock& block) {
    float narrow = std::numeric_limits<float>::quiet_NaN();
    double wide = std::numeric_limits<double>::quiet_NaN();
    void* blank = nullptr;
    if (has_blanks_ && type_ == ElementType::float32) blank = &narrow;
    if (has_blanks_ && type_ == ElementType::float64) blank = &wide;
    for_each_run(block, domain_, [&](std::int64_t first, std::int64_t points, std::byte* memory) {
      int some_blank = 0;  // which CFITSIO requires
      call(fits_read_img, fits_type(type_), first + 1, points, blank, memory, &some_blank);
    });
  }

 private:
  struct Close {
    void operator()(fitsfile* file) const {
      int status = 0;
      fits_close_file(file, &status);
      fits_clear_errmsg();
    }
  };

  void check(int status) const {
    if (status > 0) fail(path_, fmt::format("damaged or truncated FITS file ({})", reason_of(status)));
  }

  /// Calls a function of CFITSIO about the open file.
  template <class Function, class... Arguments>
  void call(Function function, Arguments... arguments) const {
    int status = 0;
    function(file_.get(), arguments..., &status);
    check(status);
  }

  bool move_on() {
    int status = 0;
    fits_movrel_hdu(file_.get(), 1, nullptr, &status);
    if (status == END_OF_FILE) return false;
    check(status);
    return true;
  }

  /// Returns the extents of the axes, without those of one point after the third, such as the frequency and
  /// the polarisation of radio images.
  std::vector<LONGLONG> axes() const {
    constexpr int most = 6;  // CFITSIO keeps this number
    int count = 0;
    call(fits_get_img_dim, &count);
    std::vector<LONGLONG> extents(static_cast<std::size_t>(count));
    call(fits_get_img_sizell, std::min(count, most), extents.data());
    while (extents.size() > 3 && extents.back() == 1) extents.pop_back();
    return extents;
  }

  bool is_image() const {
    int kind = 0;
    call(fits_get_hdu_type, &kind);
    return kind == IMAGE_HDU && (axes().size() == 2 || axes().size() == 3);
  }

  std::string name() const {
    std::array<char, FLEN_VALUE> name{};
    int status = 0;
    fits_read_key(file_.get(), TSTRING, "EXTNAME", name.data(), nullptr, &status);
    return status == 0 ? name.data() : "";
  }

  void move_to(const std::string& extension) {
    if (extension.empty()) {
      while (!is_image())
        if (!move_on()) fail(path_, "holds no image with 2 or 3 axes", "give a file with an image");
      return;
    }
    int number = 0;
    const char* end = extension.data() + extension.size();
    const auto [rest, error] = std::from_chars(extension.data(), end, number);
    if (rest != end || number < 0) return move_to_name(extension);
    int last = 0;
    while (error == std::errc() && last < number && move_on()) ++last;
    if (error != std::errc() || last < number)
      fail(path_, fmt::format("has no extension {}", extension), "count from 0, or give its name");
  }

  void move_to_name(const std::string& wanted) {
    std::vector<std::string> names;
    do {
      names.push_back(name());
      if (::strcasecmp(names.back().c_str(), wanted.c_str()) == 0) return;
    } while (move_on());
    std::erase(names, "");
    fail(path_, fmt::format("has no extension '{}'", wanted),
         names.empty() ? "give its number, from 0" : fmt::format("the file has: {}", listed(names)));
  }

  double number_of(const char* key, double otherwise) const {
    double number = otherwise;
    int status = 0;
    fits_read_key(file_.get(), TDOUBLE, key, &number, nullptr, &status);
    if (status == KEY_NO_EXIST || status == VALUE_UNDEFINED) return otherwise;
    check(status);
    return number;
  }

  void find_layout() {
    int kind = 0, bits = 0, status = 0;
    call(fits_get_hdu_type, &kind);
    const std::string what = fmt::format("extension {}", extension());
    if (kind != IMAGE_HDU) fail(path_, what + " is a table", "choose another extension");
    const std::vector<LONGLONG> extents = axes();
    if (extents.size() != 2 && extents.size() != 3)
      fail(path_,
           fmt::format("{} has {} axes, an image has 2, (x, y), or 3, (x, y, channel)", what, extents.size()),
           "choose another extension");
    call(fits_get_img_type, &bits);
    domain_ = Box::of_extents(extents);
    double points = 1;
    for (const LONGLONG extent : extents) points *= static_cast<double>(extent);
    if (domain_.empty()) fail(path_, what + " is empty", "choose another extension");
    if (8 * points > 0x1p62) fail(path_, fmt::format("damaged FITS file ({} has impossible extents)", what));
    constexpr double none = 0.5;  // BLANK is an integer
    const bool has_blank = bits > 0 && number_of("BLANK", none) != none;
    type_ = type_of(bits, number_of("BSCALE", 1), number_of("BZERO", 0), has_blank);
    const bool is_compressed = fits_is_compressed_image(file_.get(), &status) != 0;
    has_blanks_ = bits > 0 || (is_compressed && is_quantised());
    // A compressed image is a table of tiles, which are lists behind the rows of the table.
    check_size(is_compressed ? number_of("NAXIS1", 0) * number_of("NAXIS2", 0) + number_of("PCOUNT", 0)
                             : points * std::abs(bits) / 8);
  }

  /// Returns whether the floats of a compressed image were rounded to integers, each tile with a scale of its
  /// own.
  bool is_quantised() const {
    char column[] = "ZSCALE";
    int number = 0, status = 0;
    fits_get_colnum(file_.get(), CASEINSEN, column, &number, &status);
    fits_clear_errmsg();
    return status == 0 || number_of("ZSCALE", 0) != 0;
  }

  /// Throws InputError if the file ends before the data of the extension, which have `bytes` bytes.
  void check_size(double bytes) const {
    LONGLONG begin = 0;
    call(fits_get_hduaddrll, nullptr, &begin, nullptr);
    const double end = static_cast<double>(begin) + bytes;
    const std::int64_t size = file_bytes(path_);
    if (static_cast<double>(size) < end)
      fail(path_, fmt::format("damaged or truncated FITS file (it has {} bytes, its header says {:.0f})",
                              size, end));
  }

  std::string path_;
  std::unique_ptr<fitsfile, Close> file_;
  ElementType type_ = ElementType::uint8;
  Box domain_;
  /// True if there may be points without a value, which CFITSIO turns into NaN in floating blocks. It
  /// leaves floats unchanged if it is not to look for such points.
  bool has_blanks_ = false;
};

ImageInfo inspect_fits(const std::string& path, const ImageChoice& choice) {
  const FitsReader reader(path, choice);
  return {.type = reader.type(), .domain = reader.domain(), .dataset = std::to_string(reader.extension())};
}

}  // namespace

/// Reads images with 2 axes (x, y) or 3 axes (x, y, channel), and more if these have one point, with any
/// compression in tiles that CFITSIO supports, also of quantised floats. Row 0 is the first row of the file,
/// which astronomical programs show at the bottom. If the header only shifts integers by half their range
/// (BZERO), signed integers become unsigned, and uint8 becomes int8. With any other scaling, and with a
/// number for points without a value (BLANK), integers of 8 or 16 bits become float32, and larger ones
/// float64, which rounds those of 64 bits. Points without a value become NaN.
extern const FormatFunctions fits_format = {inspect_fits, open_by_rank<read_by<FitsReader>>};

}  // namespace tessera::io::detail
