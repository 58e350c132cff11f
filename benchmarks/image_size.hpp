// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "tessera/domain/error.hpp"

namespace bench {

/// The extents of an image.
struct Size {
  int width;
  int height;

  std::string text() const { return fmt::format("{}x{}", width, height); }
};

/// Reads "WxH"; throws InputError when `text` is something else.
inline Size parse_size(const std::string& text) {
  Size size{};
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &rest) != 2 || size.width < 1 ||
      size.height < 1)
    throw tessera::InputError(fmt::format("--sizes: '{}' is not WxH", text));
  return size;
}

}  // namespace bench
