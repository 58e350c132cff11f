// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

/// The most bytes of memory for decoding a file. Only progressive files need much memory, because all of
/// their coefficients are kept until the end.
constexpr std::int64_t most_memory = std::int64_t{2} << 30;
/// The most scans of a file, which are passes over the image. Progressive files have about ten. A damaged
/// file could have many short ones, and each costs time for all points.
constexpr int most_scans = 1000;

/// Decodes one JPEG file.
class JpegReader final : public RowReader {
 public:
  /// Opens the file and reads its header.
  explicit JpegReader(const std::string& path) : JpegReader(path, open_for_reading(path)) {
    read_header();
    check_header();
  }
  ~JpegReader() override { jpeg_destroy_decompress(&jpeg_); }

  ElementType type() const override { return ElementType::uint8; }
  Box domain() const override {
    return image_domain(jpeg_.image_width, jpeg_.image_height,
                        jpeg_.out_color_space == JCS_GRAYSCALE ? 1 : 3);
  }

  void read_row(std::byte* samples) override {
    if (!has_started_) checked([&] { jpeg_start_decompress(&jpeg_); });
    has_started_ = true;
    auto* row = reinterpret_cast<JSAMPROW>(samples);
    checked([&] { jpeg_read_scanlines(&jpeg_, &row, 1); });
  }

  void finish() override {
    checked([&] { jpeg_finish_decompress(&jpeg_); });
  }

 private:
  /// If the other constructor fails after this one, the destructor is called.
  JpegReader(const std::string& path, File file) : path_(path), file_(std::move(file)) {}

  [[noreturn]] static void on_error(j_common_ptr jpeg) {
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    static_cast<CodecErrors*>(jpeg->client_data)->leave(message);
  }

  /// Treats warnings of libjpeg, which have a negative level, as errors: about damage, it only warns.
  static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0) on_error(jpeg);
  }

  static void on_progress(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans) return;
    char message[JMSG_LENGTH_MAX];
    std::snprintf(message, sizeof(message), "it has more than %d scans", most_scans);
    static_cast<CodecErrors*>(jpeg->client_data)->leave(message);
  }

  template <class Call>
  void checked(const Call& call) {
    errors_.check(path_, "JPEG", call);
  }

  void read_header() {
    jpeg_.err = jpeg_std_error(&manager_);
    jpeg_.client_data = &errors_;
    manager_.error_exit = on_error;
    manager_.emit_message = on_message;
    progress_.progress_monitor = on_progress;
    checked([&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_.mem->max_memory_to_use = most_memory;
      jpeg_stdio_src(&jpeg_, file_.get());
      jpeg_read_header(&jpeg_, TRUE);
    });
    if (jpeg_.jpeg_color_space == JCS_YCbCr) jpeg_.out_color_space = JCS_RGB;
  }

  void check_header() const {
    if (jpeg_.out_color_space != JCS_GRAYSCALE && jpeg_.out_color_space != JCS_RGB)
      fail(path_,
           fmt::format("is a JPEG image of {} channels that are neither grey nor RGB, such as CMYK",
                       jpeg_.num_components),
           "convert it to RGB");
    if (jpeg_.data_precision != 8)
      fail(path_, fmt::format("is a JPEG image of {} bits a sample", jpeg_.data_precision),
           "convert it to 8 bits");
    const std::int64_t samples = std::int64_t{jpeg_.image_width} * jpeg_.image_height * jpeg_.num_components;
    if (jpeg_has_multiple_scans(const_cast<j_decompress_ptr>(&jpeg_)) != FALSE &&
        samples * static_cast<std::int64_t>(sizeof(JCOEF)) > most_memory)
      fail(path_, "is a progressive JPEG image that takes over 2 GiB to decode", "save it as baseline JPEG");
  }

  std::string path_;
  File file_;
  CodecErrors errors_;
  jpeg_error_mgr manager_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
  bool has_started_ = false;
};

}  // namespace

/// Reads grey, RGB and YCbCr images of 8 bits. YCbCr becomes RGB. Rank 0 decodes the rows of the file from
/// the first row to the last row of all blocks, or to the end of the file if that is the last row of the
/// image, and sends the other ranks theirs. If the next call of `read` asks for rows further down, decoding
/// continues at the row where it has stopped. A progressive file is held in memory as a whole meanwhile.
extern const FormatFunctions jpeg_format = {inspect_by<JpegReader>, open_by_rows<JpegReader>};

}  // namespace tessera::io::detail
