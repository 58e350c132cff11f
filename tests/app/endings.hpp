// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "messages.hpp"

// How runs of programs end.
namespace tessera::app_test {

/// How a program ended.
struct Ending {
  /// The exit status; negative: the signal that ended it.
  int status = 0;
  /// It ran longer than it may, and was ended.
  bool hung = false;
  std::string output;
  std::string errors;

  std::string text() const { return output + errors; }
};

/// How a program ended on several ranks, and the exit status of each.
struct ParallelEnding : Ending {
  int ranks = 1;
  std::vector<int> rank_statuses;
};

/// The lines of a text that hold these words.
std::vector<std::string> lines_with(const std::string& text, const std::string& words);

/// The ending with those lines of `errors` only that tell of an error: launchers and libraries print others.
ParallelEnding errors_of(ParallelEnding ending);

/// Expects that `errors` is one line, which tells of an error with these words, and that `output` tells of
/// none.
void expect_error(const Ending& ending, const std::vector<std::string>& words,
                  test::SourceLine caller = test::SourceLine::here());

/// Expects that every rank refused its input with status 2, and says why as expect_error expects.
void expect_refusal(const ParallelEnding& ending, const std::vector<std::string>& words,
                    test::SourceLine caller = test::SourceLine::here());

}  // namespace tessera::app_test
