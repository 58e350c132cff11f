// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "program_runs.hpp"

// Programs as functions, which all ranks of this process' MPI_COMM_WORLD call. They see the same words,
// folder and environment as they do as processes, but nothing is started. A program that aborts MPI ends the
// tests.
namespace tessera::app_test {

/// The main() of a program, which tests/app/CMakeLists.txt gives another name.
using MainFunction = int(int, char**);

/// Calls `main` with the name of the program and words in a folder. The outputs are those of all ranks, and
/// every rank gets the same. Collective.
ParallelEnding call_on_ranks(MainFunction* main, const std::string& program, const std::string& folder,
                             const std::vector<std::string>& words, const Environment& environment = {});

}  // namespace tessera::app_test
