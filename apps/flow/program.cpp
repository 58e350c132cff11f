// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "graph_program.hpp"
#include "tessera/app/image_application.hpp"

namespace flow {

using namespace tessera;

void check_frame(const io::ImageInfo& frame, const deck::Deck& deck, const std::string& key) {
  app::check_image(frame, deck,
                   {.types = {ElementType::uint8, ElementType::uint16, ElementType::float32}, .key = key});
  if (frame.domain.dimensions == 2) return;
  const std::int64_t channels = frame.domain[2].size();
  if (channels != 1 && channels != 3 && channels != 4)
    deck.fail(key, fmt::format("it has {} channels: give an image of 1, 3 (RGB) or 4 (RGBA)", channels));
}

void check_truth(const io::ImageInfo& truth, const Box& frame, const deck::Deck& deck, const std::string& key,
                 const std::string& name) {
  const Box expected{frame[0], frame[1], {0, 2}};
  if (truth.type != ElementType::float32 || !(truth.domain == expected))
    deck.fail(key, fmt::format("{} is {} of {}, but the flow of these frames {} of float32: give one like it",
                               name, to_string(truth.domain), name_of(truth.type), to_string(expected)));
}

namespace {

/// Returns the levels for which a deck asks for several turns of the solver on a tile. Devices have no such
/// tiles.
std::set<int> levels_in_tiles(const deck::Deck& deck, std::size_t levels) {
  std::set<int> in_tiles;
  for (int level = 0; runs_on_host && level < static_cast<int>(levels); ++level)
    if (deck.get<std::int64_t>(fmt::format("loops.solve_{}.turns_per_tile", level)) > 1)
      in_tiles.insert(level);
  return in_tiles;
}

Pipeline build_with(const io::ImageInfo& frame, const std::map<std::string, io::ImageInfo>& others,
                    const deck::Deck& deck) {
  check_frame(frame, deck, "input.first");
  Extras extras;
  if (const auto truth = others.find("truth"); truth != others.end()) {
    check_truth(truth->second, frame.domain, deck, "truth.file", "it");
    extras.has_truth = true;
  }
  extras.has_picture = deck.is_set("output.png");
  set_picture(extras, deck, "output.png");
  Settings settings = settings_of(deck, frame.domain);
  settings.levels_in_tiles = levels_in_tiles(deck, level_boxes(frame.domain, settings).size());
  return make_pipeline(frame.domain, frame.type, settings, extras);
}

Pipeline build(const io::ImageInfo& frame, const deck::Deck& deck) { return build_with(frame, {}, deck); }

/// Adds the names of the stages and loops that there may be, those of at least as many levels as there are
/// without the key: decks that schedule some levels, or the stages of a solver, serve frames with fewer
/// levels and other solvers, too.
app::PipelineApplication complete(app::PipelineApplication application, const deck::Deck& deck) {
  Settings settings = settings_of_levels(deck);
  settings.levels = std::max(settings.levels.value_or(1), most_default_levels);
  settings.penalty = Penalty::charbonnier;
  std::int64_t extent = 1;
  const auto frame = [&] { return Box{{0, extent}, {0, extent}}; };
  while (most_levels(frame(), settings.zoom) < *settings.levels && extent < (1 << 30)) extent *= 2;
  // `build` refuses more levels than the frames have.
  settings.levels = std::min(*settings.levels, most_levels(frame(), settings.zoom));
  for (const Solver solver : {Solver::red_black, Solver::chebyshev}) {
    settings.solver = solver;
    application = app::with_names_of(
        make_pipeline(frame(), ElementType::uint8, settings, {.has_truth = true}), std::move(application));
  }
  for (const char* stage : {"magnitude", "picture"}) application.stages.emplace_back(stage);
  application.reductions.emplace_back("largest_square");
  for (const std::string& stage : application.stages)
    if (const auto end = stage.rfind('_');
        end != std::string::npos && stage.substr(end) != "_0" &&
        std::ranges::all_of(stage.substr(end + 1), [](char c) { return c >= '0' && c <= '9'; }))
      if (const std::string finest = stage.substr(0, end) + "_0";
          std::ranges::find(application.stages, finest) != application.stages.end())
        application.stages_within[stage] = finest;
  return application;
}

}  // namespace

app::PipelineApplication program() {
  std::vector<deck::KeyDeclaration> parameters = method_keys();
  parameters.push_back(run_key());
  const std::vector<deck::KeyDeclaration> pictures = picture_keys(
      "The weight of the colours in output.png where they are drawn over the first frame, from 0 to 1; "
      "without it the colours alone");
  parameters.insert(parameters.end(), pictures.begin(), pictures.end());
  return {.program = "tessera-flow",
          .summary = "The optical flow between two frames, by the method of Horn and Schunck in a pyramid.",
          .input_key = "input.first",
          .further_images = {{.name = "truth",
                              .help = "The true flow, also as a .flo file, for the errors of the result",
                              .may_differ = true}},
          .image_lists = {{.key = "input.second",
                           .help = "The file of the second frame, which is like the first one",
                           .prefix = "frame",
                           .most = 1}},
          .writes_flows = true,
          .picture = "picture",
          .needs_finite_images = true,
          .may_end_by_turns = true,
          .parameters = parameters,
          .first_parameters = level_keys(),
          .complete = complete,
          .build = build,
          .build_with = build_with};
}

}  // namespace flow
