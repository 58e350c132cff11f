// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// What the command line says.
struct Options {
  std::vector<std::string> decks;
  /// key=value
  std::vector<std::string> overrides;
  bool help = false;
  bool version = false;
  bool explain = false;
  bool check = false;
  /// For --explain: the graph of the pipeline instead of plans.
  bool dot = false;
  bool print_deck = false;
  bool quiet = false;
  bool verbose = false;
  /// For --explain and --check: plan for so many ranks; 0: as many as there are.
  int ranks = 0;
  /// For --explain: this rank only; -1: one of each class.
  int rank = -1;
  /// Files; empty: none.
  std::string save_plan;
  std::string plan;
  /// `-` is standard output.
  std::string report;
  std::string trace;

  /// Plans are made, and not run.
  bool only_plans() const { return explain || check; }
};

/// Reads the command line. Throws InputError for what it does not know.
Options parse_options(int argc, const char* const* argv);

/// The text of --help: usage, options, and the keys of the deck.
std::string help_text(const std::string& program, const std::string& summary, const deck::Schema& schema);

}  // namespace tessera::app
