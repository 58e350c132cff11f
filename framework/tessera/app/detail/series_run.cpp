// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "tessera/app/detail/common_items.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/explain.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Counts the images that are written, and shows it. Keeps those with a loop that has not converged, and the
/// remarks of their pipelines. Several threads may use it at the same time.
class SeriesProgress {
 public:
  SeriesProgress(Progress& progress, std::int64_t count) : progress_(progress), count_(count) {}

  void add(const SeriesImage& image) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (!image.unfinished.empty()) not_converged_.push_back({image.index, image.unfinished});
    for (const PlannedPart& part : image.plan->parts)
      for (const std::string& remark : part.pipeline->algorithm.remarks()) add_remark({image.index, remark});
    progress_.turn([this] {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
      return rate_text(done_, count_, seconds.count());
    });
  }

  /// Returns the images with a loop that has not converged, and lines about the loops. No thread may add
  /// images meanwhile.
  const std::vector<ImageLine>& not_converged() const { return not_converged_; }
  /// Returns each remark of the pipelines once, with the first image whose pipeline has it. No thread may add
  /// images meanwhile.
  const std::vector<ImageLine>& remarks() const { return remarks_; }

 private:
  void add_remark(const ImageLine& line) {
    const auto known = std::ranges::find(remarks_, line.text, &ImageLine::text);
    if (known == remarks_.end())
      remarks_.push_back(line);
    else
      known->index = std::min(known->index, line.index);
  }

  Progress& progress_;
  std::int64_t count_;
  std::mutex mutex_;
  std::vector<ImageLine> not_converged_;
  std::vector<ImageLine> remarks_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Returns each line once, where it comes first.
std::vector<std::string> without_copies(const std::vector<std::string>& lines) {
  std::vector<std::string> once;
  for (const std::string& line : lines)
    if (std::ranges::find(once, line) == once.end()) once.push_back(line);
  return once;
}

/// Returns the number of items that a task has taken on all ranks without leaving them out. Collective.
std::int64_t taken_by(const std::string& name, MPI_Comm communicator, const graph::Report& report) {
  const auto task = std::ranges::find(report.tasks, name, &graph::TaskReport::name);
  std::int64_t count = task->calls - std::ranges::count(report.skipped, name, &graph::SkippedItem::task);
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, communicator);
  return count;
}

/// A run on a series.
class SeriesRun {
 public:
  SeriesRun(Session& session, const PipelineApplication& application, const Options& options,
            const deck::Deck& deck, int threads)
      : options_(options),
        progress_(session.rank(), options.quiet),
        silence_(session.rank(), true),
        shared_(session, application, deck),
        images_(application, deck, shared_, threads),
        context_{session,
                 application,
                 deck,
                 threads,
                 deck.is_set("graph.window") ? deck.get<std::int64_t>("graph.window") : 2 * threads,
                 memory_limit(deck),
                 0,
                 images_,
                 shared_,
                 signals_,
                 silence_,
                 [this](const SeriesImage& image) { done_->add(image); }},
        series_(is_video(deck) ? video_series(context_) : file_series(context_)),
        graph_(task_name(application)) {
    limit_memory();
    const std::int64_t ranks = is_video(deck) ? 1 : session.rank_count();
    done_ = std::make_unique<SeriesProgress>(progress_, (series_->count() + ranks - 1) / ranks);
    series_->add_tasks(graph_);
    std::vector<std::string> tasks{"read", "write"};
    for (const PipelinePart& part : parts_of(application)) tasks.push_back(part.task);
    graph::Settings settings = graph_settings(deck, tasks, {"images"});
    settings.window = context_.window;
    // Each thread that has computed an image keeps memory for the next one.
    if (context_.memory > 0 && context_.window < threads)
      for (const PipelinePart& part : parts_of(application))
        if (auto& workers = settings.tasks[part.task].workers; !workers || *workers > context_.window)
          workers = static_cast<int>(context_.window);
    for (const std::string& name : input_names(application, deck))
      if (name != "input") settings.tasks[reading_task(name)] = settings.tasks["read"];
    graph_.configure(settings);
    graph_.check({.workers = threads, .memory = context_.memory});
  }

  void check() { context_.session.print(series_->check()); }
  void explain() const {
    context_.session.print(options_.dot ? graph::to_dot(graph_) : graph::to_text(graph_));
  }
  ExitStatus run(RunPhases& phases);

 private:
  /// The paths of all files that are read or written.
  std::vector<std::string> files() const {
    std::vector<std::string> files = series_->files();
    for (const NamedFile& file : shared_.inputs().files()) files.push_back(file.path);
    return files;
  }
  /// Lets so many images be under way as the memory has room for. Looks at all images. Collective. Throws
  /// InputError if one image is too much, or as many as the deck asks for.
  void limit_memory();
  SeriesOutcome outcome(const graph::Report& report) const;

  const Options& options_;
  Progress progress_;
  Progress silence_;
  StopSignals signals_;
  SharedImages shared_;
  SeriesImages images_;
  SeriesContext context_;
  std::unique_ptr<Series> series_;
  std::unique_ptr<SeriesProgress> done_;
  graph::Graph graph_;
};

void SeriesRun::limit_memory() {
  if (context_.memory == 0) return;
  const MPI_Comm communicator = context_.session.communicator();
  series_->check();
  SeriesNeeds needs(context_.application, context_.deck, shared_.bytes());
  for (const auto& plan : images_.plans()) needs.add(*plan);
  needs.broadcast(communicator);
  context_.image_bytes = needs.image_bytes();
  collectively(communicator, [&] {
    context_.window = needs.window_for(context_.memory, context_.window, context_.threads);
  });
}

ExitStatus SeriesRun::run(RunPhases& phases) {
  Session& session = context_.session;
  phases.begin(Phase::start);
  session.start_kokkos(context_.threads);
  phases.begin(Phase::open);
  series_->begin();
  JobRun job(session, context_.application.program, options_, context_.deck, phases, context_.threads,
             files());
  const std::int64_t count = series_->count();
  progress_.line(fmt::format("{} on {} images, {} with {}", context_.application.program,
                             count >= 0 ? std::to_string(count) : "some",
                             counted(session.rank_count(), "rank"), counted(context_.threads, "worker")));
  if (const std::string remark = series_->remark(); !remark.empty()) progress_.line(remark);
  if (context_.memory > 0)
    progress_.line(fmt::format("{} at a time on a rank", counted(context_.window, "image")));
  job.begin_work();
  const graph::Report report = job.run(
      graph_, {.workers = context_.threads, .communicator = session.communicator()}, [this](graph::Run& run) {
        // On some ranks no source asks for signals, and elsewhere none may be called for long.
        const std::jthread watcher([&](const std::stop_token& ended) {
          if (signals_.accept_next(ended)) run.stop();
        });
        run.wait();
      });
  job.end_work();
  series_->end();
  const SeriesOutcome done = outcome(report);
  done.add(job.report());
  job.report().add("series", {{"most_at_a_time", report.most_items}});
  job.write();
  return tell_outcome(session, context_.application.program, progress_, done, signals_.received() != 0,
                      count);
}

/// Returns what has become of the images of all ranks. Collective.
SeriesOutcome SeriesRun::outcome(const graph::Report& report) const {
  const MPI_Comm communicator = context_.session.communicator();
  std::vector<ImageLine> left_out, not_converged;
  for (const graph::SkippedItem& item : report.skipped) {
    const std::int64_t index = series_->index_of(item.item);
    left_out.push_back({index, line_about(series_->file_of(index), item.reason)});
  }
  for (const auto& [index, reason] : done_->not_converged())
    not_converged.push_back({index, fmt::format("{}: {}", series_->file_of(index), reason)});
  return {.written = taken_by("write", communicator, report),
          .seconds = report.seconds,
          .left_out = texts_of(gather_lines(communicator, left_out)),
          .not_converged = texts_of(gather_lines(communicator, not_converged)),
          .remarks = without_copies(texts_of(gather_lines(communicator, done_->remarks())))};
}

/// Estimates the first image of a series as one rank computes it, with one thread.
void estimate_image(Session& session, const PipelineApplication& application, const ProgramBuild& build,
                    const Options& options, const deck::Deck& deck,
                    const std::vector<std::string>& deck_files) {
  const std::unique_ptr<CommonItems> items = common_items(session, application, deck);
  if (!items->next()) throw InputError(fmt::format("{}: there is no image", deck.location("input.files")));
  Options alone = options;
  alone.ranks = 1;
  const RunSetup setup(session, application, build, alone,
                       items->deck().with("threads", std::int64_t{1}, "a thread for each image"), deck_files,
                       items->given());
  estimate_run(setup, RunPlans(setup));
  session.print(fmt::format("this is one of {} images, each of which is computed by one thread of a rank\n",
                            items->count() >= 0 ? std::to_string(items->count()) : "some"));
}

}  // namespace

ExitStatus run_series(Session& session, const PipelineApplication& application, const ProgramBuild& build,
                      const Options& options, const deck::Deck& deck,
                      const std::vector<std::string>& deck_files, RunPhases& phases) {
  phases.begin(Phase::open);
  collectively(session.communicator(), [&] { check_series_keys(application, deck, options); });
  if (options.estimate) {
    estimate_image(session, application, build, options, deck, deck_files);
    return ExitStatus::done;
  }
  const int threads = threads_of(session, deck);
  SeriesRun run(session, application, options, deck, threads);
  if (options.check) {
    run.check();
    return ExitStatus::done;
  }
  if (options.explain) {
    run.explain();
    return ExitStatus::done;
  }
  return run.run(phases);
}

}  // namespace tessera::app
