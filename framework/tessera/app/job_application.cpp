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
#include "tessera/graph/graph.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Declares the keys of tasks and pools, and of all programs. Graphs may have tasks of the same name, which
/// share their key.
void declare_keys(deck::Schema& schema, const GraphApplication& application) {
  const auto number = [&](const std::string& name, const std::string& help) {
    schema.add(
        "Graph",
        {{.name = name, .type = deck::ValueType::integer, .help = help, .minimum = 1, .maximum = 1 << 20}});
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
  declare_common_keys(schema,
                      "The memory that the buffers of a rank may use at most; a graph whose pools need more "
                      "is refused; without it " +
                          application.default_memory);
}

void configure(const GraphApplication& application, const JobSetting& setting, GraphProgram& program) {
  collectively(setting.session.communicator(), [&] {
    std::size_t number = 0;
    for (graph::Graph* const graph : program.graphs()) {
      const GraphNames& names = application.graphs.at(number++);
      graph->configure(graph_settings(setting.deck, names.tasks, names.pools));
      graph->check(run_options(setting.deck, setting.threads));
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

ExitStatus run(const Launch& launch, const JobSetting& setting, const GraphApplication& application) {
  launch.phases.begin(Phase::open);
  const std::unique_ptr<GraphProgram> program = application.make(setting);
  configure(application, setting, *program);
  if (launch.options.check) return launch.say(program->check());
  if (launch.options.estimate) return estimate_work(launch, setting.threads, *program);
  if (launch.options.explain) return launch.say(explanation(*program, launch.options.dot));
  JobRun job(launch, setting.deck, setting.threads, program->files());
  launch.phases.begin(Phase::start);
  launch.start(setting.threads);
  job.say_start("worker");
  job.begin_work();
  const ExitStatus status = program->run(job);
  job.end_work();
  job.write();
  return status;
}

void declare_keys(deck::Schema& schema, const IterationApplication&) {
  declare_checkpoint_keys(schema);
  declare_common_keys(schema, "The memory that a rank may use at most; a run that needs more is refused");
}

/// Runs the turns of a program, from its input to its results.
class IterationRun {
 public:
  IterationRun(JobRun& job, const IterationApplication& application, const JobSetting& setting,
               IterationProgram& program)
      : job_(job),
        application_(application),
        setting_(setting),
        program_(program),
        maximum_(setting.deck.get<std::int64_t>(application.turns_key)) {}

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
    job_.begin_work();
    job_.begin("prepare");
    program_.prepare(job_);
    LoopRecorder loops({loop_description()}, job_.progress(), setting_.session.rank());
    Checkpoints checkpoints(checkpointed_run(), loops);
    Bindings bindings;
    loops.listen(bindings);
    checkpoints.listen(bindings);
    run_turns(bindings);
    job_.begin("end");
    program_.end(job_);
    job_.end_work();
    loops.add(job_.report());
    checkpoints.add(job_.report());
    job_.write();
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
    LoopProgress& state = job_.loop();
    if (bindings.resume_loop)
      state.turns = state.resumed_at = bindings.resume_loop(
          0, [this](ArrayId array, BlockSource& source) { program_.load(to_int(array), source); });
    program_.begin();
    while (state.turns < maximum_ && !state.has_converged) {
      bindings.before_turn(state);
      job_.begin("turn", state.turns);
      const IterationTurn turn = program_.turn();
      ++state.turns;
      state.residual = turn.residual;
      state.has_converged = turn.has_converged;
      bindings.after_turn(state);
      check_residual(application_.loop, state.turns, application_.residual, turn.residual);
      if (bindings.keep_loop && !state.has_converged)
        bindings.keep_loop(state,
                           [this](ArrayId array, BlockSink& sink) { program_.store(to_int(array), sink); });
    }
    bindings.after_loop(state);
  }

  JobRun& job_;
  const IterationApplication& application_;
  const JobSetting& setting_;
  IterationProgram& program_;
  std::int64_t maximum_;
};

ExitStatus run(const Launch& launch, const JobSetting& setting, const IterationApplication& application) {
  launch.phases.begin(Phase::open);
  const std::unique_ptr<IterationProgram> program = application.make(setting);
  if (launch.options.estimate) return estimate_work(launch, setting.threads, *program);
  JobRun job(launch, setting.deck, setting.threads, program->files());
  IterationRun run(job, application, setting, *program);
  if (launch.options.check) {
    run.check();
    const std::string text = program->check();
    return launch.options.quiet ? ExitStatus::done : launch.say(text);
  }
  launch.phases.begin(Phase::start);
  launch.start(setting.threads);
  if (launch.options.explain) {
    program->prepare(job);
    return launch.say(program->explain());
  }
  job.say_start("thread");
  launch.phases.begin(Phase::open);
  return launch.session.guard(application.program, [&] { return run.run(); });
}

void declare_keys(deck::Schema& schema, const ToolApplication&) { declare_common_keys(schema); }

ExitStatus run(const Launch& launch, const JobSetting& setting, const ToolApplication& application) {
  JobRun job(launch, setting.deck, setting.threads, {});
  if (launch.options.verbose) launch.say(version_text(application.program, launch.program.build));
  job.begin_work();
  const ExitStatus status =
      application.run({setting, joined(launch.deck_files, job.paths()), launch.options.check, job});
  job.end_work();
  if (!launch.options.check) job.write();
  return status;
}

template <class Application>
int launch_job(int argc, char** argv, const Application& application, const ProgramBuild& build,
               JobKind kind) {
  const auto schema = [&] {
    deck::Schema all;
    all.add("", application.keys);
    declare_keys(all, application);
    return all;
  };
  return launch(argc, argv, {application.program, application.summary, build, kind, schema},
                [&](const Launch& launch, const deck::Deck& deck) {
                  const int threads = threads_of(launch.session, deck);
                  return run(launch, {launch.session, deck, threads, launch.deck_files}, application);
                });
}

}  // namespace

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
