// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/iteration_application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {
namespace {

deck::Schema schema_of_iteration(const IterationApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_checkpoint_keys(schema);
  declare_common_keys(schema, "What a rank may use at most; a run that needs more is refused");
  return schema;
}

/// Runs the turns of a program, from its input to its results.
class IterationRun final : public ServedRunner<IterationRunner> {
 public:
  IterationRun(JobRun& job, const IterationApplication& application, const IterationSetting& setting,
               IterationProgram& program)
      : ServedRunner(job),
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
    const Checkpoints dropped(checkpointed_run(), loops.history(), silent);
  }

  ExitStatus run() {
    check();
    job().begin_work();
    job().begin("prepare");
    program_.prepare(*this);
    LoopRecorder loops({loop_description()}, job().progress(), setting_.session.rank());
    Checkpoints checkpoints(checkpointed_run(), loops.history(), job().progress());
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
    CheckpointedLoop loop{
        .name = application_.loop, .maximum = maximum_, .has_condition = true, .arrays = program_.arrays()};
    for (std::size_t i = 0; i < loop.arrays.size(); ++i) loop.array_ids.push_back(static_cast<int>(i));
    return {setting_.session,
            setting_.deck,
            application_.program,
            problem_text(setting_.deck, is_part, limits) + program_.problem(),
            {loop}};
  }

  void run_turns(const Bindings& bindings) {
    state_ = {.loop = 0};
    if (bindings.resume_loop)
      state_.turns = state_.resumed_at =
          bindings.resume_loop(0, [this](int array, BlockSource& source) { program_.load(array, source); });
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
        bindings.keep_loop(state_, [this](int array, BlockSink& sink) { program_.store(array, sink); });
    }
    bindings.after_loop(state_);
  }

  const IterationApplication& application_;
  const IterationSetting& setting_;
  IterationProgram& program_;
  std::int64_t maximum_;
  LoopProgress state_;
};

ExitStatus run_iteration(Launch& launch, const IterationApplication& application) {
  launch.phases.begin(Phase::open);
  const IterationSetting setting{launch.session, launch.deck, launch.threads(), launch.deck_files};
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
  ExitStatus status = ExitStatus::done;
  launch.session.guard(application.program, [&] { status = run.run(); });
  return status;
}

}  // namespace

int run_iteration_application(int argc, char** argv, const IterationApplication& application,
                              const ProgramBuild& build) {
  return launch(argc, argv,
                {.name = application.program,
                 .summary = application.summary,
                 .build = build,
                 .kind = JobKind::iteration,
                 .schema = [&] { return schema_of_iteration(application); }},
                [&](Launch& launch) { return run_iteration(launch, application); });
}

}  // namespace tessera::app
