// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/launch.hpp"

#include <algorithm>

#include "tessera/app/detail/version.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"

namespace tessera::app {
namespace {

/// Returns the keys that --help lists. If they depend on a deck that has an error, these are the keys that
/// are known without it: users may ask for help because of this error.
deck::Schema keys_for_help(const Session& session, const LaunchedProgram& program, const Options& options,
                           const deck::Schema& schema) {
  if (!program.keys) return schema;
  try {
    return program.keys(options,
                        read_decks(session.communicator(), schema, options.decks, options.overrides));
  } catch (const InputError&) {
    return schema;
  }
}

ExitStatus run_launched(Session& session, const LaunchedProgram& program, int argc, char** argv,
                        const std::function<ExitStatus(Launch&)>& run) {
  const auto say = [&session](const std::string& text) {
    session.print(text);
    return ExitStatus::done;
  };
  RunPhases phases(session.began());
  deck::Schema schema = program.schema();
  const Options options = parse_options(argc, argv, program.options);
  if (options.version) return say(version_text(program.name, program.build));
  if (options.help)
    return say(help_text(program.name, program.summary, keys_for_help(session, program, options, schema),
                         program.options));
  refuse_options_of_others(options, program.kind);
  const DeckFiles files = read_decks(session.communicator(), schema, options.decks, options.overrides);
  if (program.text)
    if (const auto text = program.text(session, options, files)) return say(*text);
  if (program.keys) schema = program.keys(options, files);
  const deck::Deck deck = deck::load(schema, files.sources, options.overrides, files.environment);
  if (options.print_deck) return say(deck::print(deck));
  Launch launch{session, program, options, deck, {}, phases};
  for (const deck::Source& source : files.sources) launch.deck_files.push_back(source.name);
  return run(launch);
}

}  // namespace

void Launch::start(int threads) const {
  session.start_kokkos(threads);
  if (options.verbose) session.print(version_text(program.name, program.build));
}

int threads_of(const Session& session, const deck::Deck& deck) {
  return session.threads(deck.is_set("threads") ? static_cast<int>(deck.get<std::int64_t>("threads")) : 0);
}

std::int64_t memory_limit(const deck::Deck& deck) {
  return deck.is_set("memory") ? std::max<std::int64_t>(1, deck.get<deck::ByteSize>("memory").bytes) : 0;
}

int launch(int argc, char** argv, const LaunchedProgram& program,
           const std::function<ExitStatus(Launch&)>& run) {
  return run_program(argc, argv, program.name, [&](Session& session, int count, char** values) {
    return run_launched(session, program, count, values, run);
  });
}

}  // namespace tessera::app
