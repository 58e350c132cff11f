// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/graph_application.hpp"

#include <fmt/format.h>

#include <set>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/deck_files.hpp"
#include "tessera/app/detail/graph_report.hpp"
#include "tessera/app/detail/graph_settings.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/graph/explain.hpp"
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
  schema.add(threads_key());
  schema.add(
      {.name = "memory",
       .type = ValueType::bytes,
       .group = "Machine",
       .help =
           "What the buffers of a rank may use at most: a graph whose pools need more is refused; without "
           "it " +
           application.default_memory});
  return schema;
}

class Runner final : public GraphRunner {
 public:
  Runner(Session& session, const GraphApplication& application, const Options& options,
         const GraphSetting& setting, const std::vector<std::string>& taken)
      : session_(session),
        progress_(session.rank(), options.quiet),
        records_(session, options, taken),
        report_(report_of_run(session, application.program, setting.workers, setting.deck)),
        options_{.workers = setting.workers,
                 .timed = records_.is_wanted(),
                 .traced = records_.wants_trace(),
                 .memory = memory_of(setting.deck)} {}

  static std::int64_t memory_of(const deck::Deck& deck) {
    return deck.is_set("memory") ? deck.get<deck::ByteSize>("memory").bytes : 0;
  }

  graph::Report run(graph::Graph& graph) override { return run_on(graph, session_.communicator()); }
  graph::Report run_alone(graph::Graph& graph) override { return run_on(graph, MPI_COMM_NULL); }
  void say(const std::string& line) override { progress_.line(line); }
  void add(const std::string& section, const Report::Row& values) override { report_.add(section, values); }
  void add_row(const std::string& table, const Report::Row& row) override { report_.add_row(table, row); }
  void write() { records_.write(report_, reports_); }

 private:
  graph::Report run_on(graph::Graph& graph, MPI_Comm communicator) {
    graph::RunOptions options = options_;
    options.communicator = communicator;
    graph::Run run = graph.run(options);
    run.wait();
    reports_.push_back(run.report());
    add_graph(report_, session_.communicator(), reports_.back(), "");
    return reports_.back();
  }

  Session& session_;
  Progress progress_;
  GraphRecords records_;
  Report report_;
  graph::RunOptions options_;
  std::vector<graph::Report> reports_;
};

/// Gives the graphs the settings of the deck, and checks them.
void configure(const GraphApplication& application, const GraphSetting& setting, GraphProgram& program) {
  collectively(setting.session.communicator(), [&] {
    std::size_t number = 0;
    for (graph::Graph* const graph : program.graphs()) {
      const GraphNames& names = application.graphs.at(number++);
      graph->configure(graph_settings(setting.deck, names.tasks, names.pools));
      graph->check({.workers = setting.workers, .memory = Runner::memory_of(setting.deck)});
    }
  });
}

void explain(const Session& session, GraphProgram& program, bool as_dot) {
  std::string text;
  for (const graph::Graph* const graph : program.graphs()) {
    if (!text.empty()) text += '\n';
    text += as_dot ? graph::to_dot(*graph) : graph::to_text(*graph);
  }
  session.print(text);
}

ExitStatus run(Session& session, const GraphApplication& application, const ProgramBuild& build, int argc,
               char** argv) {
  const auto say = [&session](const std::string& text) {
    session.print(text);
    return ExitStatus::done;
  };
  const deck::Schema schema = schema_of(application);
  const Options options = parse_options(argc, argv);
  if (options.help) return say(help_text(application.program, application.summary, schema));
  if (options.version) return say(version_text(application.program, build));
  refuse_options_of_pipelines(options, "this program runs graphs");
  const DeckFiles files = read_decks(session.communicator(), schema, options.decks, options.overrides);
  const deck::Deck deck = deck::load(schema, files.sources, options.overrides, files.environment);
  if (options.print_deck) return say(deck::print(deck));
  GraphSetting setting{session, deck, 1, {}};
  setting.workers =
      session.threads(deck.is_set("threads") ? static_cast<int>(deck.get<std::int64_t>("threads")) : 0);
  for (const deck::Source& source : files.sources) setting.deck_files.push_back(source.name);
  const std::unique_ptr<GraphProgram> program = application.make(setting);
  configure(application, setting, *program);
  if (options.check) return say(program->check());
  if (options.explain) {
    explain(session, *program, options.dot);
    return ExitStatus::done;
  }
  std::vector<std::string> taken = program->files();
  taken.insert(taken.end(), setting.deck_files.begin(), setting.deck_files.end());
  Runner runner(session, application, options, setting, taken);
  session.start_kokkos(setting.workers);
  if (options.verbose) session.print(version_text(application.program, build));
  runner.say(fmt::format("{}: {} with {}", application.program, counted(session.rank_count(), "rank"),
                         counted(setting.workers, "worker")));
  const ExitStatus status = program->run(runner);
  runner.write();
  return status;
}

}  // namespace

int run_graph_application(int argc, char** argv, const GraphApplication& application,
                          const ProgramBuild& build) {
  return run_program(argc, argv, application.program, [&](Session& session, int count, char** values) {
    return run(session, application, build, count, values);
  });
}

}  // namespace tessera::app
