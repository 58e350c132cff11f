// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/tool_application.hpp"

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/version.hpp"

namespace tessera::app {

int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build) {
  const auto schema = [&application] {
    deck::Schema schema;
    for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
    schema.add(threads_key());
    return schema;
  };
  return launch(argc, argv,
                {.name = application.program,
                 .summary = application.summary,
                 .build = build,
                 .kind = JobKind::tool,
                 .schema = schema},
                [&](Launch& launch) {
                  const int threads = launch.threads();
                  if (launch.options.verbose) launch.say(version_text(application.program, build));
                  return application.run({.session = launch.session,
                                          .deck = launch.deck,
                                          .threads = threads,
                                          .deck_files = launch.deck_files,
                                          .only_checks = launch.options.check,
                                          .is_quiet = launch.options.quiet});
                });
}

}  // namespace tessera::app
