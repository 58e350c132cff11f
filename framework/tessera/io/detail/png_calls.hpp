// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstdint>

namespace tessera::io::detail {

/// The shape of a PNG image as Tessera sees it: 1 or 3 channels of 8 or 16 bits.
struct PngLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  int bits = 8;

  bool operator==(const PngLayout&) const = default;
};

/// Where libpng's errors land: its handlers may neither return nor throw through C code.
struct PngErrors {
  std::jmp_buf jump;
  char message[200] = {};
};

/// libpng's error handler, for an error pointer to PngErrors.
[[noreturn]] void on_png_error(png_structp png, png_const_charp message);
/// libpng's warning handler: says nothing.
void on_png_warning(png_structp png, png_const_charp message);

/// Calls `call`, which calls libpng; false when libpng reported an error, whose text is then in
/// errors.message. Neither `call` nor callbacks of libpng may hold objects with destructors, which the jump
/// would skip.
template <class Call>
[[nodiscard]] bool png_succeeds(PngErrors& errors, const Call& call) {
  if (setjmp(errors.jump) != 0) return false;
  call();
  return true;
}

}  // namespace tessera::io::detail
