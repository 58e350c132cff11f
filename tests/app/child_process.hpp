// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "endings.hpp"

namespace tessera::app_test {

/// A program to run as a child.
struct Command {
  std::vector<std::string> words;
  /// Where it runs.
  std::string folder;
  /// Variables that it has besides those of this process.
  std::map<std::string, std::string> environment;
};

/// Runs a program to its end. It has nothing to read, and none of this process' variables for threads and
/// launchers.
Ending run(const Command& command);

}  // namespace tessera::app_test
