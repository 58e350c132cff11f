// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/program_parts.hpp"
#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/program_report.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/stream_items.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Executes a series on groups of ranks.
class StreamExecution {
 public:
  /// `deck` is the deck of the series; that of `setup` has the files of the first image in their place.
  StreamExecution(RunSetup& setup, const deck::Deck& deck, const RunPlans& whole,
                  const ProgramPlans& programs, StreamItems& items)
      : setup_(setup),
        deck_(deck),
        programs_(programs),
        items_(items),
        progress_(setup.session.rank(), setup.options.quiet),
        records_(setup.session.communicator(), setup.options, "", taken()),
        attributes_(
            result_attributes(setup.application, deck, *setup.pipeline, setup.result_name, whole.mine())) {
    const std::string chart = setup.deck.text_of("program.chart");
    const std::string report = setup.options.report == "-" ? "" : setup.options.report;
    check_names(taken(), {{"program.chart", chart},
                          {"command line: --report", report},
                          {"command line: --trace", setup.options.trace}});
    if (!chart.empty()) chart_.emplace(setup.session.communicator(), chart);
    collectively(setup.session.communicator(), [&] {
      if (setup.session.rank() != 0) return;
      for (const SeriesItem& item : items.all()) make_folder_of(setup.deck, "output.files", item.output);
      items.begin();
    });
  }

  ExitStatus run(RunPhases& phases) {
    const MPI_Comm communicator = setup_.session.communicator();
    phases.begin(Phase::start);
    setup_.session.start_kokkos(programs_.target().threads);
    progress_.line(fmt::format("{} on {} images, {} x {}", setup_.application.program, items_.count(),
                               counted(setup_.session.rank_count(), "rank"),
                               counted(programs_.target().threads, "thread")));
    if (const std::string remark = items_.remark(); !remark.empty()) progress_.line(remark);
    for (const std::string& line : programs_.remarks()) progress_.line(line);
    for (const std::string& remark : setup_.pipeline->remarks()) progress_.line(remark);
    phases.begin(Phase::allocate);
    const Transport transport = chosen_transport(setup_.session, setup_.deck).transport;
    group::ProgramPlan plan;
    collectively(communicator, [&] { plan = programs_.planner().plan(setup_.session.rank()); });
    group::ProgramStream stream(programs_.program(), std::move(plan), communicator, transport);
    const ProgramParts parts(communicator, programs_, stream.plan());
    // Nothing waits for kernels between two parts, as tasks of several images are under way.
    Recorder recorder(communicator, 0, {.events = records_.wants_trace()}, phases);
    const group::StreamOutcome outcome = run_items(stream, parts, recorder);
    recorder.end();
    phases.begin(Phase::finish);
    const TaskTimes times(communicator, programs_, stream.plan(), outcome);
    const std::vector<ImageLine> failed = failures(outcome);
    throw_first(failed);
    phases.end();
    recorder.add(phases.spans().back());
    write_records(times, failed, parts, recorder);
    return tell(times, failed, outcome.is_stopped);
  }

 private:
  /// The paths of all files that are read, and of all results.
  std::vector<std::string> taken() const { return joined(setup_.read_files(), files_of(items_.all())); }

  bool skips() const { return setup_.deck.text_of("on_error") == "skip"; }

  group::StreamOutcome run_items(group::ProgramStream& stream, const ProgramParts& parts,
                                 Recorder& recorder) {
    PartsWatchdog watchdog(setup_, parts);
    if (const std::string remark = watchdog.remark(); !remark.empty()) progress_.line(remark);
    const auto began = std::chrono::steady_clock::now();
    group::StreamBindings bindings;
    bindings.skips_failures = skips();
    int last_part = -1;
    std::int64_t last_item = -1;
    bindings.begins = [&](const group::StepPart& part) {
      watchdog.begin(part);
      // The nodes of the plan of a task belong together.
      const int number = parts.number_of_kind(part);
      if (!records_.wants_trace() || (number == last_part && part.item == last_item)) return;
      recorder.begin(last_part = number, last_item = part.item);
    };
    bindings.source = [this](std::int64_t item, const std::string& input) {
      return items_.open(setup_, item, input);
    };
    bindings.sink = [this](std::int64_t item, const std::string& output,
                           MPI_Comm group) -> std::unique_ptr<BlockSink> {
      if (output != setup_.result_name) return nullptr;
      return items_.create(group, item, *setup_.result(), attributes_);
    };
    // Rank 0 shows how far its own tasks are, as it need not be a rank that writes.
    bindings.ended = [&](std::int64_t item) {
      progress_.turn([&] {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
        return rate_text(item + 1, items_.count(), seconds.count());
      });
    };
    bindings.is_stopped = [this] { return signals_.received() != 0; };
    // An image may take longer than a process may go on after a signal that it has not accepted.
    const std::jthread watcher([this](const std::stop_token& ended) { signals_.accept_next(ended); });
    try {
      return stream.run(items_.count(), bindings);
    } catch (const std::exception& error) {
      // Ranks that do not know of the error wait for this one.
      setup_.session.abort(setup_.application.program, error);
      throw;
    }
  }

  /// Returns lines about all images that have failed, on rank 0.
  std::vector<ImageLine> failures(const group::StreamOutcome& outcome) const {
    std::vector<ImageLine> mine;
    for (const group::FailedItem& failed : outcome.failed)
      mine.push_back({failed.item, line_about(items_.file_of(failed.item), failed.reason)});
    std::vector<ImageLine> lines = items_.left_out();
    for (const ImageLine& line : gather_lines(setup_.session.communicator(), mine)) {
      const std::int64_t number = items_.number_of(line.index);
      // Several ranks may have failed to read one file.
      if (lines.empty() || lines.back().index != number) lines.push_back({number, line.text});
    }
    std::ranges::stable_sort(lines, {}, &ImageLine::index);
    return lines;
  }

  /// Throws InputError about the first image that has failed, on all ranks, if the series ends with it.
  void throw_first(const std::vector<ImageLine>& failures) const {
    if (skips()) return;
    collectively(setup_.session.communicator(), [&] {
      if (!failures.empty()) throw InputError(failures.front().text);
    });
  }

  static SeriesOutcome outcome_of(const TaskTimes& times, const std::vector<ImageLine>& failed) {
    return {.written = times.written(), .seconds = times.seconds(), .left_out = texts_of(failed)};
  }

  ExitStatus tell(const TaskTimes& times, const std::vector<ImageLine>& failed, bool is_stopped) {
    if (setup_.session.rank() == 0 && !is_stopped) items_.forget_whole();
    progress_.line(times.text());
    if (chart_) chart_->write(times.chart());
    return tell_outcome(setup_.session, setup_.application.program, progress_, outcome_of(times, failed),
                        is_stopped, items_.count());
  }

  void write_records(const TaskTimes& times, const std::vector<ImageLine>& failed, const ProgramParts& parts,
                     const Recorder& recorder) {
    Report full;
    add_run(full, setup_.session, setup_.application.program, programs_.target().threads, deck_);
    if (setup_.session.rank() == 0) {
      outcome_of(times, failed).add(full);
      times.add(full);
    }
    add_parts(full, setup_.session.communicator(), {}, recorder);
    records_.write(
        full, [&parts](const auto& events) { return trace_text(parts.names(), events); }, recorder);
  }

  RunSetup& setup_;
  const deck::Deck& deck_;
  const ProgramPlans& programs_;
  StreamItems& items_;
  Progress progress_;
  Records records_;
  std::vector<io::FileAttribute> attributes_;
  StopSignals signals_;
  std::optional<io::TextFile> chart_;
};

/// Prints why a series is not divided. Returns how the program ends if it does no more than that. Collective.
/// Throws InputError for files that describe groups, of which there are none.
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

std::optional<ExitStatus> run_stream_of_tasks(Session& session, const PipelineApplication& application,
                                              const ProgramBuild& build, const Options& options,
                                              const deck::Deck& deck,
                                              const std::vector<std::string>& deck_files, RunPhases& phases) {
  phases.begin(Phase::open);
  collectively(session.communicator(), [&] {
    check_series_keys(application, deck, options);
    check_stream_keys(application, deck);
  });
  StreamItems items(session.communicator(), application, deck);
  const deck::Deck deck_of_first = items.deck_of_first();
  RunSetup setup(session, application, build, options, deck_of_first, deck_files);
  phases.begin(Phase::plan);
  const RunPlans whole(setup, false);
  const ProgramPlans programs(setup, whole, stream_window(deck));
  if (programs.is_whole()) return tell_of_whole(setup, programs);
  phases.begin(Phase::open);
  collectively(session.communicator(), [&] { check_program_keys(application, deck, options); });
  items.check(setup);
  if (options.only_plans()) {
    std::string more;
    if (options.check)
      more = checked_text(items.left_out(), items.count(), items.all().front().output,
                          items.all().back().output);
    show_program(setup, programs, more);
    return ExitStatus::done;
  }
  return StreamExecution(setup, deck, whole, programs, items).run(phases);
}

}  // namespace tessera::app
