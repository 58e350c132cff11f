// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/graph_application.hpp"

#include <fmt/format.h>

#include <set>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

using deck::ValueType;

/// Declares the keys of tasks and pools. Graphs may have tasks of the same name, which share their key.
void declare_graph_keys(deck::Schema& schema, const GraphApplication& application) {
  const auto number = [&](const std::string& name, const std::string& help) {
    schema.add({.name = name,
                .type = ValueType::integer,
                .group = "Graph",
                .help = help,
                .minimum = 1,
                .maximum = 1 << 20});
  };
  number("graph.window",
         "How many items of each source are under way on a rank at the same time; without it " +
             application.default_window);
  std::set<std::string> declared;
  for (const GraphNames& names : application.graphs) {
    for (const std::string& task : names.tasks)
      if (declared.insert(task).second)
        number(
            fmt::format("graph.{}.workers", task),
            fmt::format("How many threads of a rank run the task {} at the same time; without it all", task));
    for (const std::string& pool : names.pools)
      number(
          fmt::format("graph.{}.count", pool),
          fmt::format("How many buffers the pool {} has on a rank; without it as many as are needed", pool));
  }
}

deck::Schema schema_of(const GraphApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_graph_keys(schema, application);
  declare_common_keys(schema,
                      "What the buffers of a rank may use at most: a graph whose pools need more is refused; "
                      "without it " +
                          application.default_memory);
  return schema;
}

class Runner final : public ServedRunner<GraphRunner> {
 public:
  Runner(JobRun& job, const GraphSetting& setting)
      : ServedRunner(job),
        setting_(setting),
        options_{.workers = setting.workers, .memory = memory_limit(setting.deck)} {}

  graph::Report run(graph::Graph& graph) override {
    graph::RunOptions options = options_;
    options.communicator = setting_.session.communicator();
    return job().run(graph, options);
  }
  graph::Report run_alone(graph::Graph& graph) override { return job().run(graph, options_); }

 private:
  const GraphSetting& setting_;
  graph::RunOptions options_;
};

/// Gives the graphs the settings of the deck, and checks them.
void configure(const GraphApplication& application, const GraphSetting& setting, GraphProgram& program) {
  collectively(setting.session.communicator(), [&] {
    std::size_t number = 0;
    for (graph::Graph* const graph : program.graphs()) {
      const GraphNames& names = application.graphs.at(number++);
      graph->configure(graph_settings(setting.deck, names.tasks, names.pools));
      graph->check({.workers = setting.workers, .memory = memory_limit(setting.deck)});
    }
  });
}

std::string explanation(GraphProgram& program, bool as_dot) {
  std::string text;
  for (const graph::Graph* const graph : program.graphs()) {
    if (!text.empty()) text += '\n';
    text += as_dot ? graph::to_dot(*graph) : graph::to_text(*graph);
  }
  return text;
}

ExitStatus run(Launch& launch, const GraphApplication& application) {
  launch.phases.begin(Phase::open);
  GraphSetting setting{launch.session, launch.deck, launch.threads(), launch.deck_files};
  const std::unique_ptr<GraphProgram> program = application.make(setting);
  configure(application, setting, *program);
  if (launch.options.check) return launch.say(program->check());
  if (launch.options.estimate) return estimate_work(launch, setting.workers, *program);
  if (launch.options.explain) return launch.say(explanation(*program, launch.options.dot));
  JobRun job(launch.session, application.program, launch.options, launch.deck, launch.phases, setting.workers,
             joined(program->files(), setting.deck_files));
  launch.phases.begin(Phase::start);
  launch.start(setting.workers);
  job.say_start(setting.workers, "worker");
  job.begin_work();
  Runner runner(job, setting);
  const ExitStatus status = program->run(runner);
  job.end_work();
  job.write();
  return status;
}

}  // namespace

int run_graph_application(int argc, char** argv, const GraphApplication& application,
                          const ProgramBuild& build) {
  return launch(argc, argv,
                {.name = application.program,
                 .summary = application.summary,
                 .build = build,
                 .kind = JobKind::graph,
                 .schema = [&] { return schema_of(application); }},
                [&](Launch& launch) { return run(launch, application); });
}

}  // namespace tessera::app
