// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/iteration_application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/graph_report.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/loop_recorder.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/pipeline/run/residual.hpp"

namespace tessera::app {
namespace {

deck::Schema schema_of_iteration(const IterationApplication& application) {
  deck::Schema schema;
  for (const deck::KeyDeclaration& key : application.keys) schema.add(key);
  declare_checkpoint_keys(schema);
  schema.add(threads_key());
  return schema;
}

/// Runs the turns of a program, from its input to its results.
class IterationRun final : public IterationRunner {
 public:
  IterationRun(const IterationApplication& application, const IterationSetting& setting,
               const Options& options, IterationProgram& program, const std::vector<std::string>& taken)
      : application_(application),
        setting_(setting),
        program_(program),
        progress_(setting.session.rank(), options.quiet),
        records_(setting.session, options, taken),
        maximum_(setting.deck.get<std::int64_t>(application.turns_key)) {
    report_.add("run", {{"program", application.program},
                        {"version", version()},
                        {"ranks", std::int64_t(setting.session.rank_count())},
                        {"threads", std::int64_t(setting.threads)},
                        {"deck", deck::print(setting.deck)}});
  }

  void say(const std::string& line) override { progress_.line(line); }
  void add(const std::string& section, const Row& values) override { report_.add(section, values); }
  void add_row(const std::string& table, const Row& row) override { report_.add_row(table, row); }
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
    program_.prepare(*this);
    LoopRecorder loops({loop_description()}, progress_, setting_.session.rank());
    Checkpoints checkpoints(checkpointed_run(), loops.history(), progress_);
    Bindings bindings;
    loops.listen(bindings);
    checkpoints.listen(bindings);
    run_turns(bindings);
    program_.end(*this);
    loops.add(report_);
    checkpoints.add(report_);
    records_.write(report_, {});
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
  Progress progress_;
  GraphRecords records_;
  Report report_;
  std::int64_t maximum_;
  LoopProgress state_;
};

ExitStatus run_iteration(Launch& launch, const IterationApplication& application) {
  const IterationSetting setting{launch.session, launch.deck, launch.threads(), launch.deck_files};
  const std::unique_ptr<IterationProgram> program = application.make(setting);
  std::vector<std::string> taken = program->files();
  taken.insert(taken.end(), setting.deck_files.begin(), setting.deck_files.end());
  IterationRun run(application, setting, launch.options, *program, taken);
  if (launch.options.check) {
    run.check();
    const std::string text = program->check();
    return launch.options.quiet ? ExitStatus::done : launch.say(text);
  }
  launch.start(setting.threads);
  if (launch.options.explain) {
    program->prepare(run);
    return launch.say(program->explain());
  }
  run.say(fmt::format("{}: {} with {}", application.program, counted(launch.session.rank_count(), "rank"),
                      counted(setting.threads, "thread")));
  try {
    return run.run();
  } catch (const std::exception& error) {
    // The job is aborted here, before the files of results are closed, because closing a file is collective.
    if (!all_ranks_know(error)) launch.session.abort(application.program, error);
    throw;
  }
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
