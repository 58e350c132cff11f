// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/pipeline_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/deck_files.hpp"
#include "tessera/app/detail/estimate_run.hpp"
#include "tessera/app/detail/execute_run.hpp"
#include "tessera/app/detail/explain_run.hpp"
#include "tessera/app/detail/program_keys.hpp"
#include "tessera/app/detail/program_run.hpp"
#include "tessera/app/detail/series_across.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_run.hpp"
#include "tessera/app/detail/stream_run.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Throws InputError if the value of an option is the path of a deck that was read. Such decks would be
/// overwritten, as values that options must have are files to write.
void check_no_deck(const ProgramOption& option, const std::string& value, const DeckFiles& files) {
  if (!option.needs_value) return;
  for (const deck::Source& source : files.sources) {
    std::error_code is_no_file;
    if (std::filesystem::equivalent(value, source.name, is_no_file))
      throw InputError(fmt::format(
          "command line: {} names '{}', which is a deck of this run: name another file", option.name, value));
  }
}

/// Returns the text of the first option that is given and that only this program has, or nothing if there is
/// none. Collective.
std::optional<std::string> text_of_options(const Session& session, const PipelineApplication& application,
                                           const Options& options, const DeckFiles& files,
                                           const deck::Deck& first) {
  for (const ProgramOption& option : application.options) {
    const auto given = options.of_program.find(option.name);
    if (given == options.of_program.end()) continue;
    std::string text;
    collectively(session.communicator(), [&] {
      if (session.rank() != 0) return;
      check_no_deck(option, given->second, files);
      text = option.text(given->second, first);
    });
    return text;
  }
  return std::nullopt;
}

/// Returns the values of those keys that are read before the others.
deck::Deck first_deck(const PipelineApplication& application, const DeckFiles& files,
                      const Options& options) {
  deck::Schema schema;
  for (deck::KeyDeclaration key : application.first_parameters) {
    key.required = false;
    schema.add(key);
  }
  return deck::load_declared(schema, files.sources, options.overrides, files.environment);
}

/// Returns the description whose keys --help lists. The help of programs that decks complete depends on the
/// deck, unless the deck has an error: users may ask for help because of this error. Collective.
PipelineApplication completed_for_help(const Session& session, const PipelineApplication& application,
                                       const Options& options) {
  if (!application.complete) return application;
  try {
    const DeckFiles files =
        read_decks(session.communicator(), make_schema(application), options.decks, options.overrides);
    return application.complete(application, first_deck(application, files, options));
  } catch (const InputError&) {
    return application;
  }
}

/// Executes the command line on one rank, and returns the exit status.
ExitStatus run(Session& session, PipelineApplication application, const ProgramBuild& build, int argc,
               char** argv) {
  const auto say = [&session](const std::string& text) {
    session.print(text);
    return ExitStatus::done;
  };
  RunPhases phases(session.began());
  deck::Schema schema = make_schema(application);
  const Options options = parse_options(argc, argv, application.options);
  if (options.version) return say(version_text(application.program, build));
  if (options.help) {
    application = completed_for_help(session, application, options);
    return say(
        help_text(application.program, application.summary, make_schema(application), application.options));
  }
  const DeckFiles files = read_decks(session.communicator(), schema, options.decks, options.overrides);
  if (application.complete || !options.of_program.empty()) {
    const deck::Deck first = first_deck(application, files, options);
    if (const auto text = text_of_options(session, application, options, files, first)) return say(*text);
    if (application.complete) application = application.complete(application, first);
    schema = make_schema(application);
  }
  deck::Deck deck = deck::load(schema, files.sources, options.overrides, files.environment);
  if (options.print_deck) return say(deck::print(deck));
  if (application.remark && !options.quiet && !options.dot && session.rank() == 0)
    session.print(application.remark(deck));
  std::vector<std::string> deck_files;
  for (const deck::Source& source : files.sources) deck_files.push_back(source.name);
  if (!is_program(deck)) check_no_program_keys(deck);
  if (takes_series(application) && is_series(deck)) {
    if (is_program(deck))
      if (const auto status =
              run_stream_of_tasks(session, application, build, options, deck, deck_files, phases))
        return *status;
    deck = with_chosen_way(session, application, deck);
    if (goes_across_ranks(deck))
      return run_series_across(session, application, build, options, deck, deck_files, phases);
    return run_series(session, application, build, options, deck, phases);
  }
  phases.begin(Phase::open);
  RunSetup setup(session, application, build, options, deck, deck_files);
  phases.begin(Phase::plan);
  if (is_program(deck))
    if (const auto status = run_program_of_tasks(setup, phases)) return *status;
  const RunPlans plans(setup);
  if (!options.only_plans()) return execute_run(setup, plans, phases);
  if (options.explain) explain_run(setup, plans);
  if (options.check) check_run(setup, plans);
  if (options.estimate) estimate_run(setup, plans);
  return ExitStatus::done;
}

}  // namespace

const std::string& PipelineApplication::output_of(const Algorithm& pipeline) const {
  const auto has = [&pipeline](const std::string& name) {
    return std::ranges::any_of(pipeline.arrays(), [&name](const ArrayDeclaration& array) {
      return array.is_output && array.name == name;
    });
  };
  const auto other = std::ranges::find_if(other_outputs, has);
  return has(output) || other == other_outputs.end() ? output : *other;
}

int run_pipeline_application(int argc, char** argv, const PipelineApplication& application,
                             const ProgramBuild& build) {
  return run_program(argc, argv, application.program, [&](Session& session, int count, char** values) {
    return run(session, application, build, count, values);
  });
}

}  // namespace tessera::app
