// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_run.hpp"

#include <fmt/format.h>

#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

SharedImages::SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck)
    : inputs_(session.communicator(), application, deck) {
  Bindings files;
  inputs_.open(files);
  collectively(session.communicator(), [&] {
    for (const auto& file : files.sources) {
      const io::ImageInfo& info = *inputs_.image(file.first);
      images_.emplace(file.first, std::make_unique<Points>(info.type, info.domain));
    }
  });
  for (const auto& [name, points] : images_) files.sources.at(name)->read(points->block());
}

std::int64_t SharedImages::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, points] : images_) bytes += points->bytes();
  return bytes;
}

void SharedImages::bind(Bindings& bindings) const {
  for (const auto& [name, points] : images_) bindings.sources.emplace(name, points.get());
}

SeriesRun::SeriesRun(const PipelineJob& job, int threads)
    : job_(job),
      threads_(threads),
      window_(job.deck.is_set("graph.window") ? job.deck.get<std::int64_t>("graph.window") : 2 * threads),
      progress_(job.session.rank(), job.options.quiet),
      silence_(job.session.rank(), true),
      shared_(job.session, job.application, job.deck),
      items_(
          job.session, job.application, job.deck,
          [&](const io::ImageInfo& info) { plan_for(job.deck.text_of(series_input_key(job.deck)), info); }),
      done_(progress_, items_.count_of_rank()),
      graph_(task_name(job.application)) {
  if (const GivenImage* const frame = items_.frame())
    collectively(job.session.communicator(), [&] { plan_ = plan_for(frame->path, frame->info); });
  limit_memory();
  add_tasks();
  configure();
}

/// Returns the plan for an image. `path` is named in errors. Throws InputError when the application does not
/// accept the image. Several threads may call it.
std::shared_ptr<const SeriesPlan> SeriesRun::plan_for(const std::string& path, const io::ImageInfo& info) {
  return plans_.get(info.domain, info.type, [&] {
    SeriesPlan plan = plan_series(job_.application, job_.deck.with(job_.application.input_key, path, path),
                                  info, threads_, shared_.inputs().all());
    const graph::PlannedPipeline& last = *plan.parts.back().pipeline;
    plan.attributes = result_attributes(job_.application, job_.deck, last.algorithm, last.output, last.plan);
    return plan;
  });
}

/// Lowers the number of images under way to what the memory has room for. Looks at all images. Collective.
/// Throws InputError if there is no room for one image, or for as many as the deck asks for.
void SeriesRun::limit_memory() {
  const std::int64_t limit = memory_limit(job_.deck);
  if (limit == 0) return;
  const MPI_Comm communicator = job_.session.communicator();
  check();
  collectively(communicator, [&] {
    if (job_.session.rank() != 0) return;
    SeriesNeeds needs(job_.application, job_.deck, job_.session.rank_count(), shared_.bytes());
    for (const auto& plan : plans_.all()) needs.add(*plan);
    image_bytes_ = needs.image_bytes();
    window_ = needs.window_for(limit, window_, threads_);
  });
  MPI_Bcast(&image_bytes_, 1, MPI_INT64_T, 0, communicator);
  MPI_Bcast(&window_, 1, MPI_INT64_T, 0, communicator);
}

std::string SeriesRun::check() {
  if (plan_) {
    const GivenImage& frame = *items_.frame();
    const ArrayDeclaration& result = plan_->result();
    // A result needs as many frames as there are names, and shares all of them except one.
    const std::int64_t frames = items_.count() + std::ssize(items_.names()) - 1;
    return fmt::format("{}: {} of {}{}, which would become {} of {} in {}\n", frame.path,
                       to_string(frame.info.domain), name_of(frame.info.type),
                       items_.count() >= 0 ? fmt::format(", {} frames", frames) : "",
                       to_string(result.domain), name_of(result.type), series_output(job_.deck));
  }
  std::vector<ImageLine> left_out;
  collectively(job_.session.communicator(), [&] {
    if (job_.session.rank() != 0) return;
    left_out = items_.left_out_by([&](std::int64_t index) {
      const SeriesItem item = items_.item(index);
      std::shared_ptr<const SeriesPlan> plan;
      items_.inspect(item, [&](std::size_t place, const std::string& path, const io::ImageInfo& info) {
        if (place == 0) plan = plan_for(path, info);
      });
      items_.expect(item, plan->result());
    });
  });
  return checked_text(left_out, items_.count() - std::ssize(left_out), items_.item(0).output,
                      items_.item(items_.count() - 1).output);
}

/// Creates the files and folders that must exist before the first result. Collective. Throws InputError.
void SeriesRun::begin() {
  if (plan_)
    items_.expect(items_.item(0), plan_->result());
  else if (items_.writes_video())
    check();
  items_.begin();
}

ExitStatus SeriesRun::run() {
  Session& session = job_.session;
  const std::string& program = job_.application.program;
  job_.phases.begin(Phase::start);
  session.start_kokkos(threads_);
  job_.phases.begin(Phase::open);
  begin();
  JobRun job(job_, job_.deck, threads_, items_.files());
  items_.say_start(progress_, fmt::format("{} with {}", counted(session.rank_count(), "rank"),
                                          counted(threads_, "worker")));
  if (image_bytes_ > 0) progress_.line(fmt::format("{} at a time on a rank", counted(window_, "image")));
  job.begin_work();
  const graph::Report report =
      job.run(graph_, {.workers = threads_, .communicator = session.communicator()}, [this](graph::Run& run) {
        // Some ranks have no source that asks for signals, and other sources may not be called for long.
        const std::jthread watcher([&](const std::stop_token& ended) {
          if (signals_.accept_next(ended)) run.stop();
        });
        run.wait();
      });
  job.end_work();
  // A signal has stopped all ranks, or none.
  const bool stopped = on_any_rank(session.communicator(), signals_.received() != 0);
  items_.end(stopped);
  const SeriesOutcome outcome = this->outcome(report);
  outcome.add(job.report());
  job.report().add("series", {{"most_at_a_time", report.most_items}});
  job.write();
  return tell_outcome(session, program, progress_, outcome, stopped, items_.count());
}

/// Returns what has become of the images of all ranks. Collective.
SeriesOutcome SeriesRun::outcome(const graph::Report& report) {
  for (const graph::SkippedItem& item : report.skipped) {
    const std::int64_t index = index_of(item.item);
    done_.left_out({index, line_about(items_.item(index).input, item.reason)});
  }
  SeriesOutcome outcome = done_.outcome(job_.session.communicator());
  outcome.seconds = report.seconds;
  return outcome;
}

namespace {

/// Estimates the first image of a series as one rank computes it, with one thread.
ExitStatus estimate_image(const PipelineJob& job) {
  Options alone = job.options;
  alone.ranks = 1;
  alone.explain = alone.check = false;
  const deck::Deck deck = job.deck.with("threads", std::int64_t{1}, "a thread for each image");
  return run_across_ranks(
      {{job.session, job.program, alone, job.deck_files, job.phases}, job.application, deck});
}

/// Runs a series whose images are computed by one rank each.
ExitStatus run_by_rank(const PipelineJob& job) {
  if (job.options.estimate) return estimate_image(job);
  SeriesRun run(job, threads_of(job.session, job.deck));
  if (!job.options.only_plans()) return run.run();
  job.session.print(job.options.check ? run.check()
                    : job.options.dot ? graph::to_dot(run.graph())
                                      : graph::to_text(run.graph()));
  return ExitStatus::done;
}

/// Returns whether one rank lacks the memory for the first image of a series that can be read, with its plan
/// for one thread.
bool lacks_memory(const PipelineJob& job, const ImageInputs& shared) {
  const PipelineApplication& application = job.application;
  const deck::Deck& deck = job.deck;
  const auto needs_more = [&](const std::string& path, const io::ImageInfo& info) {
    SeriesNeeds needs(application, deck, job.session.rank_count());
    needs.add(plan_series(application, deck.with(application.input_key, path, path), info, 1, shared.all()));
    return needs.bytes(1, 1) > memory_limit(deck);
  };
  if (reads_video(deck)) {
    const std::string path = deck.get<std::string>(series_input_key(deck));
    bool needs = false;
    open_video(path, [&](const io::ImageInfo& info) { needs = needs_more(path, info); });
    return needs;
  }
  for (const SeriesItem& item : series_items(deck, {}, listed_inputs(application, deck))) {
    try {
      return needs_more(item.input, inspect_in_series(application, deck, 0, item.input));
    } catch (const InputError&) {
      // The run reports the error, or leaves the image out.
    }
  }
  return false;
}

/// Returns whether all ranks compute each image together: if the deck says so, or if it leaves the choice and
/// gives bands, or if one rank does not have the memory for the first image that can be read. Collective.
bool goes_across(const PipelineJob& job) {
  const deck::Deck& deck = job.deck;
  const MPI_Comm communicator = job.session.communicator();
  if (deck.text_of("items.across") != "auto") return goes_across_ranks(deck);
  int across = deck.is_set("bands") ? 1 : 0;
  const bool has_both_keys =
      is_given(deck, series_input_key(deck)) && is_given(deck, series_output_key(deck));
  if (across == 0 && has_both_keys && deck.is_set("memory") && !is_program(deck)) {
    const ImageInputs shared(communicator, job.application, deck);
    collectively(communicator, [&] {
      if (job.session.rank() == 0) across = lacks_memory(job, shared) ? 1 : 0;
    });
    MPI_Bcast(&across, 1, MPI_INT, 0, communicator);
  }
  return across != 0;
}

}  // namespace

ExitStatus run_series(const PipelineJob& job) {
  const bool across = goes_across(job);
  const std::string key = "items.across";
  const deck::Deck deck =
      job.deck.text_of(key) != "auto"
          ? job.deck
          : job.deck.with(key, std::string(across ? "ranks" : "rank"), job.deck.location(key));
  job.phases.begin(Phase::open);
  collectively(job.session.communicator(), [&] { check_series_keys(job.application, deck, job.options); });
  const PipelineJob chosen{job, job.application, deck};
  return across ? run_across_ranks(chosen) : run_by_rank(chosen);
}

}  // namespace tessera::app
