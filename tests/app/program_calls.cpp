// SPDX-License-Identifier: BSD-3-Clause
#include "program_calls.hpp"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "capture.hpp"

namespace tessera::app_test {
namespace {

/// Lets the writes to a descriptor go to a file until the end of this object's life.
class Redirection {
 public:
  Redirection(std::FILE* stream, const Capture& capture)
      : stream_(stream), before_((std::fflush(stream), dup(fileno(stream)))) {
    dup2(capture.descriptor(), fileno(stream));
  }
  ~Redirection() {
    std::fflush(stream_);
    dup2(before_, fileno(stream_));
    close(before_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  std::FILE* stream_;
  int before_;
};

/// Another working folder until the end of this object's life.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  std::filesystem::path before_;
};

/// Other values of variables until the end of this object's life.
class Variables {
 public:
  explicit Variables(const Environment& environment) {
    for (const auto& [name, value] : environment) {
      const char* before = getenv(name.c_str());
      before_[name] = before ? std::optional<std::string>(before) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& [name, value] : before_)
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

int status_of(MainFunction* main, const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return main(static_cast<int>(words.size()), pointers.data());
}

/// The texts of all ranks, one after the other.
std::string gather(const std::string& text, std::size_t ranks) {
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(ranks), places(ranks);
  MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t i = 1; i < ranks; ++i) places[i] = places[i - 1] + sizes[i - 1];
  std::string all(static_cast<std::size_t>(places.back() + sizes.back()), ' ');
  MPI_Allgatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), places.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  return all;
}

}  // namespace

ParallelEnding call_on_ranks(MainFunction* main, const std::string& program, const std::string& folder,
                             const std::vector<std::string>& words, const Environment& environment) {
  const Capture output, errors;
  ParallelEnding ending;
  {
    const WorkingFolder there(folder);
    const Variables variables(environment);
    const Redirection of_output(stdout, output), of_errors(stderr, errors);
    ending.status = status_of(main, program, words);
  }
  MPI_Comm_size(MPI_COMM_WORLD, &ending.ranks);
  const auto ranks = static_cast<std::size_t>(ending.ranks);
  ending.rank_statuses.resize(ranks);
  MPI_Allgather(&ending.status, 1, MPI_INT, ending.rank_statuses.data(), 1, MPI_INT, MPI_COMM_WORLD);
  ending.status = std::ranges::max(ending.rank_statuses);
  ending.output = gather(output.text(), ranks);
  ending.errors = gather(errors.text(), ranks);
  return ending;
}

}  // namespace tessera::app_test
