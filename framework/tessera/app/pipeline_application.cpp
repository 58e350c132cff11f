// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/pipeline_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/deck_files.hpp"
#include "tessera/app/detail/explain_plans.hpp"
#include "tessera/app/detail/loop_recorder.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/pipeline_names.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/reported_numbers.hpp"
#include "tessera/app/detail/run_description.hpp"
#include "tessera/app/detail/run_records.hpp"
#include "tessera/app/detail/saved_plans.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/app/detail/watchdog.hpp"
#include "tessera/app/detail/written_stages.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/image_outputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/gpu_aware.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

/// One run of a PipelineApplication on one rank.
class Run {
 public:
  Run(Session& session, const PipelineApplication& application)
      : session_(session),
        application_(application),
        names_(names_of(application)),
        schema_(make_schema(application)) {}

  ExitStatus main(int argc, char** argv) {
    options_ = parse_options(argc, argv);
    if (options_.help) return say(help_text(application_.program, application_.summary, schema_));
    if (options_.version) return say(version_text(application_.program));
    load_deck();
    if (options_.print_deck) return say(deck::print(*deck_));
    make_pipeline();
    if (options_.plan.empty())
      make_plans();
    else
      take_saved_plans();
    if (options_.check) return check();
    if (!options_.explain) return execute();
    explain();
    return ExitStatus::done;
  }

 private:
  ExitStatus say(const std::string& text) const {
    if (session_.rank() == 0) fmt::print("{}", text);
    return ExitStatus::done;
  }

  void load_deck() {
    const DeckFiles files = read_decks(session_.communicator(), schema_, options_.decks, options_.overrides);
    for (const deck::Source& source : files.sources) deck_files_.push_back(source.name);
    deck_ = std::make_unique<deck::Deck>(
        deck::load(schema_, files.sources, options_.overrides, files.environment));
  }

  void make_pipeline() {
    inputs_ = std::make_unique<ImageInputs>(session_.communicator(), application_, *deck_);
    const io::ImageInfo* image = inputs_->image();
    if (image != nullptr) check_extents("image", image->domain);
    collectively(session_.communicator(), [&] {
      Pipeline pipeline =
          image != nullptr ? application_.build(*image, *deck_) : application_.generate(*deck_);
      check_names_of(application_, *deck_, pipeline);
      write_stages(pipeline, *deck_);
      const Schedule asked = schedule_from_deck(*deck_, common_names(names_, pipeline), !runs_on_host);
      blame_deck([&] {
        Rounds rounds = in_rounds(pipeline, asked);
        pipeline_ = std::make_unique<Pipeline>(std::move(rounds.pipeline));
        schedule_ = std::move(rounds.schedule);
      });
    });
    if (result() != nullptr) check_extents("result", result()->domain);
  }

  /// Null where the pipeline has none.
  const ArrayDeclaration* result() const {
    const bool has_none = application_.output_is_optional && !has_output(*deck_);
    return has_none ? nullptr : &(*pipeline_)[pipeline_->find(application_.output)];
  }

  /// Coordinates are 32 bits wide, with room for what stages read beyond the image.
  void check_extents(const char* what, const Box& domain) const {
    constexpr std::int64_t largest = std::int64_t(1) << 30;
    for (int d = 0; d < domain.dimensions; ++d)
      if (domain[d].size() > largest)
        fail_extents(
            fmt::format("the {} is {}, but no side may be longer than {}", what, to_string(domain), largest));
  }

  [[noreturn]] void fail_extents(const std::string& message) const {
    if (inputs_->image() != nullptr) deck_->fail("input.file", message);
    throw InputError(message);
  }

  /// By the schedule of the deck: everything that can be wrong without touching a pixel.
  void make_plans() {
    Target target;
    target.threads = session_.threads(
        deck_->is_set("threads") ? static_cast<int>(deck_->get<std::int64_t>("threads")) : 0);
    target.device = !runs_on_host;
    target.memory_bytes = memory_limit();
    if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
    const int ranks = options_.ranks > 0 ? options_.ranks : session_.rank_count();
    const bool follows_machine = deck_->get<std::string>("levels") == "machine";
    if (follows_machine && ranks != session_.rank_count())
      deck_->fail("levels", "machine is known only of the ranks that run: leave out --ranks, or write flat");
    if (follows_machine) target.levels = machine_levels(rank_places(session_.communicator()));
    collectively(session_.communicator(), [&] {
      blame_deck([&] {
        plans_ = std::make_unique<Plans>(*pipeline_, schedule_, target, ranks,
                                         deck_->is_set("bands") ? deck_->get<std::int64_t>("bands") : 0);
        plan_ = plans_->of(std::min(session_.rank(), ranks - 1));
      });
    });
  }

  /// In bytes; 0: none.
  std::int64_t memory_limit() const {
    if (!deck_->is_set("memory")) return 0;
    return std::max<std::int64_t>(1, deck_->get<deck::ByteSize>("memory").bytes);
  }

  template <class Task>
  void blame_deck(const Task& task) const {
    try {
      task();
    } catch (const ScheduleError& error) {
      deck_->fail(key_without_turn(error.key), error.what());
    }
  }

  /// Those of a file, which rank 0 reads for all.
  void take_saved_plans() {
    std::vector<std::string> texts;
    collectively(session_.communicator(), [&] {
      if (session_.rank() == 0) texts = read_plans();
    });
    plan_ = plan_from_json(*pipeline_, scatter(session_.communicator(), texts));
    collectively(session_.communicator(), [&] {
      if (const std::int64_t limit = memory_limit(); limit > 0 && plan_.peak_bytes() > limit)
        deck_->fail("memory", fmt::format("the plans in {} need {} on rank {}, but may use {}", options_.plan,
                                          human_bytes(plan_.peak_bytes()), plan_.rank, human_bytes(limit)));
    });
  }

  /// Fills plans_; gives the text of the plan for each rank that runs.
  std::vector<std::string> read_plans() {
    plans_ = read_saved_plans(*pipeline_, options_.plan, options_.only_plans() ? 0 : session_.rank_count());
    const int threads = plans_->of(0).target.threads;
    if (deck_->is_set("bands")) deck_->fail("bands", "saved plans have none: leave it out");
    if (deck_->is_set("threads") && deck_->get<std::int64_t>("threads") != threads)
      deck_->fail("threads", fmt::format("the plans in {} are for {}: leave it out", options_.plan, threads));
    std::vector<std::string> texts;
    for (int rank = 0; rank < session_.rank_count(); ++rank)
      texts.push_back(to_json(*pipeline_, plans_->of(std::min(rank, plans_->rank_count() - 1))));
    return texts;
  }

  /// Rank 0 alone plans for all ranks.
  void explain() const {
    std::optional<io::TextFile> file;
    const std::vector<std::string> taken = read_files();
    check_names(taken, {{"command line: --save-plan", options_.save_plan}});
    if (!options_.save_plan.empty() && plans_->has_bands())
      throw InputError(
          fmt::format("command line: --save-plan: plans of {} bands are not saved: give more memory",
                      plans_->bands().count));
    if (!options_.save_plan.empty()) file.emplace(session_.communicator(), options_.save_plan);
    std::string text, saved;
    collectively(session_.communicator(), [&] {
      if (session_.rank() != 0) return;
      blame_deck([&] {
        text = explanation();
        if (file) saved = saved_plans();
      });
    });
    if (file) file->write(saved);
    say(text);
  }

  std::string explanation() const {
    if (options_.dot) return dot_text(*pipeline_, *plans_);
    if (options_.rank < 0) return explain_text(*pipeline_, *plans_);
    if (options_.rank >= plans_->rank_count())
      throw InputError(fmt::format("command line: --rank {}: there are ranks 0 to {}", options_.rank,
                                   plans_->rank_count() - 1));
    return explain_text(*pipeline_, *plans_, options_.rank);
  }

  /// What the run reads besides its input.
  std::vector<std::string> deck_and_plan_files() const {
    std::vector<std::string> files = deck_files_;
    if (!options_.plan.empty()) files.push_back(options_.plan);
    return files;
  }

  std::vector<std::string> read_files() const {
    std::vector<std::string> files = deck_and_plan_files();
    for (const NamedFile& file : inputs_->files()) files.push_back(file.path);
    return files;
  }

  std::string saved_plans() const {
    std::vector<Plan> plans;
    for (int rank = 0; rank < plans_->rank_count(); ++rank) plans.push_back(plans_->of(rank));
    return to_json(*pipeline_, plans);
  }

  /// The files that a run writes. Places where they cannot be written are found here, before any work.
  struct WrittenFiles {
    WrittenFiles(const Run& run, const LoopHistory& history)
        : outputs(run.session_.communicator(), run.application_, *run.deck_, *run.inputs_, *run.pipeline_,
                  run.result(), history, run.deck_and_plan_files()),
          records(run.session_.communicator(), run.options_,
                  run.application_.loops.empty() ? "" : run.deck_->text_of("output.history"),
                  joined(outputs.paths(), run.read_files())) {}

    ImageOutputs outputs;
    RunRecords records;
  };

  static std::vector<std::string> joined(std::vector<std::string> some,
                                         const std::vector<std::string>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
  }

  /// All that can be wrong before a run; the files are dropped again.
  ExitStatus check() {
    check_comparison();
    LoopHistory none(*pipeline_, session_.rank());
    const WrittenFiles files(*this, none);
    Progress progress(session_.rank(), options_.quiet);
    if (session_.rank_count() == plan_.rank_count) Checkpoints(checkpointed_run(), none, progress);
    std::string text;
    collectively(session_.communicator(), [&] {
      if (session_.rank() == 0) blame_deck([&] { text = check_text(*pipeline_, *plans_); });
    });
    return options_.quiet ? ExitStatus::done : say(text);
  }

  ExitStatus execute() {
    const int threads = plan_.target.threads;
    check_comparison();
    Progress progress(session_.rank(), options_.quiet);
    LoopRecorder loops(*pipeline_, progress, session_.rank());
    auto [outputs, records] = WrittenFiles(*this, loops.history());
    Checkpoints checkpoints(checkpointed_run(), loops.history(), progress);
    session_.start_kokkos(threads);
    progress.line(description().start_text(options_.verbose));
    if (!options_.plan.empty()) progress.line(plan_line());
    const auto [status, shortcoming] = run_plan(outputs, records, loops, checkpoints, progress);
    for (const auto& paths : {outputs.paths(), records.paths()})
      for (const std::string& path : paths) progress.line(fmt::format("wrote {}", path));
    if (status != ExitStatus::done && session_.rank() == 0)
      fmt::print(stderr, "{}: {}\n", application_.program, shortcoming);
    return status;
  }

  void check_comparison() const {
    if (inputs_->image() == nullptr || !deck_->is_set("output.comparison")) return;
    if (band_of(plan_) != nullptr)
      deck_->fail("output.comparison",
                  "nothing keeps the middle of an image that is computed in bands: leave it out");
    for (const LoopDeclaration& loop : pipeline_->loops())
      for (const auto& feed : loop.feeds)
        if ((*pipeline_)[feed.to].is_input() && (*pipeline_)[feed.to].name == "input")
          deck_->fail(
              "output.comparison",
              fmt::format("the loop '{}' changes the input, and nothing is left to compare the result "
                          "with: leave it out",
                          loop.name));
  }

  RunDescription description() const {
    return {session_, application_, *deck_, *inputs_, *pipeline_, plan_, options_.plan};
  }

  CheckpointedRun checkpointed_run() const { return {session_, application_, *deck_, *pipeline_, plan_}; }

  /// What is followed instead of the deck.
  std::string plan_line() const {
    const std::vector<std::string> unused = given_schedule_keys(*deck_);
    return fmt::format("plan {}{}{}", options_.plan,
                       unused.empty() ? "" : "; not used: ", fmt::join(unused, ", "));
  }

  /// Reports what it chooses, where there is a choice.
  Transport choose_messages(Progress& progress) const {
    const std::string wanted = deck_->get<std::string>("gpu_aware_mpi");
    const ChosenTransport chosen =
        choose_transport(session_.communicator(), wanted == "on"    ? GpuAware::on
                                                  : wanted == "off" ? GpuAware::off
                                                                    : GpuAware::detect);
    if (!runs_on_host) progress.line("messages " + chosen.reason);
    return chosen.transport;
  }

  /// Returns how it ended, and a line about what it lacks, such as a loop that did not converge.
  std::pair<ExitStatus, std::string> run_plan(ImageOutputs& outputs, RunRecords& records, LoopRecorder& loops,
                                              Checkpoints& checkpoints, Progress& progress) {
    PlanRun plan_run(session_, *pipeline_, options_.plan.empty() ? plans_.get() : nullptr, plan_,
                     choose_messages(progress));
    Bindings bindings;
    inputs_->open(bindings);
    ReportedNumbers numbers(*pipeline_, application_.numbers);
    numbers.listen(bindings);
    StepRecorder recorder(session_.communicator(), plan_, records.recorder_options());
    outputs.listen(bindings, plan_run.instance(), [&] { return description().attributes(recorder); });
    loops.listen(bindings);
    checkpoints.listen(bindings);
    const int step_count = static_cast<int>(steps_outside_loops(plan_.root) * plan_run.times());
    Watchdog watchdog(deck_->is_set("watchdog") ? deck_->get<double>("watchdog") : 0,
                      [this](int node) { end_standstill(node); });
    int steps = 0;
    try {
      plan_run.run(bindings, [&](const PlanNode& node) {
        recorder.begin(node);
        watchdog.begin(node.id);
        if (!loops.is_inside()) progress.step(++steps, step_count, step_label(*pipeline_, node));
      });
      recorder.end();
    } catch (const std::exception& error) {
      if (all_ranks_know(error)) throw;
      // Here, where the files are still open: to close them all ranks would have to come along.
      session_.abort(application_.program, error);
    }
    if (!numbers.empty()) progress.line(numbers.text());
    progress.line(recorder.text());
    Report report;
    if (records.wants_report()) {
      description().add(report, recorder);
      loops.add(report);
      checkpoints.add(report);
      numbers.add(report);
    }
    records.write(report, *pipeline_, plan_, recorder, loops.history());
    if (const std::string line = loops.unfinished(); !line.empty()) return {ExitStatus::not_converged, line};
    const std::string line = numbers.judged(session_.communicator(), application_, *deck_);
    return {line.empty() ? ExitStatus::done : ExitStatus::beyond_tolerance, line};
  }

  /// Other ranks come to their limit a little later: they may say where they are, too.
  void end_standstill(int node) const {
    const double limit = deck_->get<double>("watchdog");
    print_standstill(application_.program, session_.rank(), limit, *pipeline_, plan_, node);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(limit / 2, 5.0)));
    session_.abort(ExitStatus::watchdog);
  }

  Session& session_;
  const PipelineApplication& application_;
  ScheduleNames names_;
  deck::Schema schema_;
  Options options_;
  /// With those that they include.
  std::vector<std::string> deck_files_;
  std::unique_ptr<deck::Deck> deck_;
  std::unique_ptr<ImageInputs> inputs_;
  std::unique_ptr<Pipeline> pipeline_;
  /// Of that pipeline, whose loops have the rounds that the deck asks for.
  Schedule schedule_;
  /// Of rank 0, when they come from a file.
  std::unique_ptr<Plans> plans_;
  Plan plan_;
};

}  // namespace

int run_pipeline_application(int argc, char** argv, const PipelineApplication& application) {
  return run_program(argc, argv, application.program, [&](Session& session, int count, char** values) {
    return Run(session, application).main(count, values);
  });
}

}  // namespace tessera::app
