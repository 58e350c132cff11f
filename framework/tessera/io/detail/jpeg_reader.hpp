// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <jpeglib.h>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/row_source.hpp"

namespace tessera::io::detail {

/// Decodes one JPEG file.
class JpegReader final : public RowReader {
 public:
  /// Opens the file and reads its header. Throws InputError when the file cannot be opened, is damaged, or
  /// has colours other than grey, RGB or YCbCr. Throws InputError also when a sample does not have 8 bits, or
  /// when decoding would need too much memory.
  explicit JpegReader(const std::string& path);
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() override;

  ElementType type() const override { return ElementType::uint8; }
  Box domain() const override;
  void read_row(std::byte* samples) override;
  void finish() override;

 private:
  /// The last error of libjpeg, and the target of the jump after the error. The error handler jumps, because
  /// it must not return to libjpeg, and must not throw an exception through C code.
  struct Errors {
    jpeg_error_mgr manager;  ///< the first member, so that libjpeg's pointer to it also points to Errors
    std::jmp_buf jump;
    char message[JMSG_LENGTH_MAX] = {};
  };

  [[noreturn]] static void on_error(j_common_ptr jpeg);
  static void on_message(j_common_ptr jpeg, int level);
  static void on_progress(j_common_ptr jpeg);

  /// Runs `call`, which calls libjpeg. Throws InputError when libjpeg reports an error. `call` must not have
  /// local objects with destructors, because the jump after an error would skip the destructors.
  template <class Call>
  void checked(const Call& call);
  void read_header();
  void check_header() const;

  std::string path_;
  File file_;
  Errors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
  bool has_started_ = false;
};

}  // namespace tessera::io::detail
