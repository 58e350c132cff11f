// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_run.hpp"

#include <algorithm>
#include <utility>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/job_run.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/graph/pipeline_task.hpp"

namespace tessera::app {
namespace {

/// Returns whether the library for the format of one of the files is made for one thread only.
bool needs_one_thread(const SeriesItem& item) {
  return std::ranges::any_of(item.files(), [](const std::string& file) {
    const auto format = io::image_format(file);
    return format && io::format_of(*format).traits.needs_one_thread;
  });
}

}  // namespace

/// Returns the number in the series of an item of this rank's source. Rank 0 finds all images if it decodes
/// them, or if it writes all results in their order. Otherwise the ranks find the images in turn.
std::int64_t SeriesRun::index_of(std::int64_t ordinal) const {
  return is_ordered() ? ordinal : ordinal * job_.session.rank_count() + job_.session.rank();
}

/// Decodes the frames of the next result: one, and also the next one if the pipeline reads both.
std::optional<SeriesImage> SeriesRun::decode(std::int64_t index) {
  SeriesImage found{.index = index};
  if (last_) found.frames.push_back(std::move(last_));
  while (found.frames.size() < items_.names().size()) {
    graph::Lease<graph::PackedImage> frame = items_.next_frame();
    if (!frame && index == 0 && !found.frames.empty())
      job_.deck.fail("input.video", "each frame goes with the next one, and there is only one: give more");
    if (!frame) return std::nullopt;
    found.frames.push_back(std::move(frame));
  }
  if (items_.names().size() > 1) last_ = found.frames.back();
  return found;
}

/// Returns the next image of this rank.
std::optional<SeriesImage> SeriesRun::find(std::int64_t ordinal) {
  if (signals_.received() != 0) return std::nullopt;
  const std::int64_t index = index_of(ordinal);
  if (items_.reads_video()) return decode(index);
  return index < items_.count() ? std::optional(SeriesImage{.index = index}) : std::nullopt;
}

/// Opens the next file of `item`. With the first one, `image` gets its plan.
std::unique_ptr<BlockSource> SeriesRun::open(const SeriesItem& item, SeriesImage& image) {
  const std::size_t place = image.images.size();
  const std::string path = item.files()[place];
  const io::ImageInfo info = inspect_in_series(job_.application, job_.deck, place, path);
  if (place == 0) {
    image.plan = plan_for(path, info);
  } else {
    const HostBlock first = image.images.front()->points();
    check_alike(path, info, item.input, {.type = first.type, .domain = first.box});
  }
  return open_in_series(job_.application, job_.deck, place, path, info);
}

/// Reads the next image that is needed for a result: from a file, or from the frames of a video. Its memory
/// has the layout that the plan needs.
SeriesImage SeriesRun::read(SeriesImage image, graph::Lease<graph::Image> to) {
  const SeriesItem item = items_.item(image.index);
  const std::size_t place = image.images.size();
  if (!image.frames.empty()) image.plan = plan_;
  const auto file = image.frames.empty() ? open(item, image) : nullptr;
  const SeriesPlan& plan = *image.plan;
  to->become_array(plan.parts.front().pipeline, plan.inputs[place], plan.needed[place]);
  image.images.push_back(std::move(to));
  const HostBlock points = image.last().points();
  if (file)
    file->read(points);
  else
    graph::unpack(*std::exchange(image.frames[place], {}), points);
  if (place == 0) items_.expect(item, plan.result());
  return image;
}

/// Computes one part of the application. `body` has the plan instances of the worker.
SeriesImage SeriesRun::compute(std::size_t number, graph::PipelineBody& body, SeriesImage image,
                               graph::Lease<graph::Image> to) {
  const SeriesPlan& plan = *image.plan;
  const PlannedPart& part = plan.parts[number];
  to->become_output(part.pipeline, plan.needed[plan.inputs.size() + number]);
  image.images.push_back(std::move(to));
  std::vector<graph::NamedImage> named{{part.pipeline->output, image.last()}};
  for (const std::size_t read : part.reads) named.push_back({plan.image_name(read), *image.images[read]});
  LoopRecorder loops(part.pipeline->algorithm, silence_, 0);
  Bindings bindings;
  shared_.bind(bindings);
  loops.listen(bindings);
  body.compute(part.pipeline, named, bindings);
  if (image.unfinished.empty() && !job_.application.may_end_by_turns) image.unfinished = loops.unfinished();
  for (io::NumberList& list : loops.history_lists()) image.history.push_back(std::move(list));
  for (std::size_t i = 0; i < image.images.size(); ++i)
    if (plan.parts_until_free[i] <= number + 1) image.images[i] = {};
  return image;
}

/// Writes a result to a file of its own.
void SeriesRun::write(const SeriesImage& image) {
  const SeriesItem item = items_.item(image.index);
  const auto notes = [&image]() -> io::FileNotes { return {image.history, image.plan->attributes}; };
  items_.create(MPI_COMM_SELF, item, image.plan->result(), notes)->write(image.last().points());
  items_.wrote(item);
}

/// Returns the place of a task that uses files. Files of some formats, such as HDF5, are read and written on
/// one thread, since their libraries are not made for several threads.
graph::Place SeriesRun::place_for_files(const char* key, bool needs_one_thread) const {
  if (needs_one_thread && job_.deck.is_set(key) && job_.deck.text_of(key) == "threads")
    job_.deck.fail(key, "HDF5 and FITS files are read and written by one thread: say io, or leave it out");
  return needs_one_thread ? graph::Place::io() : graph::Place::threads();
}

/// Returns the name of the task that reads the image with this place in the list of names.
std::string SeriesRun::reading_task(std::size_t place) const {
  return place == 0 ? "read" : "read " + items_.names()[place];
}

/// Keeps the lines about a computed image that are printed at the end.
void SeriesRun::note(const SeriesImage& image) {
  if (!image.unfinished.empty())
    done_.not_converged({image.index, items_.item(image.index).input + ": " + image.unfinished});
  for (const PlannedPart& part : image.plan->parts)
    for (const std::string& remark : part.pipeline->algorithm.remarks()) done_.remark({image.index, remark});
}

graph::Flow<SeriesImage> SeriesRun::add_reading(const graph::Pool<graph::Image>& pool) {
  using graph::Lease, graph::Image;
  auto images = graph_.source(items_.reads_video() ? "decode" : "list",
                              {.rank = is_ordered() ? 0 : graph::Task::every_rank},
                              [this](std::int64_t ordinal) { return find(ordinal); });
  if (is_ordered() && job_.session.rank_count() > 1)
    images = graph_.send(
        "send images", [](const SeriesImage& one) { return one.index; }, images);
  bool on_one = false;
  for (std::int64_t i = 0; !items_.reads_video() && i < items_.count(); ++i)
    on_one = on_one || needs_one_thread(items_.item(i));
  const graph::Task reading{.on = place_for_files("graph.read.on", on_one), .on_error = on_error()};
  for (std::size_t i = 0; i < items_.names().size(); ++i)
    images = graph_.task(
        reading_task(i), reading,
        [this](SeriesImage image, Lease<Image> to) { return read(std::move(image), std::move(to)); }, images,
        pool);
  return images;
}

graph::Flow<SeriesImage> SeriesRun::add_computation(graph::Flow<SeriesImage> images,
                                                    const graph::Pool<graph::Image>& pool) {
  std::size_t number = 0;
  for (const PipelinePart& part : parts_of(job_.application)) {
    // Each worker has a copy of the body.
    graph::PipelineBody body(computes_by_kernels(job_.deck, part.task) ? HostMode::kernels
                                                                       : HostMode::calling_thread);
    images = graph_.task(
        part.task,
        {.on = runs_on_host ? graph::Place::threads() : graph::Place::kernels(), .on_error = on_error()},
        [this, number, body](SeriesImage image, graph::Lease<graph::Image> to) mutable {
          return compute(number, body, std::move(image), std::move(to));
        },
        images, pool);
    ++number;
  }
  return images;
}

void SeriesRun::add_writing(const graph::Flow<SeriesImage>& results) {
  if (items_.writes_video()) {
    auto frames = graph_.task(
        "pack results", {},
        [this](const SeriesImage& image) {
          note(image);
          return graph::packed(image.index, image.last().points());
        },
        results);
    if (job_.session.rank_count() > 1)
      frames = graph_.send(
          "send results", [](const graph::PackedImage&) { return 0; }, frames);
    return graph_.sink(
        "write", {.order = graph::Order::stamp},
        [this](graph::PackedImage frame) {
          items_.write_frame(std::move(frame));
          done_.wrote();
        },
        frames);
  }
  graph_.sink(
      "write",
      {.on = place_for_files("graph.write.on", output_key_of(series_output(job_.deck)) == "output.file"),
       .workers = threads_,
       .on_error = on_error()},
      [this](const SeriesImage& image) {
        write(image);
        note(image);
        done_.wrote();
      },
      results);
}

void SeriesRun::add_tasks() {
  const int per_item = images_per_item(job_.application, job_.deck);
  const graph::Pool<graph::Image> pool(
      graph_, "images",
      {.count = per_item * static_cast<int>(window_), .per_item = per_item, .bytes = image_bytes_},
      [] { return std::make_shared<graph::Image>(); });
  add_writing(add_computation(add_reading(pool), pool));
}

/// Gives the graph the settings of the deck. Throws InputError if it cannot run.
void SeriesRun::configure() {
  const std::int64_t memory = memory_limit(job_.deck);
  graph::Settings settings = graph_settings(job_.deck, task_names(job_.application), {"images"});
  // If the source of rank 0 finds the images of all ranks, the images of all ranks count in its window.
  settings.window = is_ordered() ? window_ * job_.session.rank_count() : window_;
  // A thread that has computed an image keeps memory for the next one, so no more threads than this compute.
  if (memory > 0 && window_ < threads_)
    for (const PipelinePart& part : parts_of(job_.application))
      if (auto& workers = settings.tasks[part.task].workers; !workers || *workers > window_)
        workers = static_cast<int>(window_);
  for (std::size_t i = 1; i < items_.names().size(); ++i)
    settings.tasks[reading_task(i)] = settings.tasks["read"];
  if (items_.reads_video()) settings.tasks["decode"] = settings.tasks["read"];
  graph_.configure(settings);
  graph_.check({.workers = threads_, .memory = memory});
}

}  // namespace tessera::app
