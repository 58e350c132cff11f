// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/tool_application.hpp"

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"

namespace tessera::app {
namespace {

deck::Schema schema_of(const ToolApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_common_keys(schema);
  return schema;
}

ExitStatus run(Launch& launch, const ToolApplication& application) {
  const int threads = launch.threads();
  JobRun job(launch.session, application.program, launch.options, launch.deck, launch.phases, threads,
             launch.deck_files);
  ServedRunner<JobRunner> runner(job);
  if (launch.options.verbose) launch.say(version_text(application.program, launch.program.build));
  job.begin_work();
  const ExitStatus status = application.run({.session = launch.session,
                                             .deck = launch.deck,
                                             .threads = threads,
                                             .taken = joined(launch.deck_files, job.paths()),
                                             .only_checks = launch.options.check,
                                             .runner = runner});
  job.end_work();
  if (!launch.options.check) job.write();
  return status;
}

}  // namespace

int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build) {
  return launch(argc, argv,
                {.name = application.program,
                 .summary = application.summary,
                 .build = build,
                 .kind = JobKind::tool,
                 .schema = [&] { return schema_of(application); }},
                [&](Launch& launch) { return run(launch, application); });
}

}  // namespace tessera::app
