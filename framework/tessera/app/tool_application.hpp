// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/app/job_runner.hpp"
#include "tessera/app/program_build.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/key.hpp"

namespace tessera::app {

/// The setting in which a tool runs.
struct ToolSetting {
  /// The lifetime of MPI and Kokkos, with the communicator of all ranks. Kokkos has not been started.
  Session& session;
  /// The deck.
  const deck::Deck& deck;
  /// The number of threads of each rank.
  int threads = 1;
  /// The paths of the files that the run has already: decks, the report and the trace.
  std::vector<std::string> taken;
  /// Whether the tool only looks at its deck and its files, and does not run.
  bool only_checks = false;
  /// The services of the framework.
  JobRunner& runner;
};

/// A description of a program that runs neither a pipeline nor graphs, but has decks, options and errors as
/// all programs have.
struct ToolApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The declarations of the program's own keys. All tools also have those of declare_common_keys.
  std::vector<deck::KeyDeclaration> keys = {};
  /// A function that runs the program. Collective. It may throw InputError, on all ranks together.
  std::function<ExitStatus(const ToolSetting&)> run = {};
};

/// Runs a tool: reads options and deck, calls ToolApplication::run, and writes its report. `build` says how
/// the program is compiled. Returns the exit status, which main() should return.
int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build = this_program);

}  // namespace tessera::app
