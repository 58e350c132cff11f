// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace flow {
namespace {

using namespace tessera;
using deck::KeyDeclaration, deck::ValueType;

constexpr const char* group = "Flow";
/// The greatest number of levels that a deck can give.
constexpr int greatest_scales = 1000;

/// The words of decks for the enumerators of Solver and Penalty, in their order.
const std::vector<std::string> solvers = {"jacobi", "red_black", "chebyshev"};
const std::vector<std::string> penalties = {"quadratic", "charbonnier"};

/// Returns the enumerator that the deck chooses with a key. `names` has the words of all enumerators.
template <class Enum>
Enum choice(const deck::Deck& deck, const char* key, const std::vector<std::string>& names) {
  return static_cast<Enum>(std::ranges::find(names, deck.get<std::string>(key)) - names.begin());
}

/// Returns a key for a real number.
KeyDeclaration real(const char* name, const char* help, const char* value, double least, double greatest) {
  return {.name = name,
          .type = ValueType::real,
          .group = group,
          .help = help,
          .default_text = value,
          .minimum = least,
          .maximum = greatest};
}

/// Returns a key for a number of warps or turns.
KeyDeclaration count(const char* name, const char* help, const char* value) {
  return {.name = name,
          .type = ValueType::integer,
          .group = group,
          .help = help,
          .default_text = value,
          .minimum = 1,
          .maximum = 1000000};
}

/// Returns the keys that samples() needs, too: those of the pyramid, the solver and the penalty.
std::vector<KeyDeclaration> level_keys() {
  return {
      {.name = "scales",
       .type = ValueType::integer,
       .group = group,
       .help = "Levels of the pyramid; without it up to ten, as long as their diagonals have 16 pixels",
       .minimum = 1,
       .maximum = greatest_scales},
      real("zoom", "The extents of a level, as a share of the extents of the finer level", "0.5", 0.1, 0.95),
      {.name = "solver",
       .type = ValueType::choice,
       .group = group,
       .help = "What solves the equations of a warp: Jacobi's method, successive over-relaxation or "
               "Jacobi's method with Chebyshev's acceleration",
       .default_text = "chebyshev",
       .choices = solvers},
      {.name = "penalty",
       .type = ValueType::choice,
       .group = group,
       .help = "The penalty of differences of grey values and flows: quadratic, or Charbonnier's, which is "
               "robust",
       .default_text = "quadratic",
       .choices = penalties}};
}

/// Returns the other keys: those of the method, and those of pictures.
std::vector<KeyDeclaration> other_keys() {
  return {
      real("alpha", "The weight of smoothness; with the quadratic penalty its square counts", "7", 0.01, 1e6),
      real("presmoothing", "The standard deviation of the Gaussian that smooths the frames, in pixels", "0.8",
           0, 12),
      count("warps", "Warps at each level, at most", "10"),
      real("warp_tolerance",
           "The warps of a level end when a warp changes the flow by no more than this, as a root mean "
           "square, in pixels; 0 computes all warps",
           "0.0001", 0, 1e6),
      real("relaxation",
           "The factor of over-relaxation, less than 2; Chebyshev's acceleration is set for the same "
           "problems as this factor",
           "1.9", 1, 1.999),
      count("turns", "Turns of the solver in each warp, at most", "150"),
      real("tolerance",
           "The solver ends when a turn changes the flow by no more than this, as a root mean square, in "
           "pixels; 0 computes all turns",
           "0.0001", 0, 1e6),
      {.name = "reach",
       .type = ValueType::real,
       .group = group,
       .help =
           "The largest displacement of a warp: ranks then hold only this much of the second frame around "
           "their own parts; without it they hold all of the frame",
       .unit = "pixels",
       .minimum = 0,
       .maximum = 1e6},
      {.name = "picture.scale",
       .type = ValueType::real,
       .group = "Files",
       .help = "The displacement that has the purest colours in a picture; without it the largest one of the "
               "flow",
       .unit = "pixels",
       .minimum = 1e-6,
       .maximum = 1e9},
      {.name = "picture.blend",
       .type = ValueType::real,
       .group = "Files",
       .help = "The weight of the colours in a picture where they are drawn over the first frame, from 0 to "
               "1; without it the colours alone",
       .minimum = 0,
       .maximum = 1}};
}

/// Returns the settings of the keys of level_keys(). All other settings are the defaults.
Settings settings_of_levels(const deck::Deck& deck) {
  Settings settings;
  if (deck.is_set("scales")) settings.levels = static_cast<int>(deck.get<std::int64_t>("scales"));
  settings.zoom = deck.get<double>("zoom");
  settings.solver = choice<Solver>(deck, "solver", solvers);
  settings.penalty = choice<Penalty>(deck, "penalty", penalties);
  return settings;
}

/// Returns the settings of a deck. Throws InputError if the deck asks for more levels than frames with the
/// points `frame` can have.
Settings settings_of(const deck::Deck& deck, const Box& frame) {
  Settings settings = settings_of_levels(deck);
  if (const int most = most_levels(frame, settings.zoom); settings.levels && *settings.levels > most)
    deck.fail("scales",
              fmt::format("it is {}, but frames of {} x {} pixels have at most {} levels with the "
                          "zoom {}: give at most {}",
                          *settings.levels, frame[0].size(), frame[1].size(), most, settings.zoom, most));
  settings.alpha = deck.get<double>("alpha");
  settings.presmoothing = deck.get<double>("presmoothing");
  settings.warps = deck.get<std::int64_t>("warps");
  settings.warp_tolerance = deck.get<double>("warp_tolerance");
  settings.relaxation = deck.get<double>("relaxation");
  settings.turns = deck.get<std::int64_t>("turns");
  settings.tolerance = deck.get<double>("tolerance");
  if (deck.is_set("reach")) settings.reach = deck.get<double>("reach");
  return settings;
}

/// Throws InputError if the first frame does not have a type or a number of channels that the program takes.
void check_frame(const io::ImageInfo& frame, const deck::Deck& deck) {
  const std::string key = "input.first";
  app::check_image(frame, deck,
                   {.types = {ElementType::uint8, ElementType::uint16, ElementType::float32}, .key = key});
  if (frame.domain.dimensions == 2) return;
  const std::int64_t channels = frame.domain[2].size();
  if (channels != 1 && channels != 3 && channels != 4)
    deck.fail(key, fmt::format("it has {} channels: give an image of 1, 3 (RGB) or 4 (RGBA)", channels));
}

/// Throws InputError if the true flow does not have the type and the points of the flow of a frame.
void check_truth(const io::ImageInfo& truth, const Box& frame, const deck::Deck& deck) {
  const Box expected{frame[0], frame[1], {0, 2}};
  if (truth.type != ElementType::float32 || !(truth.domain == expected))
    deck.fail(
        "truth.file",
        fmt::format("it is {} of {}, but the flow of these frames is {} of float32: give a flow like it",
                    to_string(truth.domain), name_of(truth.type), to_string(expected)));
}

/// Returns the further outputs that a deck asks for. Throws InputError if keys of pictures are given without
/// a picture.
Extras extras_of(const deck::Deck& deck, bool has_truth) {
  Extras extras{.has_truth = has_truth, .has_picture = app::writes_picture(deck)};
  const auto number = [&](const char* key) -> std::optional<double> {
    if (!deck.is_set(key)) return std::nullopt;
    if (!extras.has_picture)
      deck.fail(key, "there is no picture: give output.png, PNG files or a video, too, or leave it out");
    return deck.get<double>(key);
  };
  extras.picture_scale = number("picture.scale");
  extras.blend = number("picture.blend");
  return extras;
}

/// Returns the levels whose solver computes several turns on a tile, as the deck asks. There are none on
/// devices.
std::set<int> levels_in_tiles(const deck::Deck& deck, std::size_t levels) {
  std::set<int> in_tiles;
  for (int level = 0; runs_on_host && level < static_cast<int>(levels); ++level)
    if (const std::string key = fmt::format("loops.solve_{}.turns_per_tile", level);
        deck.schema().find(key) != nullptr && deck.get<std::int64_t>(key) > 1)
      in_tiles.insert(level);
  return in_tiles;
}

/// Returns the pipeline for a frame. `others` has the image `truth` if the deck names one.
Pipeline build_with(const io::ImageInfo& frame, const std::map<std::string, io::ImageInfo>& others,
                    const deck::Deck& deck) {
  check_frame(frame, deck);
  const auto truth = others.find("truth");
  const bool has_truth = truth != others.end();
  if (has_truth) check_truth(truth->second, frame.domain, deck);
  const Extras extras = extras_of(deck, has_truth);
  Settings settings = settings_of(deck, frame.domain);
  settings.levels_in_tiles = levels_in_tiles(deck, level_boxes(frame.domain, settings).size());
  return make_pipeline(frame.domain, frame.type, settings, extras);
}

Pipeline build(const io::ImageInfo& frame, const deck::Deck& deck) { return build_with(frame, {}, deck); }

/// Returns the pipeline for large frames, which has many levels. A deck may schedule levels that smaller
/// frames do not have.
std::vector<Pipeline> samples(const io::ImageInfo&, const deck::Deck& deck) {
  Settings settings = settings_of_levels(deck);
  settings.levels = std::max(settings.levels.value_or(1), most_default_levels);
  std::int64_t extent = 1;
  const auto frame = [&] { return Box{{0, extent}, {0, extent}}; };
  while (most_levels(frame(), settings.zoom) < *settings.levels && extent < (1 << 30)) extent *= 2;
  settings.levels = std::min(*settings.levels, most_levels(frame(), settings.zoom));
  std::vector<Pipeline> pipelines;
  pipelines.push_back(make_pipeline(frame(), ElementType::uint8, settings, {.has_truth = true}));
  return pipelines;
}

/// Returns a map from each stage of a coarser level to the same stage of the finest level, whose keys of the
/// schedule apply to both.
std::map<std::string, std::string> stages_of_levels(const Algorithm& pipeline) {
  std::set<std::string> names;
  for (const ArrayDeclaration& array : pipeline.arrays()) names.insert(array.name);
  std::map<std::string, std::string> within;
  for (const std::string& stage : names) {
    const auto end = stage.rfind('_');
    if (end == std::string::npos || stage.substr(end) == "_0" ||
        stage.find_first_not_of("0123456789", end + 1) != std::string::npos)
      continue;
    if (const std::string finest = stage.substr(0, end) + "_0"; names.contains(finest))
      within[stage] = finest;
  }
  return within;
}

std::vector<KeyDeclaration> keys() {
  std::vector<KeyDeclaration> keys = level_keys();
  std::ranges::move(other_keys(), std::back_inserter(keys));
  return keys;
}

app::PipelineApplication program() {
  return {.program = "tessera-flow",
          .summary = "The optical flow between two frames, by the method of Horn and Schunck in a pyramid.",
          .input_key = "input.first",
          .further_images = {{.name = "truth",
                              .help = "The true flow, also as a .flo file, for the errors of the result",
                              .may_differ = true}},
          .image_lists = {{.key = "input.second",
                           .help = "The file of the second frame, which is like the first one",
                           .prefix = "frame",
                           .most = 1,
                           .may_follow = true}},
          .writes_flows = true,
          .picture = "picture",
          .needs_finite_images = true,
          .may_end_by_turns = true,
          .parameters = keys(),
          .stages_within = stages_of_levels,
          .samples = samples,
          .reads_schedule = true,
          .build = build,
          .build_with = build_with};
}

}  // namespace
}  // namespace flow

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(argc, argv, flow::program());
}
