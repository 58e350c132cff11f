// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/app/file_patterns.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/io/video.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// A frame, or what became of it, on its way to another rank.
struct SentFrame {
  graph::PackedImage image;
  /// The line about a loop that SeriesImage has.
  std::string unfinished;

  static auto members(auto& frame) { return std::tie(frame.image, frame.unfinished); }
};

SentFrame packed_frame(const SeriesImage& frame) {
  return {graph::packed(frame.index, frame.last().points()), frame.unfinished};
}

/// A frame and the next one on their way to the rank that computes with both. The frame between two pairs is
/// kept once.
struct FramePair {
  std::int64_t index = 0;
  graph::Lease<graph::PackedImage> first, second;

  static auto members(auto& pair) { return std::tie(pair.index, pair.first, pair.second); }
};

/// A frame in memory, and the next one, which is not yet there.
struct HalfPair {
  SeriesImage image;
  graph::Lease<graph::PackedImage> second;
};

class VideoSeries final : public Series {
 public:
  explicit VideoSeries(const SeriesContext& context);

  std::int64_t count() const override { return is_paired() && frames_ > 0 ? frames_ - 1 : frames_; }
  std::string check() override;
  void add_tasks(graph::Graph& graph) override;
  void begin() override;
  void end() override {
    collectively(context_.session.communicator(), [&] {
      if (writer_ != nullptr) writer_->finish();
    });
  }
  std::int64_t index_of(std::int64_t ordinal) const override { return ordinal; }
  std::vector<std::string> files() const override { return {input_, output_}; }
  std::string file_of(std::int64_t index) const override {
    return fmt::format("{}: frame {}", input_, index);
  }

 private:
  void open();
  /// Returns whether each frame goes with the next one.
  bool is_paired() const { return plan_->inputs.size() > 1; }
  graph::Lease<graph::PackedImage> next_frame();
  std::optional<FramePair> next_pair(std::int64_t number);
  graph::Flow<SeriesImage> frames(graph::Graph& graph, const graph::Pool<graph::Image>& pool);
  graph::Flow<SeriesImage> pairs(graph::Graph& graph, const graph::Pool<graph::Image>& pool);
  graph::Flow<SeriesImage> dealt_out(graph::Graph& graph, const graph::Flow<SeriesImage>& frames,
                                     const graph::Pool<graph::Image>& pool, const std::string& name,
                                     bool is_result);
  void write(const SeriesImage& frame) {
    writer_->write(frame.last().points());
    context_.wrote(frame);
  }

  const SeriesContext& context_;
  std::string input_, output_;
  std::unique_ptr<io::VideoReader> reader_;
  std::unique_ptr<io::VideoWriter> writer_;
  std::int64_t frames_ = -1;
  io::ImageInfo info_;
  std::shared_ptr<const SeriesPlan> plan_;
  /// The second frame of the last pair.
  graph::Lease<graph::PackedImage> last_;
};

VideoSeries::VideoSeries(const SeriesContext& context)
    : context_(context),
      input_(context.deck.get<std::string>("input.video")),
      output_(context.deck.get<std::string>("output.video")) {
  const Session& session = context.session;
  collectively(session.communicator(), [&] {
    if (session.rank() == 0) open();
  });
  info_ = io::broadcast(session.communicator(), info_);
  collectively(session.communicator(), [&] { plan_ = context_.images.plan_for(input_, info_); });
}

void VideoSeries::open() {
  std::vector<std::string> taken{input_};
  for (const NamedFile& file : context_.shared.inputs().files()) taken.push_back(file.path);
  check_names(taken, {{"output.video", output_}});
  reader_ = open_video(input_, [this](const io::ImageInfo& info) { context_.images.plan_for(input_, info); });
  info_ = info_of(*reader_);
  frames_ = reader_->info().frames;
}

std::string VideoSeries::check() {
  const ArrayDeclaration& result = plan_->result();
  return fmt::format("{}: {} of {}{}, which would become {} of {} in {}\n", input_, to_string(info_.domain),
                     name_of(info_.type), frames_ >= 0 ? fmt::format(", {} frames", frames_) : "",
                     to_string(result.domain), name_of(result.type), output_);
}

void VideoSeries::begin() {
  collectively(context_.session.communicator(), [&] {
    if (context_.session.rank() != 0) return;
    const ArrayDeclaration& result = plan_->result();
    make_folder_of(context_.deck, "output.video", output_);
    io::remove_abandoned_files({output_});
    writer_ = std::make_unique<io::VideoWriter>(output_, result.domain, result.type, rate_of(*reader_));
  });
}

/// Sends frames to the ranks in turn, or results back to rank 0.
graph::Flow<SeriesImage> VideoSeries::dealt_out(graph::Graph& graph, const graph::Flow<SeriesImage>& frames,
                                                const graph::Pool<graph::Image>& pool,
                                                const std::string& name, bool is_result) {
  const auto sent = graph.task(fmt::format("pack {}", name), {}, packed_frame, frames);
  const auto received = graph.send(
      fmt::format("send {}", name),
      [is_result](const SentFrame& frame) { return is_result ? 0 : frame.image.index; }, sent);
  return graph.task(
      fmt::format("unpack {}", name), {},
      [this, is_result](SentFrame frame, graph::Lease<graph::Image> to) {
        SeriesImage image = is_result ? result_image(frame.image.index, plan_, std::move(to))
                                      : input_image(frame.image.index, plan_, std::move(to));
        graph::unpack(frame.image, image.last().points());
        image.unfinished = std::move(frame.unfinished);
        return image;
      },
      received, pool);
}

/// Returns the next frame of the video; nothing after the last one.
graph::Lease<graph::PackedImage> VideoSeries::next_frame() {
  graph::PackedImage frame;
  frame.samples.resize(static_cast<std::size_t>(info_.domain.size()) * size_of(info_.type));
  if (!reader_->read(packed_block(frame.samples.data(), info_.type, info_.domain))) return {};
  return graph::Lease<graph::PackedImage>::of(std::move(frame));
}

std::optional<FramePair> VideoSeries::next_pair(std::int64_t number) {
  if (number == 0) last_ = next_frame();
  FramePair pair{number, std::move(last_), {}};
  if (context_.is_stopped()) return std::nullopt;
  pair.second = last_ = next_frame();
  if (pair.second) return pair;
  if (number == 0)
    context_.deck.fail("input.video", "each frame goes with the next one, and there is only one: give more");
  return std::nullopt;
}

graph::Flow<SeriesImage> VideoSeries::pairs(graph::Graph& graph, const graph::Pool<graph::Image>& pool) {
  auto decoded = graph.source("read", {}, [this](std::int64_t number) { return next_pair(number); });
  if (context_.session.rank_count() > 1)
    decoded = graph.send(
        "send frames", [](const FramePair& pair) { return pair.index; }, decoded);
  const auto begun = graph.task(
      "unpack frames", {},
      [this](const FramePair& pair, graph::Lease<graph::Image> to) {
        SeriesImage image = input_image(pair.index, plan_, std::move(to));
        graph::unpack(*pair.first, image.last().points());
        return HalfPair{std::move(image), pair.second};
      },
      decoded, pool);
  return graph.task(
      reading_task(plan_->inputs[1]), {},
      [](HalfPair pair, graph::Lease<graph::Image> to) {
        graph::unpack(*pair.second, add_input(pair.image, std::move(to)));
        return std::move(pair.image);
      },
      begun, pool);
}

graph::Flow<SeriesImage> VideoSeries::frames(graph::Graph& graph, const graph::Pool<graph::Image>& pool) {
  const auto read = graph.source(
      "read", {},
      [this](std::int64_t i, graph::Lease<graph::Image> to) -> std::optional<SeriesImage> {
        SeriesImage frame = input_image(i, plan_, std::move(to));
        if (context_.is_stopped() || !reader_->read(frame.last().points())) return std::nullopt;
        return frame;
      },
      pool);
  return context_.session.rank_count() == 1 ? read : dealt_out(graph, read, pool, "frames", false);
}

void VideoSeries::add_tasks(graph::Graph& graph) {
  const graph::Pool<graph::Image> pool = add_images(context_, graph);
  auto results =
      add_computation(context_, graph, is_paired() ? pairs(graph, pool) : frames(graph, pool), pool);
  if (context_.session.rank_count() > 1) results = dealt_out(graph, results, pool, "results", true);
  graph.sink(
      "write", {.order = graph::Order::stamp}, [this](const SeriesImage& frame) { write(frame); }, results);
}

}  // namespace

io::ImageInfo info_of(const io::VideoReader& reader) {
  return {.type = reader.info().type, .domain = reader.info().domain};
}

io::FrameRate rate_of(const io::VideoReader& reader) {
  const io::FrameRate rate = reader.info().rate;
  return rate.numerator > 0 ? rate : io::FrameRate();
}

std::unique_ptr<io::VideoReader> open_video(const std::string& path,
                                            const std::function<void(const io::ImageInfo&)>& accept) {
  auto reader = std::make_unique<io::VideoReader>(path, io::VideoColour::as_stored);
  try {
    accept(info_of(*reader));
    return reader;
  } catch (const InputError&) {
    if (reader->info().domain.dimensions == 2) throw;
    const auto colour_error = std::current_exception();
    try {
      reader = std::make_unique<io::VideoReader>(path, io::VideoColour::grey);
      accept(info_of(*reader));
      return reader;
    } catch (const InputError&) {
      std::rethrow_exception(colour_error);
    }
  }
}

std::unique_ptr<Series> video_series(const SeriesContext& context) {
  return std::make_unique<VideoSeries>(context);
}

}  // namespace tessera::app
