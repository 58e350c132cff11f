// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tessera/domain/error.hpp"

namespace bench {

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
