// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// Declares the options. `--help` and `--version` only set flags. The program prints their texts later, once
/// for all ranks.
void declare(CLI::App& command_line, Options& options, std::vector<std::string>& words) {
  const auto flag = [&](const char* name, bool& value, const char* help) {
    command_line.add_flag(name, value, help);
  };
  const auto file = [&](const char* name, std::string& path, const char* help) {
    command_line.add_option(name, path, help)->type_name("FILE");
  };
  command_line.set_help_flag();
  flag("-h,--help", options.help, "Print this text");
  flag("--version", options.version, "Print the versions of the program and its libraries");
  flag("--explain", options.explain, "Print what all ranks cost, and a line for each stage; do not run");
  flag("--check", options.check,
       "Read the deck, look at inputs, outputs and memory, make the plans; do not run");
  flag("--estimate", options.estimate,
       "Print how long each step takes, estimated from the plans or the work; do not run");
  file("--machine", options.machine, "With --estimate: a file of tessera-calibrate; without it, some laptop");
  file("--costs", options.costs, "With --estimate: a report in JSON that has the costs of stages");
  command_line
      .add_option("--ranks", options.ranks,
                  "With --explain, --check, --estimate: plan for this many ranks, but start none")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("R");
  command_line
      .add_option("--rank", options.rank,
                  "With --explain or --estimate: print the plan, or the estimate, of this rank only")
      ->check(CLI::Range(0, (1 << 20) - 1))
      ->type_name("r");
  flag("--dot", options.dot, "With --explain: print the pipeline as a graph for Graphviz");
  file("--save-plan", options.save_plan, "With --explain: write the plans of all ranks as JSON, too");
  file("--report", options.report,
       "Write the cost of each step, or its estimate: .json as JSON, else text; - prints");
  file("--trace", options.trace, "Write when each step ran on each rank, for Perfetto or Chrome");
  flag("--print-deck", options.print_deck, "Print the effective deck, which runs again as it is");
  flag("-q,--quiet", options.quiet, "Print errors only");
  flag("-v,--verbose", options.verbose,
       "Print where each rank runs, and versions; with --explain one rank of each kind");
  command_line.add_option("words", words, "Decks (YAML files), and key=value, which overrides a deck")
      ->type_name("DECK|KEY=VALUE");
}

void declare(CLI::App& command_line, const std::vector<ProgramOption>& further,
             std::map<std::string, std::string>& values) {
  for (const ProgramOption& option : further) {
    const auto take = [&values, name = option.name](const CLI::results_t& given) {
      values[name] = given.empty() ? "" : given.front();
      return true;
    };
    command_line.add_option(option.name, take, option.help)
        ->expected(option.needs_value ? 1 : 0, 1)
        ->type_name(option.value_name);
  }
}

void require(bool holds, const char* rule) {
  if (!holds) throw InputError(fmt::format("command line: {}", rule));
}

void check(const Options& options) {
  require(!options.explain || !options.check, "--explain and --check: give one of them");
  require(!options.estimate || !options.check, "--estimate and --check: give one of them");
  require(options.only_plans() || options.ranks == 0, "--ranks goes with --explain, --check or --estimate");
  require(!options.quiet || !options.verbose, "--quiet and --verbose: give one of them");
  require(options.explain || options.estimate || options.rank < 0,
          "--rank goes with --explain or --estimate");
  require(options.estimate || options.machine.empty(), "--machine goes with --estimate");
  require(options.estimate || options.costs.empty(), "--costs goes with --estimate");
  require(options.explain || !options.dot, "--dot goes with --explain");
  require(options.explain || options.save_plan.empty(), "--save-plan goes with --explain");
  require(!options.dot || options.rank < 0, "--dot shows all ranks together: leave out --rank");
  require(!options.explain || options.estimate || options.report.empty(),
          "--report is of a run: leave out --explain");
  require(!options.explain || options.trace.empty(), "--trace is of a run: leave out --explain");
  require(!options.estimate || options.trace.empty(), "--trace is of a run: leave out --estimate");
}

/// Returns whether a word has neither the form key=value nor the file name of a deck.
bool is_bare_word(const std::string& word) {
  return word.find('=') == std::string::npos && !word.ends_with(".yaml") && !word.ends_with(".yml");
}

/// Throws InputError if a key, the '=' and the value are separated by blanks.
void check_blanks(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string spelt = words[i], meant = words[i];
    if (spelt.starts_with('=') && i > 0 && is_bare_word(words[i - 1])) {
      spelt = words[i - 1] + " " + spelt;
      meant = words[i - 1] + meant;
    }
    if (!meant.empty() && meant.find('=') == meant.size() - 1 && i + 1 < words.size() &&
        is_bare_word(words[i + 1])) {
      spelt += " " + words[i + 1];
      meant += words[i + 1];
    }
    if (spelt != meant && !meant.starts_with('='))
      throw InputError(
          fmt::format("command line: '{}': a key, '=' and its value are one word: write {}", spelt, meant));
  }
}

}  // namespace

void refuse_options_of_others(const Options& options, JobKind kind) {
  struct Service {
    const char* option;
    bool is_given;
    /// The last kind of work that has the option. The kinds before it, in the order of JobKind, have it, too.
    JobKind last;
  };
  const Service services[] = {{"--save-plan", !options.save_plan.empty(), JobKind::pipeline},
                              {"--ranks", options.ranks != 0 && !options.estimate, JobKind::pipeline},
                              {"--rank", options.rank >= 0, JobKind::pipeline},
                              {"--costs", !options.costs.empty(), JobKind::pipeline},
                              {"--dot", options.dot, JobKind::graph},
                              {"--explain", options.explain, JobKind::iteration},
                              {"--estimate", options.estimate, JobKind::iteration}};
  for (const Service& service : services)
    if (service.is_given && kind > service.last)
      throw InputError(
          fmt::format("command line: {} is about pipelines, and this program runs {}: leave it out",
                      service.option, kind == JobKind::graph ? "graphs" : "none"));
}

void check_rank(const Options& options, int ranks) {
  if (options.rank >= ranks)
    throw InputError(
        fmt::format("command line: --rank {}: there are ranks 0 to {}", options.rank, ranks - 1));
}

Options parse_options(int argc, const char* const* argv, const std::vector<ProgramOption>& further) {
  Options options;
  std::vector<std::string> words;
  CLI::App command_line;
  declare(command_line, options, words);
  declare(command_line, further, options.of_program);
  try {
    command_line.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string("command line: ") + error.what() + " (--help lists the options)");
  }
  for (const ProgramOption& option : further) {
    const auto given = options.of_program.find(option.name);
    if (option.needs_value || given == options.of_program.end() || is_bare_word(given->second)) continue;
    words.push_back(std::move(given->second));
    given->second.clear();
  }
  check_blanks(words);
  for (const std::string& word : words)
    (word.find('=') == std::string::npos ? options.decks : options.overrides).push_back(word);
  check(options);
  return options;
}

std::string help_text(const std::string& program, const std::string& summary, const deck::Schema& schema,
                      const std::vector<ProgramOption>& further) {
  Options options;
  std::vector<std::string> words;
  CLI::App command_line(summary, program);
  declare(command_line, options, words);
  declare(command_line, further, options.of_program);
  return command_line.help() + "\n" + deck::help_text(schema);
}

}  // namespace tessera::app
