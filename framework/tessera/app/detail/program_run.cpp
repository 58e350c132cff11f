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

  /// Prints how the tasks were allocated, and begins to allocate memory. Returns the way in which messages
  /// are sent.
  Transport begin_to_allocate() {
    for (const std::string& line : programs_.remarks()) progress_.line(line);
    phases_.begin(Phase::allocate);
    return chosen_transport(setup_.session, setup_.deck).transport;
  }

  /// Returns what `act` returns (see Session::guard). Errors of images do not leave a stream, and a rank
  /// alone throws all others.
  template <class Act>
  auto guarded(const Act& act) {
    return setup_.session.guard(setup_.application.program, act, programs_.is_stream());
  }

  /// Calls `work` with an observer that records the parts, and with whether there is a watchdog.
  template <class Work>
  group::StreamOutcome run_tasks(const ProgramParts& parts, Recorder& recorder, const Work& work) {
    PartsWatchdog watchdog(setup_, parts, progress_);
    const group::PartObserver begins = [&](const group::StepPart& part) {
      recorder.begin(parts.number_of(part), programs_.is_stream() ? part.item : -1);
      watchdog.begin(part);
    };
    group::StreamOutcome outcome = guarded([&] { return work(begins, watchdog.watches()); });
    recorder.end();
    phases_.begin(Phase::finish);
    return outcome;
  }

  /// Prints the times of the tasks, adds them to the report, and writes the records and the chart.
  void tell_times(const TaskTimes& times, const ProgramParts& parts, Recorder& recorder, Report& report,
                  Records& records, const LoopRecorder* loops = nullptr) {
    recorder.end(phases_);
    progress_.line(times.text());
    if (records.wants_report()) {
      times.add(report);
      add_parts(report, communicator_, parts.names(), recorder);
    }
    records.write(
        report, [&](const auto& events) { return parts.trace_text(events); }, recorder, loops);
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

/// Returns the plan of the undivided pipeline without steps and with the memory that tasks need, which
/// describes these in texts and files.
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
    if (profile_) guarded([&] { write_profile(bindings, transport); });
    group::ProgramInstance instance(programs_.program(), plan_, communicator_, transport);
    phases_.begin(Phase::open);
    const ProgramParts parts(communicator_, programs_, plan_);
    StepRecorder recorder(communicator_, described_, files_.records.recorder_options(), phases_);
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
    return judged();
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

  ExitStatus judged() const {
    const std::string line = numbers_.judged(communicator_, setup_.application, setup_.deck);
    if (!line.empty() && setup_.session.rank() == 0)
      fmt::print(stderr, "{}: {}\n", setup_.application.program, line);
    return line.empty() ? ExitStatus::done : ExitStatus::beyond_tolerance;
  }

  Plan described_;
  LoopRecorder loops_;
  WrittenFiles files_;
  ReportedNumbers numbers_;
};

/// The run of a series.
class SeriesOnGroups : TasksRun {
 public:
  /// `deck` is the deck of the series; that of `setup` has the files of the first image in their place.
  SeriesOnGroups(RunSetup& setup, const deck::Deck& deck, const RunPlans& whole, const ProgramPlans& programs,
                 StreamItems& items)
      : TasksRun(setup, programs),
        deck_(deck),
        items_(items),
        records_(communicator_, setup.options, "", taken()),
        attributes_(
            result_attributes(setup.application, deck, *setup.pipeline, setup.result_name, whole.mine())) {
    create_files(joined(taken(), records_.paths()));
    items.all().begin(false);
  }

  ExitStatus run() {
    start_kokkos();
    progress_.line(fmt::format("{} on {} images, {} x {}", setup_.application.program,
                               items_.all().count_text(), counted(setup_.session.rank_count(), "rank"),
                               counted(programs_.target().threads, "thread")));
    if (const std::string remark = items_.all().remark(); !remark.empty()) progress_.line(remark);
    for (const std::string& remark : setup_.pipeline->remarks()) progress_.line(remark);
    group::ProgramInstance stream(programs_.program(), plan_, communicator_, begin_to_allocate());
    const ProgramParts parts(communicator_, programs_, plan_);
    // Nothing waits for kernels between two parts, as tasks of several images are under way.
    Recorder recorder(communicator_, 0, {.events = records_.wants_trace()}, phases_);
    const group::StreamOutcome outcome =
        run_tasks(parts, recorder, [&](const group::PartObserver& begins, bool) {
          // An image may take longer than a process may go on after a signal that it has not accepted.
          const std::jthread watcher([this](const std::stop_token& ended) { signals_.accept_next(ended); });
          return stream.run(items_.end(), bindings(begins));
        });
    const TaskTimes times(communicator_, programs_, plan_, outcome);
    const std::vector<ImageLine> failed = failures(outcome);
    throw_first(failed);
    items_.all().end(outcome.is_stopped);
    const SeriesOutcome done{.written = times.written(), .seconds = times.seconds(), .left_out = failed};
    Report report;
    add_run(report, setup_.session, setup_.application.program, programs_.target().threads, deck_);
    done.add(report);
    tell_times(times, parts, recorder, report, records_);
    return tell_outcome(setup_.session, setup_.application.program, progress_, done, outcome.is_stopped,
                        items_.count());
  }

 private:
  std::vector<std::string> taken() const { return joined(setup_.read_files(), items_.all().files()); }

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
      return items_.create(group, item, *setup_.result(), attributes_);
    };
    // Rank 0 shows how far its own tasks are, as it need not be a rank that writes.
    bindings.ended = [this, began = std::chrono::steady_clock::now()](std::int64_t item) {
      if (items_.count() >= 0 && item >= items_.count()) return;
      progress_.turn([&] {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
        return rate_text(item + 1, items_.count(), seconds.count());
      });
    };
    bindings.is_stopped = [this] { return signals_.received() != 0 || !items_.all().video_error().empty(); };
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
      if (const std::string error = items_.all().video_error(); !error.empty()) throw InputError(error);
      if (!items_.skips() && !failures.empty()) throw InputError(failures.front().text);
    });
  }

  const deck::Deck& deck_;
  StreamItems& items_;
  Records records_;
  std::vector<io::FileAttribute> attributes_;
  StopSignals signals_;
};

/// Prints why a series is not divided. Returns how the program ends if it does no more than that. Collective.
/// Throws InputError for files that describe groups, because there are no groups.
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
  RunSetup setup(job, deck_of_first, items.all().frame());
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
