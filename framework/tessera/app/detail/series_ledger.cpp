// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/io/unfinished_files.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

/// Returns whether a key may change the bits of a result. Files have their own part of the ledger's lines.
bool is_of_problem(const deck::Schema& schema, const std::string& key) {
  constexpr std::array groups = {"Machine", "Schedule", "Series", "Groups"};
  return std::ranges::none_of(groups, [&](const char* group) { return schema.find(key)->group == group; });
}

/// Returns the size and the time of a file, such as "1024 1700000000000000000"; "-" if there is no file.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "-";
  return fmt::format("{} {}", status.st_size,
                     std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
}

/// Returns the folder of the results: the part of the pattern of their names before the first placeholder.
fs::path ledger_folder(const std::string& pattern) {
  const fs::path folder = fs::path(pattern.substr(0, pattern.find('{'))).parent_path();
  return folder.empty() ? "." : folder;
}

/// Removes unfinished results that a killed run has left.
void remove_abandoned(const std::vector<SeriesItem>& items) {
  std::vector<std::string> results;
  for (const SeriesItem& item : items) results.push_back(item.output);
  io::remove_abandoned_files(results);
}

class NotingSink final : public BlockSink {
 public:
  NotingSink(const SeriesLedger& ledger, SeriesItem item, bool notes, std::unique_ptr<BlockSink> sink)
      : ledger_(ledger), item_(std::move(item)), notes_(notes), sink_(std::move(sink)) {}

  void write(const HostBlock& block) override {
    sink_->write(block);
    if (notes_) ledger_.add(item_);
  }

 private:
  const SeriesLedger& ledger_;
  SeriesItem item_;
  bool notes_;
  std::unique_ptr<BlockSink> sink_;
};

}  // namespace

SeriesLedger::SeriesLedger(const PipelineApplication& application, const deck::Deck& deck,
                           const std::vector<NamedFile>& shared)
    : path_((ledger_folder(deck.get<std::string>("output.files")) / ("." + application.program + ".ledger"))
                .string()) {
  std::string problem =
      problem_text(deck, [&](const std::string& key) { return is_of_problem(deck.schema(), key); }, {});
  for (const NamedFile& file : shared) problem += fmt::format("{}: {}\n", file.path, state_of(file.path));
  problem_ = io::text_digest(problem);
}

std::string SeriesLedger::line_of(const SeriesItem& item) const {
  std::string text = fmt::format("{:016x}", problem_);
  std::vector<std::string> files = {item.input};
  files.insert(files.end(), item.listed.begin(), item.listed.end());
  files.push_back(item.output);
  for (const std::string& file : files) text += fmt::format(" {} {}", state_of(file), file);
  // A line that a killed process has not completed is none.
  return fmt::format("{} {:016x}", text, io::text_digest(text));
}

void SeriesLedger::leave_out_whole(std::vector<SeriesItem>& items) {
  std::set<std::string> lines;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) lines.insert(line);
  if (lines.empty()) return;
  std::vector<bool> is_whole;
  for (const SeriesItem& item : items) is_whole.push_back(lines.contains(line_of(item)));
  const auto last = std::ranges::find(is_whole.rbegin(), is_whole.rend(), true);
  if (last == is_whole.rend()) return;
  *last = false;
  std::vector<SeriesItem> others;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!is_whole[i]) others.push_back(items[i]);
  left_out_ = std::ssize(items) - std::ssize(others);
  items = std::move(others);
}

std::string SeriesLedger::remark() const {
  if (left_out_ == 0) return "";
  return fmt::format("{} of an earlier run {} whole: they are left out (to compute them again, remove {})",
                     counted(left_out_, "result"), left_out_ == 1 ? "is" : "are", path_);
}

void SeriesLedger::begin(const std::vector<SeriesItem>& items) const {
  remove_abandoned(items);
  std::ofstream(path_, std::ios::app);
}

void SeriesLedger::finish(const std::vector<SeriesItem>& items) const {
  remove_abandoned(items);
  std::remove(path_.c_str());
}

void SeriesLedger::add(const SeriesItem& item) const {
  const std::string line = line_of(item) + "\n";
  // One call writes the line, so that lines of several ranks do not mix. Without a ledger the series is as it
  // would be otherwise, so that an error is none.
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  static_cast<void>(!::write(file, line.data(), line.size()));
  ::close(file);
}

std::unique_ptr<BlockSink> SeriesLedger::noting(MPI_Comm communicator, const SeriesItem& item,
                                                std::unique_ptr<BlockSink> sink) const {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return std::make_unique<NotingSink>(*this, item, rank == 0, std::move(sink));
}

}  // namespace tessera::app
