// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The options and arguments of the command line.
struct Options {
  /// The paths of the decks.
  std::vector<std::string> decks;
  /// The values for keys of the deck, each as "key=value".
  std::vector<std::string> overrides;
  /// Whether the program prints the text of --help.
  bool help = false;
  /// Whether the program prints its version and those of its libraries.
  bool version = false;
  /// Whether the program explains its plans and does not run.
  bool explain = false;
  /// Whether the program looks for all that is wrong and does not run.
  bool check = false;
  /// Whether --explain prints the graph of the pipeline instead of plans.
  bool dot = false;
  /// Whether the program prints the effective deck and does not run.
  bool print_deck = false;
  /// Whether only errors are printed.
  bool quiet = false;
  /// Whether the place of each rank and versions are printed, and by --explain one rank of each class.
  bool verbose = false;
  /// The number of ranks for which --explain and --check plan; 0: as many as there are.
  int ranks = 0;
  /// The rank whose plan --explain prints; -1: it prints the costs of all ranks.
  int rank = -1;
  /// The file to which --explain saves the plans; empty: none.
  std::string save_plan;
  /// The file whose plans are run or explained; empty: none.
  std::string plan;
  /// The file of the report, `-` for standard output; empty: none.
  std::string report;
  /// The file of the trace; empty: none.
  std::string trace;

  /// Whether plans are made and not run.
  bool only_plans() const { return explain || check; }
};

/// Reads the command line. Throws InputError for unknown options and for values that they do not accept.
Options parse_options(int argc, const char* const* argv);

/// Returns the text of --help: usage, options, and the keys of the deck.
std::string help_text(const std::string& program, const std::string& summary, const deck::Schema& schema);

}  // namespace tessera::app
