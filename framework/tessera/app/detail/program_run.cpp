// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/program_report.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/stream_items.hpp"
#include "tessera/app/detail/task_costs.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The number of runs of a profile. The fastest one counts.
constexpr int profile_runs = 5;

/// The common base of runs on groups of ranks, for one image and for a series.
class TasksRun {
 protected:
  TasksRun(RunSetup& setup, const ProgramPlans& programs)
      : setup_(setup),
        programs_(programs),
        phases_(setup.phases),
        communicator_(setup.session.communicator()),
        progress_(setup.session.rank(), setup.options.quiet) {
    collectively(communicator_, [&] { plan_ = programs.planner().plan(setup.session.rank()); });
  }

  /// Creates the files about tasks. `taken` are all other files.
  void create_files(const std::vector<std::string>& taken) {
    const std::string profile = setup_.deck.text_of("program.profile"),
                      chart = setup_.deck.text_of("program.chart");
    check_names(taken, {{"program.profile", profile}, {"program.chart", chart}});
    if (!profile.empty()) profile_.emplace(communicator_, profile);
    if (!chart.empty()) chart_.emplace(communicator_, chart);
  }

  void start_kokkos() {
    phases_.begin(Phase::start);
    setup_.session.start_kokkos(programs_.target().threads);
  }

  /// Prints how the tasks were allocated, and begins to allocate memory. Returns how messages are sent.
  Transport begin_to_allocate() {
    for (const std::string& line : programs_.remarks()) progress_.line(line);
    phases_.begin(Phase::allocate);
    return chosen_transport(setup_.session, setup_.deck).transport;
  }

  /// Calls `work` with an observer that records the parts, and with whether there is a watchdog. The watchdog
  /// ends the run if a part takes longer than the deck allows, or if a rank waits, and no rank begins a part
  /// within the same time. A rank does not see the ranks of other machine nodes, and may therefore wait as
  /// long as all steps of all tasks may take together.
  template <class Work>
  group::StreamOutcome run_tasks(const ProgramParts& parts, Recorder& recorder, const Work& work) {
    const double seconds = watchdog_seconds(setup_.deck);
    WaitLimit limit{seconds, {}};
    std::optional<NodeCounts> begun;
    if (seconds > 0) {
      limit.steps_of_others = [&counts = begun.emplace(communicator_)] { return counts.sum(); };
      if (!begun->has_all()) {
        limit.seconds *= static_cast<double>(parts.steps_to_wait_for());
        progress_.line(fmt::format(
            "watchdog: a rank may wait {:.6g} s for other ranks, as it does not see the steps on other "
            "machine nodes",
            limit.seconds));
      }
    }
    Watchdog watchdog(seconds,
                      end_standstill(setup_.session, setup_.application.program, seconds,
                                     [&](int number) { return name_in(parts.own_names(), number); }),
                      limit);
    const group::PartObserver begins = [&](const group::StepPart& part) {
      const int number = parts.number_of(part);
      recorder.begin(number, programs_.is_stream() ? part.item : -1);
      if (begun) begun->add();
      part.kind == group::StepPart::Kind::wait ? watchdog.begin_to_wait(number) : watchdog.begin(number);
    };
    // A stream catches errors of images, and one rank alone throws any other error.
    group::StreamOutcome outcome = setup_.session.guard(
        setup_.application.program, [&] { return work(begins, begun.has_value()); }, programs_.is_stream());
    recorder.end();
    phases_.begin(Phase::finish);
    return outcome;
  }

  /// Prints the times of the tasks, adds them to the report, and writes the records and the chart.
  void tell_times(const TaskTimes& times, const ProgramParts& parts, Recorder& recorder, Report& report,
                  Records& records, const LoopRecorder* loops = nullptr) {
    recorder.end(phases_);
    progress_.line(times.text());
    StepNames names;
    if (records.wants_report() || (records.wants_trace() && setup_.session.rank() == 0))
      names = parts.names();
    if (records.wants_report()) {
      times.add(report);
      add_parts(report, communicator_, names, recorder);
    }
    records.write(report, names, parts.with_tasks(recorder.events()), loops);
    if (chart_) chart_->write(times.chart());
  }

  RunSetup& setup_;
  const ProgramPlans& programs_;
  RunPhases& phases_;
  MPI_Comm communicator_;
  Progress progress_;
  /// The plan of this rank.
  group::ProgramPlan plan_;
  std::optional<io::TextFile> profile_, chart_;
};

/// Returns the plan of the undivided pipeline without steps and with the memory that the tasks need. Texts
/// and files describe the run by this plan.
Plan described_plan(Plan whole, const group::ProgramPlan& plan) {
  whole.root = {};
  whole.array_bytes = plan.peak_bytes();
  whole.message_bytes = whole.scratch_bytes = whole.partial_bytes = whole.library_bytes = 0;
  return whole;
}

/// The run of one image.
class ImageOnGroups : TasksRun {
 public:
  ImageOnGroups(RunSetup& setup, const RunPlans& whole, const ProgramPlans& programs)
      : TasksRun(setup, programs),
        described_(described_plan(whole.mine(), plan_)),
        loops_(*setup.pipeline, progress_, setup.session.rank()),
        files_(setup, loops_, whole.mine()),
        numbers_(*setup.pipeline, setup.numbers) {
    create_files(joined(setup.read_files(), written()));
  }

  ExitStatus run() {
    start_kokkos();
    progress_.line(description().start_text(setup_.options.verbose));
    const Transport transport = begin_to_allocate();
    Bindings bindings;
    setup_.inputs.open(bindings);
    if (profile_)
      setup_.session.guard(setup_.application.program, [&] { write_profile(bindings, transport); });
    group::ProgramInstance instance(programs_.program(), plan_, communicator_, transport);
    phases_.begin(Phase::open);
    const ProgramParts parts(communicator_, programs_, plan_);
    Recorder recorder(communicator_, files_.records.recorder_options(), phases_);
    files_.outputs.listen(bindings, nullptr, [&] { return description().attributes(recorder); });
    numbers_.listen(bindings);
    const group::StreamOutcome outcome =
        run_tasks(parts, recorder, [&](const group::PartObserver& begins, bool begins_together) {
          return instance.run({bindings.sources, bindings.sinks, begins, begins_together});
        });
    if (!numbers_.empty()) progress_.line(numbers_.text());
    Report report;
    if (files_.records.wants_report()) {
      description().add_section(report);
      numbers_.add(report);
    }
    tell_times({communicator_, programs_, plan_, outcome}, parts, recorder, report, files_.records, &loops_);
    for (const std::string& path : written()) progress_.line(fmt::format("wrote {}", path));
    return numbers_.judged(setup_.session, setup_.application, setup_.deck);
  }

 private:
  std::vector<std::string> written() const { return joined(files_.outputs.paths(), files_.records.paths()); }

  RunDescription description() const { return {setup_, described_, setup_.deck}; }

  void write_profile(const Bindings& bindings, const Transport& transport) {
    MeasuredTasks measured;
    measured.processor = cost::own_processor();
    measured.threads = programs_.target().threads;
    const group::Program undivided = undivided_program(setup_);
    for (const group::Program* program : {&programs_.program(), &undivided}) {
      const auto times = group::profile(communicator_, *program, programs_.target(), {bindings.sources, {}},
                                        profile_runs, transport);
      for (const group::TaskId task : times.ids()) measured.tasks[program->task(task).name] = times[task];
    }
    profile_->write(measured_text(measured));
    progress_.line(fmt::format("wrote {}", setup_.deck.text_of("program.profile")));
  }

  Plan described_;
  LoopRecorder loops_;
  WrittenFiles files_;
  ReportedNumbers numbers_;
};

/// The run of a series.
class SeriesOnGroups : TasksRun {
 public:
  /// `deck` is the deck of the series; the deck of `setup` names the files of the first image instead.
  SeriesOnGroups(RunSetup& setup, const deck::Deck& deck, const RunPlans& whole, const ProgramPlans& programs,
                 StreamItems& items)
      : TasksRun(setup, programs),
        deck_(deck),
        items_(items),
        records_(communicator_, setup.options, "", taken()),
        attributes_(
            result_attributes(setup.application, deck, *setup.pipeline, setup.result_name, whole.mine())) {
    create_files(joined(taken(), records_.paths()));
    items.begin(false);
  }

  ExitStatus run() {
    start_kokkos();
    items_.say_start(progress_, fmt::format("{} x {}", counted(setup_.session.rank_count(), "rank"),
                                            counted(programs_.target().threads, "thread")));
    for (const std::string& remark : setup_.pipeline->remarks()) progress_.line(remark);
    group::ProgramInstance stream(programs_.program(), plan_, communicator_, begin_to_allocate());
    const ProgramParts parts(communicator_, programs_, plan_);
    // Nothing waits for kernels between two parts, as tasks of several images are under way.
    Recorder recorder(communicator_, {.events = records_.wants_trace()}, phases_);
    const group::StreamOutcome outcome =
        run_tasks(parts, recorder, [&](const group::PartObserver& begins, bool) {
          // A thread of its own accepts signals: an image may take longer than the time after which a signal
          // that is not accepted ends the process.
          const std::jthread watcher([this](const std::stop_token& ended) { signals_.accept_next(ended); });
          return stream.run(items_.no_item(), bindings(begins));
        });
    const TaskTimes times(communicator_, programs_, plan_, outcome);
    const std::vector<ImageLine> failed = failures(outcome);
    throw_first(failed);
    items_.end(outcome.is_stopped);
    const SeriesOutcome done{.written = times.written(), .seconds = times.seconds(), .left_out = failed};
    Report report;
    add_run(report, setup_.session, setup_.application.program, programs_.target().threads, deck_);
    done.add(report);
    tell_times(times, parts, recorder, report, records_);
    return tell_outcome(setup_.session, setup_.application.program, progress_, done, outcome.is_stopped,
                        items_.count());
  }

 private:
  std::vector<std::string> taken() const { return joined(setup_.read_files(), items_.files()); }

  group::StreamBindings bindings(const group::PartObserver& begins) {
    group::StreamBindings bindings;
    bindings.skips_failures = items_.skips();
    bindings.begins = begins;
    bindings.source = [this](std::int64_t item, const std::string& input) {
      return items_.open(setup_, item, input);
    };
    bindings.sink = [this](std::int64_t item, const std::string& output,
                           MPI_Comm group) -> std::unique_ptr<BlockSink> {
      if (output != setup_.result_name) return nullptr;
      return items_.create_result(group, item, *setup_.result(), attributes_);
    };
    // Rank 0 shows how far its own tasks are, as it need not be a rank that writes.
    bindings.ended = [this, began = std::chrono::steady_clock::now()](std::int64_t item) {
      if (items_.count() >= 0 && item >= items_.count()) return;
      progress_.turn([&] { return rate_text(item + 1, items_.count(), seconds_since(began)); });
    };
    bindings.is_stopped = [this] { return signals_.received() != 0 || !items_.video_error().empty(); };
    return bindings;
  }

  /// Returns lines about all images that have failed, on rank 0.
  std::vector<ImageLine> failures(const group::StreamOutcome& outcome) const {
    std::vector<ImageLine> mine;
    for (const group::FailedItem& failed : outcome.failed)
      if (!items_.is_beyond_end(failed.item))
        mine.push_back({failed.item, items_.line_about(failed.item, failed.reason)});
    std::vector<ImageLine> lines = items_.left_out();
    for (const ImageLine& line : gather_lines(communicator_, mine)) {
      const std::int64_t number = items_.number_of(line.index);
      // Several ranks may have failed to read one file.
      if (lines.empty() || lines.back().index != number) lines.push_back({number, line.text});
    }
    std::ranges::stable_sort(lines, {}, &ImageLine::index);
    return lines;
  }

  /// Throws InputError on all ranks about the video of the results, or about the first image that has failed,
  /// if the series ends with it.
  void throw_first(const std::vector<ImageLine>& failures) const {
    collectively(communicator_, [&] {
      if (const std::string error = items_.video_error(); !error.empty()) throw InputError(error);
      if (!items_.skips() && !failures.empty()) throw InputError(failures.front().text);
    });
  }

  const deck::Deck& deck_;
  StreamItems& items_;
  Records records_;
  std::vector<io::FileAttribute> attributes_;
  StopSignals signals_;
};

/// Prints why a series is not divided. Returns the exit status if the program does no more than that.
/// Collective. Throws InputError for files that describe groups, because there are no groups.
std::optional<ExitStatus> tell_of_whole(const RunSetup& setup, const ProgramPlans& programs) {
  const Options& options = setup.options;
  collectively(setup.session.communicator(), [&] {
    const char* const advice = "the series is not divided: write program.allocation=mixed, or leave it out";
    if (!options.save_plan.empty()) throw InputError(fmt::format("command line: --save-plan: {}", advice));
    if (setup.deck.is_set("program.chart")) setup.deck.fail("program.chart", advice);
    if (options.estimate) check_program_keys(setup.application, setup.deck, options);
  });
  for (const std::string& line : programs.remarks())
    if (!options.dot && (!options.quiet || options.estimate)) setup.session.print(line + "\n");
  // The remarks have the estimate, and a series that is not divided has no further one.
  return options.estimate && !options.explain ? std::optional(ExitStatus::done) : std::nullopt;
}

}  // namespace

std::optional<ExitStatus> run_program_of_tasks(RunSetup& setup) {
  // The tasks may fit into memory where the undivided pipeline does not.
  const RunPlans whole(setup, false);
  const ProgramPlans programs(setup, whole, false);
  if (programs.is_whole() && !setup.deck.is_set("program.profile")) {
    // The start of the run, its report and --explain show remarks.
    for (const std::string& line : programs.remarks()) setup.pipeline->remark(line);
    return std::nullopt;
  }
  collectively(setup.session.communicator(),
               [&] { check_program_keys(setup.application, setup.deck, setup.options); });
  if (setup.options.only_plans()) {
    show_program(setup, programs);
    return ExitStatus::done;
  }
  setup.phases.begin(Phase::open);
  return ImageOnGroups(setup, whole, programs).run();
}

std::optional<ExitStatus> run_stream_of_tasks(const PipelineJob& job) {
  job.phases.begin(Phase::open);
  collectively(job.session.communicator(), [&] {
    check_series_keys(job.application, job.deck, job.options);
    check_stream_keys(job.application, job.deck);
  });
  StreamItems items(job.session, job.application, job.deck);
  const deck::Deck deck_of_first = items.deck_of_first();
  RunSetup setup(job, deck_of_first, items.frame());
  job.phases.begin(Phase::plan);
  const RunPlans whole(setup, false);
  const ProgramPlans programs(setup, whole, true);
  if (programs.is_whole()) return tell_of_whole(setup, programs);
  job.phases.begin(Phase::open);
  collectively(job.session.communicator(),
               [&] { check_program_keys(job.application, job.deck, job.options); });
  items.check();
  if (job.options.only_plans()) {
    show_program(setup, programs, job.options.check ? items.checked_text() : "");
    return ExitStatus::done;
  }
  return SeriesOnGroups(setup, job.deck, whole, programs, items).run();
}

}  // namespace tessera::app
