// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::test {

/// The line of the test that calls; as a default argument of a helper, the line that calls the helper.
struct SourceLine {
  const char* file;
  int line;

  // Clang 14 has no std::source_location.
  static SourceLine here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Expects that a message contains each of these words, as they stand in it, and that the whole of it is one
/// that tests/messages.txt has for the running test. Call it while a test runs, not in SetUpTestSuite. Where
/// TESSERA_MESSAGES names a folder, the message is recorded there instead: `scripts/messages` does that.
void expect_message(const std::string& message, const std::vector<std::string>& words,
                    SourceLine caller = SourceLine::here());

/// A message with `name` wherever it has `part`, such as a temporary folder, which differs from run to run.
std::string replaced(std::string message, const std::string& part, const std::string& name);

}  // namespace tessera::test
