// SPDX-License-Identifier: BSD-3-Clause
#include "messages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>

namespace tessera::test {
namespace {

std::string on_one_line(const std::string& text) {
  return replaced(replaced(text, "\\", "\\\\"), "\n", "\\n");
}

std::string running_test() {
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// The lines of tests/messages.txt.
std::set<std::string> read_lines() {
  std::set<std::string> lines;
  std::ifstream file(TESSERA_MESSAGES_FILE);
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

/// Each process has a file of its own, and its threads write to it one by one.
void record(const std::string& folder, const std::string& line) {
  static std::mutex writing;
  const std::lock_guard lock(writing);
  std::ofstream(folder + "/" + std::to_string(getpid()), std::ios::app) << line << "\n";
}

}  // namespace

void expect_message(const std::string& message, const std::vector<std::string>& words, SourceLine caller) {
  for (const auto& word : words)
    if (message.find(word) == std::string::npos)
      ADD_FAILURE_AT(caller.file, caller.line) << "'" << word << "' is not in the message:\n  " << message;
  const std::string line = running_test() + ": " + on_one_line(message);
  if (const char* folder = std::getenv("TESSERA_MESSAGES")) return record(folder, line);
  static const auto known = read_lines();
  if (!known.contains(line))
    ADD_FAILURE_AT(caller.file, caller.line) << "tests/messages.txt does not have the line\n  " << line
                                             << "\nIf the message is as it should be, run scripts/messages.";
}

std::string replaced(std::string message, const std::string& part, const std::string& name) {
  for (auto at = message.find(part); at != std::string::npos; at = message.find(part, at + name.size()))
    message.replace(at, part.size(), name);
  return message;
}

}  // namespace tessera::test
