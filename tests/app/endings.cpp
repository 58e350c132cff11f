// SPDX-License-Identifier: BSD-3-Clause
#include "endings.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tessera::app_test {

std::vector<std::string> lines_with(const std::string& text, const std::string& words) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(words) != std::string::npos) found.push_back(line);
  return found;
}

ParallelEnding errors_of(ParallelEnding ending) {
  std::string errors;
  for (const auto& line : lines_with(ending.errors, "error:")) errors += line + "\n";
  ending.errors = errors;
  return ending;
}

void expect_error(const Ending& ending, const std::vector<std::string>& words, test::SourceLine caller) {
  const auto lines = lines_with(ending.text(), "error:");
  if (lines.size() == 1 && ending.errors == lines.front() + "\n")
    return test::expect_message(lines.front(), words, caller);
  ADD_FAILURE_AT(caller.file, caller.line) << "not one line of an error:\n" << ending.text();
}

void expect_refusal(const ParallelEnding& ending, const std::vector<std::string>& words,
                    test::SourceLine caller) {
  const testing::ScopedTrace trace(caller.file, caller.line, "the refusal");
  EXPECT_FALSE(ending.hung);
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ending.ranks), 2))
      << ending.text();
  expect_error(ending, words, caller);
}

}  // namespace tessera::app_test
