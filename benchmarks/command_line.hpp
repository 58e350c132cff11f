// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

/// Parses the options that `command_line` declares and returns the text of --help when it is asked for, else
/// nothing. Throws InputError.
inline std::string parse_arguments(CLI::App& command_line, int argc, char** argv) {
  try {
    command_line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return command_line.help();
  } catch (const CLI::ParseError& error) {
    throw tessera::InputError(std::string("command line: ") + error.what());
  }
  return {};
}

}  // namespace bench
