// SPDX-License-Identifier: BSD-3-Clause
#include "messages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>

namespace tessera::test {
namespace {

std::string on_one_line(const std::string& text) {
  return replaced(replaced(text, "\\", "\\\\"), "\n", "\\n");
}

std::string running_test() {
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// The texts of each test.
std::map<std::string, std::vector<std::string>> read_texts() {
  std::map<std::string, std::vector<std::string>> texts;
  std::ifstream file(TESSERA_MESSAGES_FILE);
  for (std::string line; std::getline(file, line);) {
    const auto end = line.find(": ");
    texts[line.substr(0, end)].push_back(line.substr(end + 2));
  }
  return texts;
}

bool has_words(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const auto& word) { return text.find(on_one_line(word)) != std::string::npos; });
}

/// What the file has for these words, or an empty text.
std::string known_text(const std::string& test, const std::vector<std::string>& words) {
  static const auto texts = read_texts();
  std::string shortest;
  if (const auto found = texts.find(test); found != texts.end())
    for (const auto& text : found->second)
      if (has_words(text, words) && (shortest.empty() || text.size() < shortest.size())) shortest = text;
  return shortest;
}

/// Each process has a file of its own, to which threads write one by one.
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
  const std::string text = on_one_line(message);
  if (const char* folder = std::getenv("TESSERA_MESSAGES"))
    return record(folder, running_test() + ": " + text);
  const std::string known = known_text(running_test(), words);
  if (text != known)
    ADD_FAILURE_AT(caller.file, caller.line)
        << "the message is\n  " << text << "\nand tests/messages.txt has with these words\n  "
        << (known.empty() ? "nothing" : known)
        << "\nIf the message is as it should be, run scripts/messages; if that is another message, choose "
           "words that it does not have.";
}

std::string replaced(std::string message, const std::string& part, const std::string& name) {
  for (auto at = message.find(part); at != std::string::npos; at = message.find(part, at + name.size()))
    message.replace(at, part.size(), name);
  return message;
}

}  // namespace tessera::test
