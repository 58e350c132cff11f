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

/// Throws InputError if the value of an option is the path of a deck that was read. Such a deck would be
/// overwritten, because options that need a value write the file that it names.
void check_no_deck(const ProgramOption& option, const std::string& value, const deck::Given& given) {
  if (!option.needs_value) return;
  for (const deck::Source& source : given.decks) {
    std::error_code ignored;
    if (std::filesystem::equivalent(value, source.name, ignored))
      throw InputError(fmt::format(
          "command line: {} names '{}', which is a deck of this run: name another file", option.name, value));
  }
}

/// Returns the deck with the keys that the application needs before it declares the others.
deck::Deck first_deck(const PipelineApplication& application, const deck::Given& given) {
  deck::Schema schema;
  for (deck::KeyDeclaration key : application.first_parameters) {
    key.required = false;
    schema.add(key);
  }
  return deck::load_declared(schema, given.decks, given.overrides, given.environment);
}

/// Returns the text of the first option that is given and that only this program has, or nothing if there is
/// none. Collective.
std::optional<std::string> text_of_options(const Launch& launch, const PipelineApplication& application,
                                           const deck::Given& given) {
  const std::map<std::string, std::string>& values = launch.options.of_program;
  if (values.empty()) return std::nullopt;
  const deck::Deck first = first_deck(application, given);
  const auto option = std::ranges::find_if(
      application.options, [&](const ProgramOption& one) { return values.contains(one.name); });
  std::string text;
  collectively(launch.session.communicator(), [&] {
    if (launch.session.rank() != 0) return;
    const std::string& value = values.at(option->name);
    check_no_deck(*option, value, given);
    text = option->text(value, first);
  });
  return text;
}

void check_no_program_keys(const deck::Deck& deck) {
  for (const char* key : {"program.machine", "program.costs", "program.chart"})
    if (deck.is_set(key))
      deck.fail(key,
                "the pipeline is not divided into tasks: give groups or program.allocation, or leave it out");
}

/// Does the work of a program on one rank, and returns the exit status.
ExitStatus run(const PipelineJob& job) {
  const PipelineApplication& application = job.application;
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
  program.text = [&](const Launch& launch, const deck::Given& given) {
    return text_of_options(launch, application, given);
  };
  if (application.complete)
    program.keys = [&](const deck::Given& given) {
      whole = application.complete(application, first_deck(application, given));
      return make_schema(whole);
    };
  return launch(argc, argv, program, [&](const Launch& launch, const deck::Deck& deck) {
    return run({launch, whole, deck});
  });
}

}  // namespace tessera::app
