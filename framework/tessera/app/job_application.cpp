// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/job_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/graph_application.hpp"
#include "tessera/app/iteration_application.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Declares the keys of tasks and pools. Graphs may have tasks of the same name, which share their key.
void declare_graph_keys(deck::Schema& schema, const GraphApplication& application) {
  const auto number = [&](const std::string& name, const std::string& help) {
    schema.add({.name = name,
                .type = deck::ValueType::integer,
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

graph::RunOptions run_options(const JobSetting& setting) {
  return {.workers = setting.threads, .memory = memory_limit(setting.deck)};
}

/// Gives the graphs the settings of the deck, and checks them.
void configure(const GraphApplication& application, const JobSetting& setting, GraphProgram& program) {
  collectively(setting.session.communicator(), [&] {
    std::size_t number = 0;
    for (graph::Graph* const graph : program.graphs()) {
      const GraphNames& names = application.graphs.at(number++);
      graph->configure(graph_settings(setting.deck, names.tasks, names.pools));
      graph->check(run_options(setting));
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
  JobSetting setting{launch.session, launch.deck, threads_of(launch.session, launch.deck), launch.deck_files};
  const std::unique_ptr<GraphProgram> program = application.make(setting);
  configure(application, setting, *program);
  if (launch.options.check) return launch.say(program->check());
  if (launch.options.estimate) return estimate_work(launch, setting.threads, *program);
  if (launch.options.explain) return launch.say(explanation(*program, launch.options.dot));
  JobRun job(launch.session, application.program, launch.options, launch.deck, launch.phases, setting.threads,
             joined(program->files(), setting.deck_files));
  launch.phases.begin(Phase::start);
  launch.start(setting.threads);
  job.say_start(setting.threads, "worker");
  job.begin_work();
  GraphRunner runner(job, setting);
  const ExitStatus status = program->run(runner);
  job.end_work();
  job.write();
  return status;
}

deck::Schema schema_of(const IterationApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_checkpoint_keys(schema);
  declare_common_keys(schema, "What a rank may use at most; a run that needs more is refused");
  return schema;
}

/// Runs the turns of a program, from its input to its results.
class IterationRun final : public IterationRunner {
 public:
  IterationRun(JobRun& job, const IterationApplication& application, const JobSetting& setting,
               IterationProgram& program)
      : IterationRunner(job),
        application_(application),
        setting_(setting),
        program_(program),
        maximum_(setting.deck.get<std::int64_t>(application.turns_key)) {}

  std::int64_t turns() const override { return state_.turns; }
  double residual() const override { return state_.residual; }

  /// Throws InputError when results or checkpoints cannot be written, or when the run cannot go on from the
  /// checkpoint that the deck names. Nothing of the input has to be read for that.
  void check() {
    program_.create_results();
    Progress silent(setting_.session.rank(), true);
    LoopRecorder loops({loop_description()}, silent, setting_.session.rank());
    const Checkpoints dropped(checkpointed_run(), loops);
  }

  ExitStatus run() {
    check();
    job().begin_work();
    job().begin("prepare");
    program_.prepare(*this);
    LoopRecorder loops({loop_description()}, job().progress(), setting_.session.rank());
    Checkpoints checkpoints(checkpointed_run(), loops);
    Bindings bindings;
    loops.listen(bindings);
    checkpoints.listen(bindings);
    run_turns(bindings);
    job().begin("end");
    program_.end(*this);
    job().end_work();
    loops.add(job().report());
    checkpoints.add(job().report());
    job().write();
    const std::string shortcoming = loops.unfinished();
    if (shortcoming.empty()) return ExitStatus::done;
    if (setting_.session.rank() == 0) fmt::print(stderr, "{}: {}\n", application_.program, shortcoming);
    return ExitStatus::not_converged;
  }

 private:
  RecordedLoop loop_description() const {
    std::int64_t points = 0;
    for (const io::FileArray& array : program_.arrays()) points = std::max(points, array.domain.size());
    return {.name = application_.loop,
            .maximum = maximum_,
            .has_condition = true,
            .residual = application_.residual,
            .residual_is_norm = true,
            .points = points};
  }

  CheckpointedRun checkpointed_run() const {
    const auto is_part = [this](const std::string& name) {
      return !name.starts_with("output.") &&
             std::ranges::find(application_.keys, name, &deck::KeyDeclaration::name) !=
                 application_.keys.end();
    };
    std::vector<std::string> limits = application_.turn_limits;
    limits.push_back(application_.turns_key);
    CheckpointedLoop loop{.arrays = program_.arrays()};
    for (std::size_t i = 0; i < loop.arrays.size(); ++i)
      loop.array_ids.push_back(ArrayId{static_cast<int>(i)});
    return {setting_.session,
            setting_.deck,
            application_.program,
            problem_text(setting_.deck, is_part, limits) + program_.problem(),
            {loop}};
  }

  void run_turns(const Bindings& bindings) {
    state_ = {.loop = 0};
    if (bindings.resume_loop)
      state_.turns = state_.resumed_at = bindings.resume_loop(
          0, [this](ArrayId array, BlockSource& source) { program_.load(to_int(array), source); });
    program_.begin();
    while (state_.turns < maximum_ && !state_.has_converged) {
      bindings.before_turn(state_);
      job().begin("turn", state_.turns);
      const IterationTurn turn = program_.turn();
      ++state_.turns;
      state_.residual = turn.residual;
      state_.has_converged = turn.has_converged;
      bindings.after_turn(state_);
      check_residual(application_.loop, state_.turns, application_.residual, turn.residual);
      if (bindings.keep_loop && !state_.has_converged)
        bindings.keep_loop(state_,
                           [this](ArrayId array, BlockSink& sink) { program_.store(to_int(array), sink); });
    }
    bindings.after_loop(state_);
  }

  const IterationApplication& application_;
  const JobSetting& setting_;
  IterationProgram& program_;
  std::int64_t maximum_;
  LoopProgress state_;
};

ExitStatus run(Launch& launch, const IterationApplication& application) {
  launch.phases.begin(Phase::open);
  const JobSetting setting{launch.session, launch.deck, threads_of(launch.session, launch.deck),
                           launch.deck_files};
  const std::unique_ptr<IterationProgram> program = application.make(setting);
  if (launch.options.estimate) return estimate_work(launch, setting.threads, *program);
  JobRun job(launch.session, application.program, launch.options, launch.deck, launch.phases, setting.threads,
             joined(program->files(), setting.deck_files));
  IterationRun run(job, application, setting, *program);
  if (launch.options.check) {
    run.check();
    const std::string text = program->check();
    return launch.options.quiet ? ExitStatus::done : launch.say(text);
  }
  launch.phases.begin(Phase::start);
  launch.start(setting.threads);
  if (launch.options.explain) {
    program->prepare(run);
    return launch.say(program->explain());
  }
  job.say_start(setting.threads, "thread");
  launch.phases.begin(Phase::open);
  return launch.session.guard(application.program, [&] { return run.run(); });
}

deck::Schema schema_of(const ToolApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_common_keys(schema);
  return schema;
}

ExitStatus run(Launch& launch, const ToolApplication& application) {
  const int threads = threads_of(launch.session, launch.deck);
  JobRun job(launch.session, application.program, launch.options, launch.deck, launch.phases, threads,
             launch.deck_files);
  JobRunner runner(job);
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

/// Launches a program whose application has the functions `schema_of` and `run`.
template <class Application>
int launch_job(int argc, char** argv, const Application& application, const ProgramBuild& build,
               JobKind kind) {
  return launch(argc, argv,
                {.name = application.program,
                 .summary = application.summary,
                 .build = build,
                 .kind = kind,
                 .schema = [&] { return schema_of(application); }},
                [&](Launch& launch) { return run(launch, application); });
}

}  // namespace

void JobRunner::begin(const std::string& part) { job_.begin(part); }

void JobRunner::say(const std::string& line) { job_.progress().line(line); }

void JobRunner::add(const std::string& section, const Row& values) { job_.report().add(section, values); }

void JobRunner::add_row(const std::string& table, const Row& row) { job_.report().add_row(table, row); }

graph::Report GraphRunner::run(graph::Graph& graph) {
  graph::RunOptions options = run_options(setting_);
  options.communicator = setting_.session.communicator();
  return job().run(graph, options);
}

graph::Report GraphRunner::run_alone(graph::Graph& graph) { return job().run(graph, run_options(setting_)); }

int run_graph_application(int argc, char** argv, const GraphApplication& application,
                          const ProgramBuild& build) {
  return launch_job(argc, argv, application, build, JobKind::graph);
}

int run_iteration_application(int argc, char** argv, const IterationApplication& application,
                              const ProgramBuild& build) {
  return launch_job(argc, argv, application, build, JobKind::iteration);
}

int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build) {
  return launch_job(argc, argv, application, build, JobKind::tool);
}

}  // namespace tessera::app
