// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/common_items.hpp"
#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_description.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/series.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_plan.hpp"
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
  Shape(Session& session, const PipelineApplication& application, const ProgramBuild& build,
        const Options& options, const std::vector<std::string>& deck_files, CommonItems& items,
        Progress& silence)
      : setup(session, application, build, options, items.deck(), deck_files, items.given()),
        plans(setup),
        images(setup.inputs.all()) {
    loops.emplace(*setup.pipeline, silence, session.rank());
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
  /// The number by which the recorder's steps follow the node ids of the plan.
  int first_step = 0;
};

/// Computes the images of a series, one after the other.
class SeriesAcross {
 public:
  SeriesAcross(Session& session, const PipelineApplication& application, const ProgramBuild& build,
               const Options& options, const deck::Deck& deck, const std::vector<std::string>& deck_files,
               RunPhases& phases)
      : session_(session),
        application_(application),
        build_(build),
        options_(options),
        deck_(deck),
        deck_files_(deck_files),
        phases_(phases),
        progress_(session.rank(), options.quiet),
        silence_(session.rank(), true),
        items_(common_items(session, application, deck)) {}

  ExitStatus only_plan();
  ExitStatus run();

 private:
  bool is_stopped() const;
  bool skips() const { return items_->may_skip() && deck_.text_of("on_error") == "skip"; }
  Shape& shape_of_present();
  const ArrayDeclaration& written(const Shape& shape) const;
  void compute(Shape& shape, Watchdog& watchdog);
  bool compute_next(Watchdog& watchdog);
  void allocate(Shape& shape);
  void keep_phase();
  std::string label_of(int step) const;
  RunDescription description(const Shape& shape) const {
    return {session_,
            application_,
            build_,
            deck_,
            shape.setup.inputs,
            *shape.setup.pipeline,
            shape.setup.result_name,
            shape.plans.mine()};
  }
  std::vector<std::string> taken() const;
  void write_records(const SeriesOutcome& outcome);
  void show_progress();

  Session& session_;
  const PipelineApplication& application_;
  const ProgramBuild& build_;
  const Options& options_;
  const deck::Deck& deck_;
  const std::vector<std::string>& deck_files_;
  RunPhases& phases_;
  Progress progress_;
  Progress silence_;
  StopSignals signals_;
  std::unique_ptr<CommonItems> items_;
  std::vector<std::unique_ptr<Shape>> shapes_;
  Shape* present_ = nullptr;
  std::optional<Transport> transport_;
  std::optional<Records> records_;
  std::optional<StepRecorder> recorder_;
  SeriesOutcome outcome_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

bool SeriesAcross::is_stopped() const {
  int received = signals_.received();
  MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_INT, MPI_MAX, session_.communicator());
  if (received != 0) signals_.accept();
  return received != 0;
}

/// Adds the phase that is under way to the recorder, if there is one.
void SeriesAcross::keep_phase() {
  if (!recorder_) return;
  phases_.end();
  recorder_->add(phases_.spans().back());
}

/// Returns the plans for the present image. Makes them if there are none yet.
Shape& SeriesAcross::shape_of_present() {
  const ImageInputs& inputs = items_->inputs();
  if (present_ != nullptr && present_->fits(inputs)) return *present_;
  if (present_ != nullptr) present_->run.reset();
  present_ = nullptr;
  const auto known = std::ranges::find_if(shapes_, [&](const auto& shape) { return shape->fits(inputs); });
  if (known != shapes_.end()) return *(present_ = known->get());
  phases_.begin(Phase::plan);
  shapes_.push_back(
      std::make_unique<Shape>(session_, application_, build_, options_, deck_files_, *items_, silence_));
  present_ = shapes_.back().get();
  if (recorder_) present_->first_step = recorder_->follow(present_->plans.mine());
  keep_phase();
  return *present_;
}

/// Returns the array that is written: the result, or the picture of it.
const ArrayDeclaration& SeriesAcross::written(const Shape& shape) const {
  if (application_.picture.empty() || !writes_picture(deck_)) return *shape.setup.result();
  return (*shape.setup.pipeline)[shape.setup.pipeline->find(application_.picture)];
}

/// Gives a plan its memory.
void SeriesAcross::allocate(Shape& shape) {
  phases_.begin(Phase::allocate);
  shape.run = std::make_unique<PlanRun>(session_, *shape.setup.pipeline, shape.plans.all(),
                                        shape.plans.mine(), *transport_);
  if (recorder_)
    keep_phase();
  else
    recorder_.emplace(session_.communicator(), shape.plans.mine(), records_->recorder_options(), phases_);
}

/// Computes the present image.
void SeriesAcross::compute(Shape& shape, Watchdog& watchdog) {
  if (!shape.run) allocate(shape);
  phases_.begin(Phase::open);
  Bindings bindings;
  items_->open(bindings);
  shape.loops->forget_history();
  shape.loops->listen(bindings);
  const ArrayDeclaration& result = written(shape);
  const auto notes = [&]() -> io::FileNotes {
    return {shape.loops->history().lists(),
            result_attributes(application_, deck_, *shape.setup.pipeline, result.name, shape.plans.mine())};
  };
  const std::unique_ptr<BlockSink> sink = items_->create(result, notes);
  bindings.sinks.emplace(result.name, sink.get());
  keep_phase();
  const auto begin = [&](const PlanNode& node) {
    recorder_->begin(shape.first_step + node.id);
    watchdog.begin(shape.first_step + node.id);
  };
  try {
    shape.run->run(bindings, begin, {});
    recorder_->end();
  } catch (const std::exception& error) {
    // The job is aborted here, before files are closed, because closing a file is collective.
    if (!all_ranks_know(error)) session_.abort(application_.program, error);
    recorder_->end();
    throw;
  }
}

/// Computes the next image. Returns false if there is none, or if a signal has ended the series. Leaves the
/// image out if it has an error and the deck says so.
bool SeriesAcross::compute_next(Watchdog& watchdog) {
  watchdog.begin(-1);
  if (!items_->next()) return false;
  try {
    Shape& shape = shape_of_present();
    compute(shape, watchdog);
    items_->wrote();
    ++outcome_.written;
    const std::string line = shape.loops->unfinished();
    if (!line.empty() && !application_.may_end_by_turns)
      outcome_.not_converged.push_back(fmt::format("{}: {}", items_->name(), line));
    show_progress();
  } catch (const InputError& error) {
    if (!skips()) throw InputError(line_about(items_->name(), error.what()));
    outcome_.left_out.push_back(line_about(items_->name(), error.what()));
    if (present_ == nullptr) return true;
    // A run that has failed cannot be run again.
    present_->run.reset();
    present_->loops.emplace(*present_->setup.pipeline, silence_, session_.rank());
  }
  return true;
}

void SeriesAcross::show_progress() {
  progress_.turn([this] {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
    return rate_text(outcome_.written, items_->count(), seconds.count());
  });
}

std::string SeriesAcross::label_of(int step) const {
  std::string label;
  for (const auto& shape : shapes_)
    walk(shape->plans.mine().root, [&](const PlanNode& node) {
      if (shape->first_step + node.id == step) label = step_label(*shape->setup.pipeline, node);
    });
  return label;
}

std::vector<std::string> SeriesAcross::taken() const {
  std::vector<std::string> files = joined(items_->files(), deck_files_);
  for (const NamedFile& file : shared_files(application_, deck_)) files.push_back(file.path);
  return files;
}

ExitStatus SeriesAcross::run() {
  phases_.begin(Phase::start);
  session_.start_kokkos(
      session_.threads(deck_.is_set("threads") ? static_cast<int>(deck_.get<std::int64_t>("threads")) : 0));
  transport_ = chosen_transport(session_, deck_).transport;
  records_.emplace(session_.communicator(), options_, "", taken());
  progress_.line(fmt::format("{} on {} images, each by {}", application_.program,
                             items_->count() >= 0 ? std::to_string(items_->count()) : "some",
                             counted(session_.rank_count(), "rank")));
  if (const std::string remark = items_->remark(); !remark.empty()) progress_.line(remark);
  const double seconds = watchdog_seconds(deck_);
  began_ = std::chrono::steady_clock::now();
  bool stopped = false;
  {
    Watchdog watchdog(seconds, [this, seconds](int step, double limit) {
      end_standstill(session_, application_.program, seconds, limit, label_of(step));
    });
    // An image may take longer than a process may go on after a signal that it has not accepted.
    const std::jthread watcher([this](const std::stop_token& ended) { signals_.accept_next(ended); });
    while (!(stopped = is_stopped()) && compute_next(watchdog)) {
    }
  }
  phases_.begin(Phase::finish);
  items_->finish(stopped);
  outcome_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (present_ != nullptr)
    for (const std::string& remark : present_->setup.pipeline->remarks()) outcome_.remarks.push_back(remark);
  if (recorder_) {
    progress_.line(recorder_->text());
    write_records(outcome_);
  }
  return tell_outcome(session_, application_.program, progress_, outcome_, stopped, items_->count());
}

/// Writes the report and the trace. The table of steps is about images like the first one.
void SeriesAcross::write_records(const SeriesOutcome& outcome) {
  keep_phase();
  const Shape& first = *shapes_.front();
  Report report;
  if (records_->wants_report()) {
    description(first).add(report, *recorder_);
    outcome.add(report);
    first.loops->add(report);
  }
  const auto trace = [this](const auto& events) {
    StepNames names;
    for (const auto& shape : shapes_)
      walk(shape->plans.mine().root, [&](const PlanNode& node) {
        if (is_step(node))
          names[shape->first_step + node.id] = {step_label(*shape->setup.pipeline, node), step_kind(node)};
      });
    return trace_text(std::move(names), events);
  };
  records_->write(report, trace, *recorder_, first.loops->history());
}

/// Explains, checks or estimates the run on the first image.
ExitStatus SeriesAcross::only_plan() {
  if (!items_->next()) throw InputError(fmt::format("{}: there is no image", deck_.location("input.video")));
  const Shape& shape = shape_of_present();
  const ArrayDeclaration& result = written(shape);
  if (options_.explain) explain_run(shape.setup, shape.plans);
  if (options_.estimate) estimate_run(shape.setup, shape.plans);
  if (!options_.check || options_.quiet) return ExitStatus::done;
  std::string text;
  collectively(session_.communicator(), [&] {
    if (session_.rank() != 0) return;
    shape.setup.blame_deck([&] { text = check_text(*shape.setup.pipeline, shape.plans.all()); });
  });
  session_.print(text);
  session_.print(fmt::format("{} images like {} would become {} of {}\n",
                             items_->count() >= 0 ? std::to_string(items_->count()) : "some", items_->name(),
                             to_string(result.domain), name_of(result.type)));
  return ExitStatus::done;
}

/// Returns whether one rank lacks the memory for the first image of a series that can be read, with its plan
/// for one thread.
bool lacks_memory(const PipelineApplication& application, const deck::Deck& deck, const ImageInputs& shared,
                  std::int64_t limit) {
  const auto needs_more = [&](const std::string& path, const io::ImageInfo& info) {
    const SeriesPlan plan =
        plan_series(application, deck.with(application.input_key, path, path), info, 1, shared.all());
    SeriesNeeds needs(application, deck);
    needs.add(plan);
    return needs.bytes(1, 1) > limit;
  };
  if (is_video(deck)) {
    const std::string path = deck.get<std::string>("input.video");
    bool needs = false;
    open_video(path, [&](const io::ImageInfo& info) { needs = needs_more(path, info); });
    return needs;
  }
  for (const SeriesItem& item : series_items(deck, {}, listed_inputs(application, deck))) {
    try {
      return needs_more(item.input, inspect_in_series(application, deck, 0, item.input));
    } catch (const InputError&) {
      // The run says so, or leaves the image out.
    }
  }
  return false;
}

}  // namespace

deck::Deck with_chosen_way(Session& session, const PipelineApplication& application, const deck::Deck& deck) {
  if (deck.text_of("items.across") != "auto") return deck;
  int across = deck.is_set("bands") ? 1 : 0;
  if (across == 0 && deck.is_set("memory") && !is_program(deck)) {
    const ImageInputs shared(session.communicator(), application, deck);
    collectively(session.communicator(), [&] {
      if (session.rank() == 0) across = lacks_memory(application, deck, shared, memory_limit(deck)) ? 1 : 0;
    });
    MPI_Bcast(&across, 1, MPI_INT, 0, session.communicator());
  }
  return deck.with("items.across", std::string(across != 0 ? "ranks" : "rank"),
                   deck.location("items.across"));
}

ExitStatus run_series_across(Session& session, const PipelineApplication& application,
                             const ProgramBuild& build, const Options& options, const deck::Deck& deck,
                             const std::vector<std::string>& deck_files, RunPhases& phases) {
  phases.begin(Phase::open);
  collectively(session.communicator(), [&] { check_series_keys(application, deck, options); });
  SeriesAcross series(session, application, build, options, deck, deck_files, phases);
  return options.only_plans() ? series.only_plan() : series.run();
}

}  // namespace tessera::app
