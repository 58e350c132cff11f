// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <utility>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {
namespace {

/// Returns the text that identifies what a deck computes, without the state of the files that it names.
std::string problem_of(const deck::Deck& deck) {
  // Keys of these groups never change the bits of a result.
  constexpr std::array groups = {"Machine", "Schedule", "Series", "Groups", "Graph"};
  const auto may_change_bits = [&](const std::string& key) {
    const std::string& group = deck.schema().find(key)->group;
    return std::ranges::none_of(groups, [&](const char* other) { return group == other; });
  };
  return problem_text(deck, may_change_bits, {});
}

}  // namespace

Ledger::Ledger(std::string path, const deck::Deck& deck, const std::vector<std::string>& files)
    : path_(std::move(path)), problem_(io::text_digest(problem_of(deck) + state_of(files))) {}

std::string Ledger::state_of(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0)
      text += fmt::format("{} {} {} ", status.st_size,
                          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, file);
    else
      text += fmt::format("- {} ", file);
  }
  return text;
}

std::map<std::string, std::string> Ledger::items() const {
  const std::string begin = fmt::format("{:016x} ", problem_);
  std::map<std::string, std::string> items;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    // A line that a killed process has not completed does not count.
    const std::size_t end = line.rfind('\t'), tab = line.rfind('\t', end - 1);
    if (!line.starts_with(begin) || tab == std::string::npos ||
        line.substr(end + 1) != fmt::format("{:016x}", io::text_digest(line.substr(0, end))))
      continue;
    items[line.substr(begin.size(), tab - begin.size())] = line.substr(tab + 1, end - tab - 1);
  }
  return items;
}

std::string Ledger::remark(std::int64_t count, const std::string& what) const {
  if (count == 0) return "";
  return fmt::format("{} of an earlier run {} whole: they are left out (to compute them again, remove {})",
                     counted(count, what), count == 1 ? "is" : "are", path_);
}

void Ledger::begin(const std::vector<std::string>& results) const {
  io::remove_abandoned_files(results);
  // A line that a killed process has not completed must not swallow the next one.
  std::ifstream lines(path_);
  const bool is_cut = lines.seekg(-1, std::ios::end) && lines.get() != '\n';
  std::ofstream(path_, std::ios::app) << (is_cut ? "\n" : "");
}

void Ledger::add(const std::string& key, const std::string& value) const {
  const std::string text = fmt::format("{:016x} {}\t{}", problem_, key, value);
  const std::string line = fmt::format("{}\t{:016x}\n", text, io::text_digest(text));
  // One call writes the line, so that lines of several ranks do not mix. The run does not need the ledger, so
  // errors are ignored.
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  static_cast<void>(!::write(file, line.data(), line.size()));
  ::close(file);
}

void Ledger::finish(const std::vector<std::string>& results) const {
  io::remove_abandoned_files(results);
  std::remove(path_.c_str());
}

}  // namespace tessera::app
