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
  /// Opens the file and reads its header; throws InputError, too, when its colours are neither grey nor RGB
  /// nor YCbCr.
  explicit JpegReader(const std::string& path);
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() override;

  ElementType type() const override { return ElementType::uint8; }
  Box domain() const override;
  void read_row(std::byte* samples) override;
  void finish() override;

 private:
  /// Where libjpeg's errors land: its handlers may neither return nor throw through C code.
  struct Errors {
    jpeg_error_mgr manager;  ///< the first member: libjpeg's pointer to it is one to all of it
    std::jmp_buf jump;
    char message[JMSG_LENGTH_MAX] = {};
  };

  [[noreturn]] static void on_error(j_common_ptr jpeg);
  static void on_message(j_common_ptr jpeg, int level);
  static void on_progress(j_common_ptr jpeg);

  /// Calls libjpeg; throws InputError when it reports an error. `call` may hold no objects with destructors,
  /// which the jump would skip.
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
