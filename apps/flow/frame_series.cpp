// SPDX-License-Identifier: BSD-3-Clause
#include "frame_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "program.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/finite_images.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/packed_image.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/host_copy.hpp"

namespace flow {
namespace {

using namespace tessera;
using graph::PackedImage;

class FilesOfFrames final : public FrameSeries {
 public:
  explicit FilesOfFrames(const app::GraphSetting& setting)
      : deck_(setting.deck),
        ranks_(setting.session.rank_count()),
        files_(app::matching_files(setting.session.communicator(), deck_, "input.files")) {
    collectively(setting.session.communicator(), [this] { inspect(); });
  }

  // The names of the files give the number.
  void find_count() override {}
  std::int64_t count() const override { return std::ssize(files_); }
  const io::ImageInfo& info() const override { return infos_.front(); }
  io::FrameRate rate() const override { return {}; }
  const std::vector<std::string>& files() const override { return files_; }
  const std::string& file_of(std::int64_t frame) const override {
    return files_[static_cast<std::size_t>(frame)];
  }
  // Ranks get numbers only, which take no memory.
  std::int64_t window_of_all(std::int64_t window, int) const override { return window * ranks_; }
  bool is_read_by_one() const override { return std::ranges::any_of(infos_, is_for_one_thread); }
  graph::Flow<PairLease> add_tasks(graph::Graph& graph, const graph::Task& options,
                                   const graph::Pool<Pair>& pool,
                                   const std::function<void(std::int64_t, Pair&)>& begin) override {
    const auto numbers = graph.source("pairs", {}, [this](std::int64_t number) {
      return number < pairs() ? std::optional(number) : std::nullopt;
    });
    const auto dealt = graph.send(
        "deal out", [](std::int64_t number) { return number; }, numbers);
    return graph.task(
        "read", options,
        [this, begin](std::int64_t number, PairLease pair) {
          begin(number, *pair);
          read(number, pair->first);
          read(number + 1, pair->second);
          return pair;
        },
        dealt, pool);
  }

 private:
  /// Looks at all frames, which must be alike.
  void inspect() {
    if (files_.size() < 2) deck_.fail("input.files", "a flow needs two frames: name at least two");
    io::ImageChoice choice{.dataset = deck_.text_of("input.dataset")};
    if (deck_.is_set("input.page")) choice.page = static_cast<int>(deck_.get<std::int64_t>("input.page"));
    for (const std::string& file : files_) {
      infos_.push_back(io::inspect_image(file, choice));
      const io::ImageInfo &first = infos_.front(), &info = infos_.back();
      if (!(info.domain == first.domain) || info.type != first.type)
        deck_.fail("input.files",
                   fmt::format("{} is {} of {}, but {} is {} of {}: give frames of one size and type", file,
                               to_string(info.domain), name_of(info.type), files_.front(),
                               to_string(first.domain), name_of(first.type)));
    }
    check_frame(infos_.front(), deck_, "input.files");
  }

  void read(std::int64_t frame, const graph::Image& to) const {
    const auto place = static_cast<std::size_t>(frame);
    io::open_image(MPI_COMM_SELF, files_[place], infos_[place])->read(to.points());
    app::check_finite(deck_, "input.files", files_[place], to.points());
  }

  const deck::Deck& deck_;
  std::int64_t ranks_;
  std::vector<std::string> files_;
  /// The descriptions of the frames. They differ in their files alone.
  std::vector<io::ImageInfo> infos_;
};

/// Two frames of a video on their way to the rank that computes their flow. The frame between two pairs is
/// kept once.
struct FramePair {
  std::int64_t number = 0;
  graph::Lease<PackedImage> first, second;

  static auto members(auto& pair) { return std::tie(pair.number, pair.first, pair.second); }
};

/// The frames of a video, which rank 0 decodes, from the first to the last. They are decoded twice, first to
/// count them: so nothing is computed of a video that is damaged, and the files of its flows have names of
/// one length.
class FramesOfVideo final : public FrameSeries {
 public:
  explicit FramesOfVideo(const app::GraphSetting& setting)
      : setting_(setting), files_{setting.deck.text_of("input.video")} {
    const MPI_Comm communicator = setting.session.communicator();
    collectively(communicator, [&] {
      for (const char* key : {"input.dataset", "input.page"})
        if (setting.deck.is_set(key))
          setting.deck.fail(key,
                            "it is about files of images, and the frames are those of a video: leave it out");
      if (setting.session.rank() == 0) inspect();
    });
    info_ = io::broadcast(communicator, info_);
  }

  void find_count() override {
    collectively(setting_.session.communicator(), [this] {
      if (setting_.session.rank() == 0) decode_all();
    });
    MPI_Bcast(&count_, 1, MPI_INT64_T, 0, setting_.session.communicator());
  }

  std::int64_t count() const override { return count_; }
  const io::ImageInfo& info() const override { return info_; }
  io::FrameRate rate() const override { return rate_; }
  const std::vector<std::string>& files() const override { return files_; }
  const std::string& file_of(std::int64_t) const override { return files_.front(); }
  // Where one rank is slower than the others, frames of nearly all these pairs wait for it. Each thread has a
  // pair, and each rank one more, which it may begin at once.
  std::int64_t window_of_all(std::int64_t window, int workers) const override {
    return std::min<std::int64_t>(window, workers + 1) * setting_.session.rank_count();
  }
  bool is_read_by_one() const override { return false; }
  graph::Flow<PairLease> add_tasks(graph::Graph& graph, const graph::Task& options,
                                   const graph::Pool<Pair>& pool,
                                   const std::function<void(std::int64_t, Pair&)>& begin) override {
    const auto decoded = graph.source("decode", {}, [this](std::int64_t number) { return next(number); });
    const auto dealt = graph.send(
        "deal out", [](const FramePair& frames) { return frames.number; }, decoded);
    return graph.task(
        "read", options,
        [begin](const FramePair& frames, PairLease pair) {
          begin(frames.number, *pair);
          graph::unpack(*frames.first, pair->first.points());
          graph::unpack(*frames.second, pair->second.points());
          return pair;
        },
        dealt, pool);
  }

 private:
  void inspect() {
    io::VideoReader reader(files_.front());
    info_.type = reader.info().type;
    info_.domain = reader.info().domain;
    if (reader.info().rate.numerator > 0) rate_ = reader.info().rate;
    check_frame(info_, setting_.deck, "input.video");
  }

  void decode_all() {
    io::VideoReader reader(files_.front());
    std::vector<std::byte> memory(bytes());
    while (reader.read(packed_block(memory.data(), info_.type, info_.domain))) ++count_;
    if (count_ < 2)
      setting_.deck.fail("input.video", fmt::format("{} has one frame: a flow needs two", files_.front()));
  }

  std::size_t bytes() const { return static_cast<std::size_t>(info_.domain.size()) * size_of(info_.type); }

  /// Returns the next pair of frames; nothing after the last one.
  std::optional<FramePair> next(std::int64_t number) {
    if (number == pairs()) {
      reader_.reset();
      last_ = {};
      return std::nullopt;
    }
    if (number == 0) {
      reader_ = std::make_unique<io::VideoReader>(files_.front());
      last_ = decode(0);
    }
    FramePair frames{number, last_, decode(number + 1)};
    last_ = frames.second;
    return frames;
  }

  graph::Lease<PackedImage> decode(std::int64_t frame) const {
    PackedImage image{frame, std::vector<std::byte>(bytes())};
    if (!reader_->read(packed_block(image.samples.data(), info_.type, info_.domain)))
      throw InputError(fmt::format("{}: it had {} frames, and now ends after {}: let nobody change it",
                                   files_.front(), count_, frame));
    return graph::Lease<PackedImage>::of(std::move(image));
  }

  const app::GraphSetting& setting_;
  std::vector<std::string> files_;
  io::ImageInfo info_;
  io::FrameRate rate_;
  std::int64_t count_ = 0;
  std::unique_ptr<io::VideoReader> reader_;
  /// The second frame of the last pair.
  graph::Lease<PackedImage> last_;
};

}  // namespace

std::unique_ptr<FrameSeries> frame_series(const app::GraphSetting& setting) {
  const deck::Deck& deck = setting.deck;
  const bool is_video = deck.is_set("input.video");
  collectively(setting.session.communicator(), [&] {
    if (is_video && deck.is_set("input.files"))
      deck.fail("input.video", "'input.files' is given, too: give one of them");
    if (!is_video && !deck.is_set("input.files"))
      throw InputError("there are no frames: give input.files or input.video in the deck or as key=value");
  });
  if (is_video) return std::make_unique<FramesOfVideo>(setting);
  return std::make_unique<FilesOfFrames>(setting);
}

bool is_for_one_thread(const io::ImageInfo& info) {
  return info.format == io::ImageFormat::hdf5 || info.format == io::ImageFormat::fits;
}

}  // namespace flow
