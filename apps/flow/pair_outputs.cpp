// SPDX-License-Identifier: BSD-3-Clause
#include "pair_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "program.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/room.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/packed_image.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/host_copy.hpp"

namespace flow {

using namespace tessera;
using graph::PackedImage, graph::Place;

namespace {

constexpr double usual_blend = 0.5;

/// The keys of patterns, each of which gives a file for each pair, and what these files hold.
constexpr std::pair<const char*, const char*> patterns[] = {{"output.files", "flows"},
                                                            {"output.pictures", "pictures"}};

Box picture_of(const Box& frame) { return {frame[0], frame[1], {0, 3}}; }

}  // namespace

PairOutputs::PairOutputs(const app::GraphSetting& setting, const FrameSeries& frames)
    : setting_(setting), frames_(frames) {
  if (!has("output.files") && !has_picture())
    throw InputError(
        "nothing to write: give output.files, output.pictures or output.video in the deck or as key=value");
  extras();
  check_endings();
  for (const char* key : {"output.files", "output.pictures", "output.video"})
    if (has(key)) app::check_folders(setting_.deck, {{.key = key}});
  if (const std::string video = setting_.deck.text_of("output.video");
      has("input.video") && has("output.video") &&
      app::place_of(video) == app::place_of(frames_.files().front()))
    setting_.deck.fail("output.video",
                       fmt::format("{} is also the video that is read: choose another name", video));
  // The file of this video has a temporary name, and is removed at once.
  if (has("output.video") && setting_.session.rank() == 0) new_video();
}

Extras PairOutputs::extras() const {
  Extras extras{.has_picture = has_picture()};
  set_picture(extras, setting_.deck, "output.pictures or output.video");
  if (extras.has_picture && !extras.blend) extras.blend = usual_blend;
  extras.tells_largest = extras.has_picture && !extras.picture_scale;
  return extras;
}

std::string PairOutputs::path(const char* key, std::int64_t pair) const {
  return app::expanded(setting_.deck, key, frames_.file_of(pair), pair, frames_.pairs());
}

void PairOutputs::check_endings() const {
  const auto check = [this](const char* key, const std::vector<std::string>& endings, const char* refusal) {
    if (!has(key)) return;
    const std::string name = setting_.deck.text_of(key);
    if (std::ranges::none_of(endings, [&](const std::string& ending) { return name.ends_with(ending); }))
      setting_.deck.fail(key, fmt::format("{} {}", name, refusal));
  };
  check("output.files", {".flo", ".h5"}, "ends neither in .flo nor in .h5: choose one of them");
  check("output.pictures", {".png"}, "does not end in .png: pictures are PNG files");
  check("output.video", {".mkv", ".mp4"}, "ends neither in .mkv nor in .mp4: choose one of them");
}

void PairOutputs::check_names(const std::vector<std::string>& truths) const {
  const deck::Deck& deck = setting_.deck;
  for (const auto& [key, what] : patterns)
    if (has(key) && frames_.pairs() > 1 && path(key, 0) == deck.text_of(key))
      deck.fail(key, fmt::format("{} is one file for {} {}: use {{name}} or {{index}}", deck.text_of(key),
                                 frames_.pairs(), what));
  // The keys are texts, as a map of paths ends hipcc 5.2 with a segmentation fault.
  std::map<std::string, std::string> taken;
  for (const std::string& file : truths) taken[app::place_of(file).string()] = "a true flow";
  for (const std::string& file : frames_.files())
    taken[app::place_of(file).string()] = has("input.video") ? "the video that is read" : "a frame";
  const auto take = [&](const char* key, const std::string& path, const char* what) {
    const auto [place, is_new] = taken.try_emplace(app::place_of(path).string(), what);
    if (is_new) return;
    if (place->second == what)
      deck.fail(key, fmt::format("two {} would become {}: use {{index}}", what, path));
    deck.fail(key, fmt::format("{} is also {}: choose another name", path, place->second));
  };
  for (const auto& [key, what] : patterns)
    for (std::int64_t pair = 0; has(key) && pair < frames_.pairs(); ++pair) take(key, path(key, pair), what);
  if (has("output.video")) take("output.video", deck.text_of("output.video"), "the video that is written");
}

std::vector<std::string> PairOutputs::files() const {
  std::vector<std::string> files;
  for (const auto& [key, what] : patterns)
    for (std::int64_t pair = 0; has(key) && pair < frames_.pairs(); ++pair) files.push_back(path(key, pair));
  if (has("output.video")) files.push_back(setting_.deck.text_of("output.video"));
  return files;
}

std::unique_ptr<io::VideoWriter> PairOutputs::new_video() const {
  return std::make_unique<io::VideoWriter>(setting_.deck.text_of("output.video"),
                                           picture_of(frames_.info().domain), ElementType::uint8,
                                           frames_.rate());
}

void PairOutputs::begin() {
  if (!has("output.video")) return;
  collectively(setting_.session.communicator(), [this] {
    if (setting_.session.rank() == 0) video_ = new_video();
  });
}

void PairOutputs::end() {
  if (!has("output.video")) return;
  collectively(setting_.session.communicator(), [this] {
    if (video_ != nullptr) video_->finish();
  });
}

void PairOutputs::write_flow(const Pair& pair) const {
  if (!has("output.files")) return;
  const HostBlock flow = pair.result.points();
  const std::string file = path("output.files", pair.index);
  const std::unique_ptr<BlockSink> sink =
      file.ends_with(".flo") ? io::create_flo(MPI_COMM_SELF, file, flow.box, flow.type)
                             : io::create_hdf5(MPI_COMM_SELF, file, "flow", flow.box, flow.type, {});
  sink->write(flow);
}

void PairOutputs::write_picture(const Pair& pair) const {
  const HostBlock picture = pair.picture.points();
  io::create_png(MPI_COMM_SELF, path("output.pictures", pair.index), picture.box, picture.type)
      ->write(picture);
}

void PairOutputs::add_tasks(graph::Graph& graph, const graph::Flow<PairLease>& pairs,
                            const std::function<void(const Pair&)>& done) {
  graph.sink(
      "write", {.on = Place::io()},
      [this, done](const PairLease& pair) {
        write_flow(*pair);
        done(*pair);
      },
      pairs);
  if (has("output.pictures"))
    graph.sink(
        "write pictures", {}, [this](const PairLease& pair) { write_picture(*pair); }, pairs);
  if (!has("output.video")) return;
  // Pictures wait for their turn without the memory of their pairs.
  const auto packed = graph.task(
      "pack pictures", {},
      [](const PairLease& pair) { return graph::packed(pair->index, pair->picture.points()); }, pairs);
  const auto collected = graph.send(
      "collect pictures", [](const PackedImage&) { return 0; }, packed);
  graph.sink(
      "write video", {.on = Place::io(), .order = graph::Order::stamp},
      [this, box = picture_of(frames_.info().domain)](PackedImage picture) {
        video_->write(packed_block(picture.samples.data(), ElementType::uint8, box));
      },
      collected);
}

}  // namespace flow
