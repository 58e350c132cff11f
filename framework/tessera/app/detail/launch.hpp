// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// Returns the elements of `first`, followed by the elements of `second`.
inline std::vector<std::string> joined(std::vector<std::string> first,
                                       const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Launch;

/// The description of a program that reading its command line and its decks needs.
struct LaunchedProgram {
  /// The name of the program.
  const std::string& name;
  /// A sentence that says what the program does.
  const std::string& summary;
  const ProgramBuild& build;
  JobKind kind = JobKind::pipeline;
  /// Returns the keys of the deck, or those that are known before the decks are read.
  std::function<deck::Schema()> schema;
  /// Options that only this program has.
  std::vector<ProgramOption> options = {};
  /// Returns what one of `options` prints, or nothing if none of them is given. May be empty. Collective.
  std::function<std::optional<std::string>(const Launch&, const deck::Given&)> text = {};
  /// Returns the keys of a program whose keys depend on its decks. May be empty. Collective.
  std::function<deck::Schema(const deck::Given&)> keys = {};
};

/// Returns the number of threads that a deck gives each rank (see Session::threads). Collective.
/// Throws InputError.
int threads_of(const Session& session, const deck::Deck& deck);

/// Returns the bytes that a rank may use by the key `memory` of a deck; 0 if there is no limit.
std::int64_t memory_limit(const deck::Deck& deck);

/// A program that has read its command line.
struct Launch {
  Session& session;
  const LaunchedProgram& program;
  const Options& options;
  /// The paths of the decks, and of the decks that they include. The list is empty until they have been read.
  const std::vector<std::string>& deck_files;
  /// The times of the phases of the run. The phase `start` is under way.
  RunPhases& phases;

  /// Starts Kokkos with `threads` threads, and prints the versions if the options ask for them. Collective.
  void start(int threads) const;
  /// Prints `text` on rank 0, and returns the status `done`.
  ExitStatus say(const std::string& text) const {
    session.print(text);
    return ExitStatus::done;
  }
};

/// Does the work of a program whose deck has been read. Collective.
using RunLaunched = std::function<ExitStatus(const Launch&, const deck::Deck&)>;

/// Starts a program: reads its command line, prints what options such as --help ask for, or else reads its
/// decks and calls `run`. Returns the exit status, which main() should return.
int launch(int argc, char** argv, const LaunchedProgram& program, const RunLaunched& run);

/// Returns the version of Tessera with its git hash, such as "0.2.0 (git 1a2b3c4)".
std::string version();

/// Returns three lines about libraries: the version of Kokkos with its backends, the MPI library, and the
/// file formats that this build supports. The text ends with a line feed.
std::string libraries_text();

/// Returns how the program is compiled, such as "build Release, x86-64-v4 (AVX-512)".
std::string build_text(const ProgramBuild& build);

/// Returns a warning if the program or the library was compiled without optimisation, or an empty text.
std::string build_warning(const ProgramBuild& build);

/// Returns the text that the option --version prints.
std::string version_text(const std::string& program, const ProgramBuild& build);

/// Returns the backends with which Kokkos was built, such as "OpenMP, Serial".
std::string backends();

}  // namespace tessera::app
