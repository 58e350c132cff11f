// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/pipeline_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/deck/load.hpp"
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

/// Returns the text of the first option that is given and that only this program has, or nothing if there is
/// none. Collective.
std::optional<std::string> text_of_options(const Session& session, const PipelineApplication& application,
                                           const Options& options, const DeckFiles& files) {
  if (options.of_program.empty()) return std::nullopt;
  const deck::Deck first = first_deck(application, files, options);
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

/// Throws InputError if a deck has keys that are about tasks, but asks for no tasks.
void check_no_program_keys(const deck::Deck& deck) {
  for (const char* key : {"program.machine", "program.costs", "program.chart"})
    if (deck.is_set(key))
      deck.fail(key,
                "the pipeline is not divided into tasks: give groups or program.allocation, or leave it out");
}

/// Does the work of a program on one rank, and returns the exit status.
ExitStatus run(Launch& launch, const PipelineApplication& application) {
  const PipelineJob job{launch.session, application,       launch.program.build, launch.options,
                        launch.deck,    launch.deck_files, launch.phases};
  const bool is_divided = is_program(job.deck);
  if (!is_divided) check_no_program_keys(job.deck);
  if (takes_series(application) && is_series(job.deck)) {
    if (is_divided)
      if (const auto status = run_stream_of_tasks(job)) return *status;
    return run_series(job);
  }
  job.phases.begin(Phase::open);
  collectively(job.session.communicator(), [&] { check_no_series_keys(application, job.deck); });
  RunSetup setup(job, job.deck);
  job.phases.begin(Phase::plan);
  if (is_divided)
    if (const auto status = run_program_of_tasks(setup)) return *status;
  const RunPlans plans(setup);
  if (!job.options.only_plans()) return execute_run(setup, plans);
  if (job.options.explain) explain_run(setup, plans);
  if (job.options.check) check_run(setup, plans);
  if (job.options.estimate) estimate_run(setup, plans);
  return ExitStatus::done;
}

}  // namespace

int run_pipeline_application(int argc, char** argv, const PipelineApplication& application,
                             const ProgramBuild& build) {
  PipelineApplication whole = application;
  LaunchedProgram program{.name = application.program,
                          .summary = application.summary,
                          .build = build,
                          .schema = [&] { return make_schema(application); },
                          .options = application.options};
  program.text = [&](const Session& session, const Options& options, const DeckFiles& files) {
    return text_of_options(session, application, options, files);
  };
  if (application.complete)
    program.keys = [&](const Options& options, const DeckFiles& files) {
      whole = application.complete(application, first_deck(application, files, options));
      return make_schema(whole);
    };
  return launch(argc, argv, program, [&](Launch& launch) { return run(launch, whole); });
}

}  // namespace tessera::app
