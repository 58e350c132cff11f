// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/series_items.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The plans for images of one size and type, and what runs them.
struct Shape {
  Shape(const PipelineJob& job, const deck::Deck& deck, const GivenImage* frame, Progress& silence)
      : setup(job, deck, frame), plans(setup), images(setup.inputs.all()) {
    loops.emplace(*setup.pipeline, silence, job.session.rank());
  }

  /// Returns whether these plans are for the images that `inputs` describes.
  bool fits(const ImageInputs& inputs) const {
    const auto is_alike = [](const auto& one, const auto& other) {
      return one.first == other.first && one.second.type == other.second.type &&
             one.second.domain == other.second.domain;
    };
    return std::ranges::equal(images, inputs.all(), is_alike);
  }

  RunSetup setup;
  RunPlans plans;
  /// The descriptions of the images.
  std::map<std::string, io::ImageInfo> images;
  std::optional<LoopRecorder> loops;
  /// Only the plans for the present image have memory.
  std::unique_ptr<PlanRun> run;
  /// The difference between the numbers of the steps in the recorder and their node ids.
  int first_step = 0;
};

/// Computes the images of a series, one after the other.
class SeriesAcross {
 public:
  explicit SeriesAcross(const PipelineJob& job)
      : job_(job),
        session_(job.session),
        application_(job.application),
        deck_(job.deck),
        progress_(session_.rank(), job.options.quiet),
        silence_(session_.rank(), true),
        items_(session_, application_, deck_, accepting(session_, application_, deck_)) {
    if (items_.reads_video()) frames_ = items_.common_frames();
  }

  ExitStatus only_plan();
  ExitStatus run();

 private:
  bool is_stopped() const;
  /// Returns whether the series goes on after an image that has an error. A frame that cannot be decoded ends
  /// a video in any case.
  bool skips() const { return items_.video_error().empty() && items_.skips(); }
  bool next();
  deck::Deck deck_of_present() const { return frames_ ? deck_ : deck_of_item(application_, deck_, item_); }
  const std::string& name() const { return item_.input; }
  ImageInputs& inputs();
  Shape& shape_of_present();
  const ArrayDeclaration& written(const Shape& shape) const;
  void compute(Shape& shape, Watchdog& watchdog);
  bool compute_next(Watchdog& watchdog);
  /// Gives a plan its memory.
  void allocate(Shape& shape);
  /// Adds the phase that is under way to the recorder, if there is one.
  void keep_phase() {
    if (recorder_) recorder_->end(job_.phases);
  }
  void write_records(const SeriesOutcome& outcome);

  const PipelineJob& job_;
  Session& session_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  Progress progress_;
  /// Progress that prints nothing, for the loops of images.
  Progress silence_;
  StopSignals signals_;
  SeriesItems items_;
  /// The frames of the video that is read; null if files are read.
  std::unique_ptr<io::VideoFrames> frames_;
  std::int64_t number_ = -1;
  /// The present image, and all images that are read for its result.
  SeriesItem item_;
  std::optional<ImageInputs> inputs_;
  std::vector<std::unique_ptr<Shape>> shapes_;
  Shape* present_ = nullptr;
  std::optional<Transport> transport_;
  std::optional<Records> records_;
  std::optional<Recorder> recorder_;
  /// The names of the steps of all plans, by their numbers in the recorder.
  StepNames names_;
  /// The progress of all ranks together, which rank 0 prints.
  std::optional<SeriesProgress> done_;
};

/// Goes to the next image. Returns false after the last one. Collective.
bool SeriesAcross::next() {
  ++number_;
  if (frames_ ? !frames_->next() : number_ >= items_.count()) return false;
  item_ = items_.item(number_);
  if (!frames_) inputs_.reset();
  return true;
}

/// Returns the images that are read for the present result, with the headers of their files. Collective.
ImageInputs& SeriesAcross::inputs() {
  if (!inputs_) inputs_.emplace(session_.communicator(), application_, deck_of_present(), items_.frame());
  return *inputs_;
}

bool SeriesAcross::is_stopped() const {
  int received = signals_.received();
  MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_INT, MPI_MAX, session_.communicator());
  if (received != 0) signals_.accept();
  return received != 0;
}

/// Returns the plans for the present image. Makes them if there are none yet.
Shape& SeriesAcross::shape_of_present() {
  const ImageInputs& images = inputs();
  if (present_ != nullptr && present_->fits(images)) return *present_;
  if (present_ != nullptr) present_->run.reset();
  present_ = nullptr;
  const auto known = std::ranges::find_if(shapes_, [&](const auto& shape) { return shape->fits(images); });
  if (known != shapes_.end()) return *(present_ = known->get());
  job_.phases.begin(Phase::plan);
  shapes_.push_back(std::make_unique<Shape>(job_, deck_of_present(), items_.frame(), silence_));
  present_ = shapes_.back().get();
  if (!names_.empty()) present_->first_step = names_.rbegin()->first + 1;
  names_.merge(step_names(*present_->setup.pipeline, present_->plans.mine(), present_->first_step));
  keep_phase();
  return *present_;
}

/// Returns the array that is written: the result, or the picture of it.
const ArrayDeclaration& SeriesAcross::written(const Shape& shape) const {
  if (application_.picture.empty() || !writes_picture(deck_)) return *shape.setup.result();
  return (*shape.setup.pipeline)[shape.setup.pipeline->find(application_.picture)];
}

void SeriesAcross::allocate(Shape& shape) {
  job_.phases.begin(Phase::allocate);
  shape.run = std::make_unique<PlanRun>(session_, *shape.setup.pipeline, shape.plans.all(),
                                        shape.plans.mine(), *transport_);
  if (recorder_)
    keep_phase();
  else
    recorder_.emplace(session_.communicator(), records_->recorder_options(), job_.phases);
}

void SeriesAcross::compute(Shape& shape, Watchdog& watchdog) {
  if (!shape.run) allocate(shape);
  job_.phases.begin(Phase::open);
  Bindings bindings;
  inputs().open(bindings);
  const std::unique_ptr<BlockSource> frame = frames_ ? frames_->open() : nullptr;
  if (frame) bindings.sources.emplace("input", frame.get());
  shape.loops->forget_history();
  shape.loops->listen(bindings);
  const ArrayDeclaration& result = written(shape);
  const auto notes = [&]() -> io::FileNotes {
    return {shape.loops->history_lists(),
            result_attributes(application_, deck_, *shape.setup.pipeline, result.name, shape.plans.mine())};
  };
  items_.expect(item_, result);
  items_.begin();
  const std::unique_ptr<BlockSink> sink = items_.create(session_.communicator(), item_, result, notes);
  bindings.sinks.emplace(result.name, sink.get());
  keep_phase();
  const auto begin = [&](const PlanNode& node) {
    recorder_->begin(shape.first_step + node.id);
    watchdog.begin(shape.first_step + node.id);
  };
  session_.guard(application_.program, [&] {
    shape.run->run(bindings, begin, {});
    recorder_->end();
  });
}

/// Computes the next image. Returns false if there is none, or if a signal has ended the series. Leaves the
/// image out if it has an error and the deck says so.
bool SeriesAcross::compute_next(Watchdog& watchdog) {
  watchdog.begin(-1);
  if (!next()) return false;
  try {
    Shape& shape = shape_of_present();
    compute(shape, watchdog);
    if (session_.rank() == 0) {
      items_.wrote(item_);
      done_->wrote();
      if (const std::string line = shape.loops->unfinished(); !line.empty() && !application_.may_end_by_turns)
        done_->not_converged({number_, fmt::format("{}: {}", name(), line)});
    }
  } catch (const InputError& error) {
    if (!skips()) throw InputError(line_about(name(), error.what()));
    if (recorder_) recorder_->end();
    if (session_.rank() == 0) done_->left_out({number_, line_about(name(), error.what())});
    if (present_ == nullptr) return true;
    // A run that has failed cannot be run again.
    present_->run.reset();
    present_->loops.emplace(*present_->setup.pipeline, silence_, session_.rank());
  }
  return true;
}

ExitStatus SeriesAcross::run() {
  job_.phases.begin(Phase::start);
  session_.start_kokkos(threads_of(session_, deck_));
  transport_ = chosen_transport(session_, deck_).transport;
  records_.emplace(session_.communicator(), job_.options, "", joined(items_.files(), job_.deck_files));
  items_.say_start(progress_, "each by " + counted(session_.rank_count(), "rank"));
  const double seconds = watchdog_seconds(deck_);
  done_.emplace(progress_, items_.count());
  bool stopped = false;
  {
    Watchdog watchdog(seconds, end_standstill(session_, application_.program, seconds,
                                              [this](int step) { return name_in(names_, step); }));
    // A thread of its own accepts signals: an image may take longer than the time after which a signal that
    // is not accepted ends the process.
    const std::jthread watcher([this](const std::stop_token& ended) { signals_.accept_next(ended); });
    while (!(stopped = is_stopped()) && compute_next(watchdog)) {
    }
  }
  job_.phases.begin(Phase::finish);
  items_.end(stopped);
  if (present_ != nullptr && session_.rank() == 0)
    for (const std::string& remark : present_->setup.pipeline->remarks()) done_->remark({0, remark});
  const SeriesOutcome outcome = done_->outcome(session_.communicator());
  if (recorder_) {
    progress_.line(recorder_->text(names_));
    write_records(outcome);
  }
  return tell_outcome(session_, application_.program, progress_, outcome, stopped, items_.count());
}

/// Writes the report and the trace. The table of steps is about images like the first one.
void SeriesAcross::write_records(const SeriesOutcome& outcome) {
  keep_phase();
  const Shape& first = *shapes_.front();
  Report report;
  if (records_->wants_report()) {
    RunDescription{first.setup, first.plans.mine(), deck_}.add(report, *recorder_);
    outcome.add(report);
    first.loops->add(report);
  }
  records_->write(report, names_, recorder_->events());
}

/// Explains, checks or estimates the run on the first image.
ExitStatus SeriesAcross::only_plan() {
  if (!next())
    throw InputError(fmt::format("{}: there is no image", deck_.location(series_input_key(deck_))));
  const Shape& shape = shape_of_present();
  const ArrayDeclaration& result = written(shape);
  if (job_.options.explain) explain_run(shape.setup, shape.plans);
  if (job_.options.estimate) estimate_run(shape.setup, shape.plans);
  if (!goes_across_ranks(deck_))
    session_.print(
        fmt::format("this is one of {} images, each of which is computed by one thread of a rank\n",
                    items_.count_text()));
  if (!job_.options.check || job_.options.quiet) return ExitStatus::done;
  print_and_write(session_, {}, {}, [&] {
    const std::string text =
        blame_deck(shape.setup.deck, [&] { return check_text(*shape.setup.pipeline, shape.plans.all()); });
    return std::vector{text + fmt::format("{} images like {} would become {} of {}\n", items_.count_text(),
                                          name(), to_string(result.domain), name_of(result.type))};
  });
  return ExitStatus::done;
}

}  // namespace

ExitStatus run_across_ranks(const PipelineJob& job) {
  SeriesAcross series(job);
  return job.options.only_plans() ? series.only_plan() : series.run();
}

}  // namespace tessera::app
