// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/tool_application.hpp"

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/deck_files.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// Throws InputError if an option is given that is about pipelines, or about records of a run.
void check_tool_options(const Options& options) {
  const std::string why = "this program runs none";
  refuse_options_of_pipelines(options, why);
  if (options.explain)
    throw InputError("command line: --explain is about pipelines, and " + why + ": leave it out");
  for (const auto& [given, option] :
       {std::pair{!options.report.empty(), "--report"}, std::pair{!options.trace.empty(), "--trace"}})
    if (given)
      throw InputError(std::string("command line: ") + option + " is about steps of plans, and " + why +
                       ": leave it out");
}

ExitStatus run_tool(Session& session, const ToolApplication& application, const ProgramBuild& build, int argc,
                    char** argv) {
  const auto say = [&session](const std::string& text) {
    session.print(text);
    return ExitStatus::done;
  };
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  schema.add(threads_key());
  const Options options = parse_options(argc, argv);
  if (options.help) return say(help_text(application.program, application.summary, schema));
  if (options.version) return say(version_text(application.program, build));
  check_tool_options(options);
  const DeckFiles files = read_decks(session.communicator(), schema, options.decks, options.overrides);
  const deck::Deck deck = deck::load(schema, files.sources, options.overrides, files.environment);
  if (options.print_deck) return say(deck::print(deck));
  ToolSetting setting{.session = session,
                      .deck = deck,
                      .threads = session.threads(
                          deck.is_set("threads") ? static_cast<int>(deck.get<std::int64_t>("threads")) : 0),
                      .deck_files = {},
                      .only_checks = options.check,
                      .is_quiet = options.quiet};
  for (const deck::Source& source : files.sources) setting.deck_files.push_back(source.name);
  if (options.verbose) session.print(version_text(application.program, build));
  return application.run(setting);
}

}  // namespace

int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build) {
  return run_program(argc, argv, application.program, [&](Session& session, int count, char** values) {
    return run_tool(session, application, build, count, values);
  });
}

}  // namespace tessera::app
