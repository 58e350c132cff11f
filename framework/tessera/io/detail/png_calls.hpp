// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstdint>

namespace tessera::io::detail {

/// The shape of a PNG image with 1 (grey), 3 (RGB) or 4 channels (RGB and transparency) of 8 or 16 bits.
struct PngLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  int bits = 8;

  bool operator==(const PngLayout&) const = default;
};

/// The last error of libpng. An error handler of libpng must not return, and must not throw exceptions
/// through C code. The handler therefore stores the message here, and leaves libpng by a jump to `jump`.
struct PngErrors {
  std::jmp_buf jump;
  char message[200] = {};
};

/// Handles an error of libpng: stores `message` and leaves libpng by a jump. The error pointer of `png` must
/// point to a PngErrors.
[[noreturn]] void on_png_error(png_structp png, png_const_charp message);
/// Ignores a warning of libpng.
void on_png_warning(png_structp png, png_const_charp message);

/// Calls `call`, which calls libpng. Returns false when libpng reports an error; the message of the error is
/// then in `errors.message`. `call` and the callbacks of libpng must not hold objects with destructors,
/// because the jump after an error skips these destructors.
template <class Call>
[[nodiscard]] bool png_succeeds(PngErrors& errors, const Call& call) {
  if (setjmp(errors.jump) != 0) return false;
  call();
  return true;
}

}  // namespace tessera::io::detail
