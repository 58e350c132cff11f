// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_calls.hpp"

#include <cstdio>

namespace tessera::io::detail {

void on_png_error(png_structp png, png_const_charp message) {
  auto* errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::snprintf(errors->message, sizeof(errors->message), "%s", message);
  std::longjmp(errors->jump, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

}  // namespace tessera::io::detail
