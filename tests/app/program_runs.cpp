// SPDX-License-Identifier: BSD-3-Clause
#include "program_runs.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>

namespace tessera::app_test {

Folder::Folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "tessera-app-XXXXXX";
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::set<std::string> Folder::names() const {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.insert(entry.path().filename());
  return names;
}

void Folder::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
}

std::string Folder::read(const std::string& name) const {
  std::ifstream stream(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ParallelEnding run_on_ranks(const std::string& program, int ranks, const Folder& folder,
                            const std::vector<std::string>& words, const Environment& environment) {
  // Each rank leaves an empty file, named after its process id and exit status: a rank that the launcher
  // kills meanwhile has left its status or nothing.
  const Folder statuses;
  const std::string rank = R"("$0" "$@"; status=$?; : >"$TESSERA_TEST_STATUSES/$$.$status"; exit $status)";
  Command command{{TESSERA_MPIEXEC, TESSERA_MPIEXEC_COUNT, std::to_string(ranks), "sh", "-c", rank, program},
                  folder.path(),
                  environment};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment["TESSERA_TEST_STATUSES"] = statuses.path();
  ParallelEnding ending{run(command), ranks, {}};
  for (const std::string& name : statuses.names())
    ending.rank_statuses.push_back(std::stoi(name.substr(name.find('.') + 1)));
  return ending;
}

}  // namespace tessera::app_test
