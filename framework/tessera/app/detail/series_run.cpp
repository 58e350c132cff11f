// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_report.hpp"
#include "tessera/app/detail/stop_signals.hpp"
#include "tessera/graph/explain.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns the settings of the graph that the deck gives.
graph::Settings graph_settings(const deck::Deck& deck, const std::vector<std::string>& tasks) {
  graph::Settings settings;
  const auto number = [&](const std::string& key) {
    return deck.is_set(key) ? static_cast<int>(deck.get<std::int64_t>(key)) : 0;
  };
  settings.window = number("graph.window");
  for (const std::string& task : tasks) {
    graph::TaskSettings& chosen = settings.tasks[task];
    if (const int workers = number(fmt::format("graph.{}.workers", task)); workers > 0)
      chosen.workers = workers;
    const std::string on = deck.text_of(fmt::format("graph.{}.on", task));
    if (on == "threads") chosen.on = graph::Place::threads();
    if (on == "io") chosen.on = graph::Place::io();
    if (on == "kernels") chosen.on = graph::Place::kernels();
  }
  if (const int count = number("graph.images.count"); count > 0) settings.pools["images"] = count;
  return settings;
}

/// Counts the images that are written, and shows it. Several threads may use it at the same time.
class SeriesProgress {
 public:
  SeriesProgress(Progress& progress, std::int64_t count) : progress_(progress), count_(count) {}

  void add() {
    const std::lock_guard lock(mutex_);
    ++done_;
    progress_.turn([this] {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
      const double rate = static_cast<double>(done_) / seconds;
      if (count_ <= 0) return fmt::format("{} images, {:.1f} per second", done_, rate);
      return fmt::format("{} of {} images, {:.1f} per second, {:.0f} s left", done_, count_, rate,
                         static_cast<double>(count_ - done_) / rate);
    });
  }

 private:
  Progress& progress_;
  std::int64_t count_;
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// A run on a series of files.
class SeriesRun {
 public:
  SeriesRun(Session& session, const PipelineApplication& application, const Options& options,
            const deck::Deck& deck, std::vector<SeriesItem> items, int threads)
      : session_(session),
        application_(application),
        options_(options),
        deck_(deck),
        items_(std::move(items)),
        name_(task_name(application)),
        computes_by_kernels_(deck.text_of(fmt::format("graph.{}.on", name_)) == "kernels"),
        threads_(threads),
        images_(application, deck, computes_by_kernels_ ? threads : 1),
        progress_(session.rank(), options.quiet),
        done_(progress_, (std::ssize(items_) + session.rank_count() - 1) / session.rank_count()),
        graph_(name_) {
    build();
  }

  void check() const;
  void explain() const { session_.print(options_.dot ? graph::to_dot(graph_) : graph::to_text(graph_)); }
  ExitStatus run(RunPhases& phases);

 private:
  void build();
  void make_folders() const;
  bool skips() const { return deck_.get<std::string>("on_error") == "skip"; }

  Session& session_;
  const PipelineApplication& application_;
  const Options& options_;
  const deck::Deck& deck_;
  std::vector<SeriesItem> items_;
  std::string name_;
  bool computes_by_kernels_;
  int threads_;
  SeriesImages images_;
  Progress progress_;
  SeriesProgress done_;
  StopSignals signals_;
  graph::Graph graph_;
};

/// Adds the tasks. HDF5 and FITS files are read and written on one thread, since their libraries are not made
/// for several.
void SeriesRun::build() {
  using graph::Lease, graph::Image, graph::Place;
  const graph::OnError on_error = skips() ? graph::OnError::skip : graph::OnError::stop;
  const auto needs_one_thread = [](const std::string& path) {
    const auto format = io::image_format(path);
    return format == io::ImageFormat::hdf5 || format == io::ImageFormat::fits;
  };
  const auto is_hdf5 = [](const SeriesItem& item) { return output_key_of(item.output) == "output.file"; };
  const bool reads_on_one = std::ranges::any_of(items_, needs_one_thread, &SeriesItem::input);
  const bool writes_on_one = std::ranges::any_of(items_, is_hdf5);
  const std::int64_t window =
      deck_.is_set("graph.window") ? deck_.get<std::int64_t>("graph.window") : 2 * threads_;
  const graph::Pool<Image> images(graph_, "images", {.count = static_cast<int>(2 * window), .per_item = 2},
                                  [] { return std::make_shared<Image>(); });
  const auto files = graph_.source("list", {.rank = graph::Task::every_rank}, [this](std::int64_t i) {
    const std::int64_t index = i * session_.rank_count() + session_.rank();
    if (signals_.received() != 0) signals_.accept();
    const bool goes_on = index < std::ssize(items_) && signals_.received() == 0;
    return goes_on ? std::optional(index) : std::nullopt;
  });
  const auto read = graph_.task(
      "read", {.on = reads_on_one ? Place::io() : Place::threads(), .on_error = on_error},
      [this](std::int64_t index, Lease<Image> to) {
        images_.read(items_[static_cast<std::size_t>(index)].input, *to);
        return SeriesImage{index, std::move(to)};
      },
      files, images);
  const auto computed = graph_.task(
      name_, {.on_error = on_error},
      [body = graph::PipelineBody(computes_by_kernels_ ? HostMode::kernels : HostMode::calling_thread)](
          const SeriesImage& image, Lease<Image> to) mutable {
        return SeriesImage{image.index, body(image.image, std::move(to))};
      },
      read, images);
  graph_.sink(
      "write",
      {.on = writes_on_one ? Place::io() : Place::threads(), .workers = threads_, .on_error = on_error},
      [this](const SeriesImage& image) {
        images_.write(items_[static_cast<std::size_t>(image.index)].output, *image.image);
        done_.add();
      },
      computed);
  graph::Settings settings = graph_settings(deck_, {"read", name_, "write"});
  settings.window = window;
  graph_.configure(settings);
  graph_.check({.workers = threads_});
}

/// Looks at all files, and plans for all shapes. Throws InputError about the first bad one, unless bad ones
/// are left out.
void SeriesRun::check() const {
  std::int64_t bad = 0;
  std::string lines;
  SeriesImages images(application_, deck_, threads_);
  collectively(session_.communicator(), [&] {
    if (session_.rank() != 0) return;
    for (const SeriesItem& item : items_) {
      try {
        images.plan_for(item.input, images.inspect(item.input));
      } catch (const InputError& error) {
        if (!skips()) throw;
        ++bad;
        lines += fmt::format("would leave out {}: {}\n", item.input, error.what());
      }
    }
  });
  session_.print(fmt::format("{}{} images can be read, and would become {}{}", lines,
                             std::ssize(items_) - bad, items_.front().output,
                             items_.size() > 1 ? fmt::format(" to {}", items_.back().output) : ""));
}

/// Makes the folders of the results.
void SeriesRun::make_folders() const {
  collectively(session_.communicator(), [&] {
    if (session_.rank() != 0) return;
    for (const SeriesItem& item : items_) {
      const std::filesystem::path folder = std::filesystem::path(item.output).parent_path();
      std::error_code error;
      if (!folder.empty()) std::filesystem::create_directories(folder, error);
      if (error)
        deck_.fail("output.files",
                   fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    }
  });
}

ExitStatus SeriesRun::run(RunPhases& phases) {
  phases.begin(Phase::start);
  session_.start_kokkos(threads_);
  make_folders();
  SeriesReport report(session_, options_, application_, deck_);
  progress_.line(fmt::format("{} on {} images, {} rank{} with {} worker{}", application_.program,
                             items_.size(), session_.rank_count(), session_.rank_count() == 1 ? "" : "s",
                             threads_, threads_ == 1 ? "" : "s"));
  phases.begin(Phase::allocate);
  graph::Run run = graph_.run({.workers = threads_,
                               .communicator = session_.communicator(),
                               .timed = report.is_wanted(),
                               .traced = report.wants_trace()});
  run.wait();
  phases.begin(Phase::finish);
  const SeriesOutcome outcome = report.write(run.report(), [this](std::int64_t ordinal) {
    return items_[static_cast<std::size_t>(ordinal * session_.rank_count() + session_.rank())].input;
  });
  int found[2] = {signals_.received() != 0 ? 1 : 0, outcome.left_out.empty() ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_MAX, session_.communicator());
  const bool is_stopped = found[0] != 0, has_left_out = found[1] != 0;
  progress_.line(fmt::format("wrote {} images in {:.2f} s, {:.1f} per second", outcome.written,
                             outcome.seconds, static_cast<double>(outcome.written) / outcome.seconds));
  if (session_.rank() == 0)
    for (const std::string& line : outcome.left_out)
      fmt::print(stderr, "{}: left out {}\n", application_.program, line);
  if (is_stopped && session_.rank() == 0)
    fmt::print(stderr, "{}: a signal has ended the series after {} of {} images\n", application_.program,
               outcome.written, items_.size());
  return is_stopped ? ExitStatus::stopped : has_left_out ? ExitStatus::bad_input : ExitStatus::done;
}

}  // namespace

ExitStatus run_series(Session& session, const PipelineApplication& application, const ProgramBuild&,
                      const Options& options, const deck::Deck& deck, RunPhases& phases) {
  phases.begin(Phase::open);
  std::vector<SeriesItem> items;
  collectively(session.communicator(), [&] {
    check_series_keys(deck, options);
    if (session.rank() == 0) items = series_items(deck);
  });
  items = broadcast(session.communicator(), items);
  const int threads =
      session.threads(deck.is_set("threads") ? static_cast<int>(deck.get<std::int64_t>("threads")) : 0);
  SeriesRun run(session, application, options, deck, std::move(items), threads);
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
