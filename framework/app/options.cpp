// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/options.hpp"

#include <CLI/CLI.hpp>

#include "tessera/deck/help.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// The declaration of the options; --help and --version are answered by the program, once for all ranks.
void declare(CLI::App& command_line, Options& options, std::vector<std::string>& words) {
  command_line.set_help_flag();
  command_line.add_flag("-h,--help", options.help, "Print this text");
  command_line.add_flag("--version", options.version, "Print the versions of the program and its libraries");
  command_line.add_flag("--explain", options.explain, "Print the plan of every rank, and do not run");
  command_line
      .add_option("--ranks", options.ranks, "With --explain: plan for so many ranks, without starting them")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("R");
  command_line.add_flag("--print-deck", options.print_deck,
                        "Print the effective deck, which runs again as it is");
  command_line.add_flag("-q,--quiet", options.quiet, "Print errors only");
  command_line.add_option("words", words, "Decks (YAML files), and key=value, which overrides a deck")
      ->type_name("DECK|KEY=VALUE");
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> words;
  CLI::App command_line;
  declare(command_line, options, words);
  try {
    command_line.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string("command line: ") + error.what() + " (--help lists the options)");
  }
  for (const std::string& word : words)
    (word.find('=') == std::string::npos ? options.decks : options.overrides).push_back(word);
  if (options.ranks > 0 && !options.explain) throw InputError("command line: --ranks goes with --explain");
  return options;
}

std::string help_text(const std::string& program, const std::string& summary, const deck::Schema& schema) {
  Options options;
  std::vector<std::string> words;
  CLI::App command_line(summary, program);
  declare(command_line, options, words);
  return command_line.help() + "\n" + deck::help_text(schema);
}

}  // namespace tessera::app
