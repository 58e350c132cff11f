// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The options and arguments of the command line.
struct Options {
  /// The paths of the decks.
  std::vector<std::string> decks;
  /// The texts "key=value" that override values of the decks.
  std::vector<std::string> overrides;
  /// Whether the program prints the text of --help and does not run.
  bool help = false;
  /// Whether the program prints its version and those of its libraries, and does not run.
  bool version = false;
  /// Whether the program explains its plans and does not run them.
  bool explain = false;
  /// Whether the program checks the deck, the files and the plans, and does not run the plans.
  bool check = false;
  /// Whether the program estimates how long its plans take, and does not run them.
  bool estimate = false;
  /// The file with the machine of --estimate; empty for the generic machine.
  std::string machine;
  /// The report with the costs of stages of --estimate; empty if no costs are known.
  std::string costs;
  /// Whether --explain prints the graph of the pipeline instead of plans.
  bool dot = false;
  /// Whether the program prints the effective deck and does not run.
  bool print_deck = false;
  /// Whether only errors are printed.
  bool quiet = false;
  /// Whether the place of each rank and versions are printed; with --explain a plan of each RankClass.
  bool verbose = false;
  /// The number of ranks that plans are made for, if they do not run; 0 for the ranks that were started.
  int ranks = 0;
  /// The rank of --explain and --estimate; -1 for all ranks together, or the slowest one.
  int rank = -1;
  /// The file in which --explain saves the plans, or an empty text.
  std::string save_plan;
  /// The file of the report, `-` for standard output, or an empty text.
  std::string report;
  /// The file of the trace, or an empty text.
  std::string trace;
  /// The values of the given options that only this program has, by their names.
  std::map<std::string, std::string> of_program;

  /// Returns whether the program makes plans but does not run them.
  bool only_plans() const { return explain || check || estimate; }
};

/// The kinds of work that programs do: they run the plans of a pipeline, graphs of tasks, or turns of an
/// iteration without a pipeline, or they are tools.
enum class JobKind { pipeline, graph, iteration, tool };

/// Throws InputError if an option is given that is about other kinds of work.
void refuse_options_of_others(const Options& options, JobKind kind);

/// Throws InputError if no rank has the number that --rank gives.
void check_rank(const Options& options, int ranks);

/// Reads the command line. Throws InputError for an unknown option, for a value that an option does not
/// accept, and for options that exclude each other. `further` are the options that only this program has.
Options parse_options(int argc, const char* const* argv, const std::vector<ProgramOption>& further = {});

/// Returns the text of --help: usage, options, and the keys of the deck.
std::string help_text(const std::string& program, const std::string& summary, const deck::Schema& schema,
                      const std::vector<ProgramOption>& further = {});

}  // namespace tessera::app
