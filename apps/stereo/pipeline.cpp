// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "stages.hpp"
#include "tessera/operators/convolution.hpp"
#include "tessera/operators/expression.hpp"

namespace stereo {
namespace {

using namespace tessera;
using operators::BlockMatching, operators::Image, operators::MatchedImages, operators::MatchingErrors,
    operators::ShiftDirection;

// Disparities without a rival are unique, whatever the percentage is.
static_assert(100 * BlockMatching::no_rival >
              (100 + Settings::greatest_uniqueness) * BlockMatching::errors_end);

/// Returns the names of the results of a search: `name` for the disparity, and a name for each of `errors`.
/// All end with `suffix`. The errors of the search in the first match image begin with "back_".
std::vector<std::string> names_of(const std::string& name, const std::string& suffix, MatchingErrors errors) {
  const std::string prefix = name.starts_with("back_") ? "back_" : "";
  std::vector<std::string> names{name + suffix};
  if (errors != MatchingErrors::none) names.push_back(prefix + "error" + suffix);
  if (errors == MatchingErrors::with_neighbours || errors == MatchingErrors::all)
    for (const char* neighbour : {"error_below", "error_above"}) names.push_back(prefix + neighbour + suffix);
  if (errors == MatchingErrors::with_rival || errors == MatchingErrors::all)
    names.push_back(prefix + "error_rival" + suffix);
  return names;
}

/// Adds the stage that joins the results `a` and `b` of two blocks. Its results have `names` and the kind
/// `errors`. The block of `b` begins with the disparity `next_begin`.
MatchedImages join(Pipeline& pipeline, const std::vector<std::string>& names, MatchingErrors errors,
                   const MatchedImages& a, const MatchedImages& b, int next_begin, int disparities) {
  using Disparity = std::uint8_t;
  using Error = std::int64_t;
  if (errors == MatchingErrors::none)
    return {pipeline.stage<Disparity>(names[0], Better{}, a.disparity, a.error, b.disparity, b.error),
            {no_array},
            {no_array},
            {no_array},
            {no_array}};
  if (errors == MatchingErrors::least) {
    const auto [disparity, error] = pipeline.stages<TypeList<Disparity, Error>>(
        names, BetterWithError{}, a.disparity, a.error, b.disparity, b.error);
    return {disparity, error, {no_array}, {no_array}, {no_array}};
  }
  if (errors == MatchingErrors::all) {
    BetterWithRival body;
    body.next_begin = next_begin;
    body.disparities = disparities;
    const auto [disparity, error, below, above, rival] =
        pipeline.stages<TypeList<Disparity, Error, Error, Error, Error>>(
            names, body, a.disparity, a.error, a.error_below, a.error_above, a.error_rival, b.disparity,
            b.error, b.error_below, b.error_above, b.error_rival);
    return {disparity, error, below, above, rival};
  }
  const auto [disparity, error, below, above] = pipeline.stages<TypeList<Disparity, Error, Error, Error>>(
      names, BetterWithNeighbours{}, a.disparity, a.error, a.error_below, a.error_above, b.disparity, b.error,
      b.error_below, b.error_above);
  return {disparity, error, below, above, {no_array}};
}

/// Adds the stages that search all blocks of disparities, and the stages that join their results. The results
/// of the last stage are the disparity, which is called `name`, and `errors`.
MatchedImages search(Pipeline& pipeline, const std::string& name, const Image& reference,
                     const std::vector<Image>& matches, BlockMatching matching, const Settings& settings,
                     MatchingErrors errors) {
  matching.errors = errors;
  matching.block = {0, matching.disparities};
  // Fractions need the errors of both neighbours of a disparity. Rivals need only the neighbour in the same
  // block, if each block has at least two disparities.
  matching.has_outer_neighbours = settings.has_fractions || settings.disparities < 2 * settings.blocks;
  if (settings.blocks == 1)
    return match_blocks(pipeline, names_of(name, "", errors), reference, matches, matching);
  if (errors == MatchingErrors::none) matching.errors = MatchingErrors::least;
  MatchedImages best{};
  for (int b = 0; b < settings.blocks; ++b) {
    matching.block = settings.block(b);
    const MatchedImages next = match_blocks(pipeline, names_of(name, fmt::format("_{}", b), matching.errors),
                                            reference, matches, matching);
    const bool is_last = b == settings.blocks - 1;
    const MatchingErrors results = is_last ? errors : matching.errors;
    best = b == 0 ? next
                  : join(pipeline, names_of(name, is_last ? "" : fmt::format("_to_{}", b), results), results,
                         best, next, static_cast<int>(matching.block.begin), matching.disparities);
  }
  return best;
}

/// Returns the errors that refinement and the test of uniqueness need.
MatchingErrors errors_for(const Settings& settings) {
  // The best disparities of two blocks may be neighbours. The rival may then be the disparity on the other
  // side of the worse one, so that joining blocks needs the errors of neighbours.
  if (settings.uniqueness)
    return settings.has_fractions || settings.blocks > 1 ? MatchingErrors::all : MatchingErrors::with_rival;
  return settings.has_fractions ? MatchingErrors::with_neighbours : MatchingErrors::none;
}

/// Returns the parameters of a search in the match images for the disparities of the reference.
BlockMatching matching_of(const Settings& settings) {
  return {.baselines = settings.baselines,
          .direction = settings.direction,
          .cost = settings.cost,
          .window = settings.window,
          .disparities = settings.disparities};
}

/// Adds the stages that search the disparities of the first match image, and compare them with the
/// disparities `found` of the reference. Returns `values`, but invalid_disparity where the two disagree.
template <class T>
Array<float, 2> add_check(Pipeline& pipeline, Array<T, 2> values, Array<std::uint8_t, 2> found,
                          const Image& reference, const Image& match, const Settings& settings) {
  const bool is_left = settings.direction == ShiftDirection::left;
  BlockMatching back = matching_of(settings);
  back.baselines.resize(1);
  back.direction = is_left ? ShiftDirection::right : ShiftDirection::left;
  const auto of_match =
      search(pipeline, "back_disparity", match, {reference}, back, settings, MatchingErrors::none);
  const Checked body{{reference.domain[0], reference.domain[1]},
                     (is_left ? -1 : 1) * settings.baselines[0],
                     settings.disparities,
                     *settings.tolerance,
                     invalid_disparity};
  return pipeline.stage<float>("disparity", body, values, found, of_match.disparity);
}

/// Adds the output: the disparities of the pixels, or their depths.
template <class T>
void add_result(Pipeline& pipeline, Array<T, 2> disparity, const Box& image, const Settings& settings) {
  if (settings.result == Result::disparity) return pipeline.output(disparity, image);
  Depth depth;
  depth.focal_length_times_distance = settings.focal_length_times_distance;
  pipeline.output(pipeline.stage<float>("depth", depth, disparity), image);
}

/// Adds the stages that find out which pixels are invalid, and the output. Valid pixels have the disparities
/// `values`, which may be refined. `found` are the results of the search. `images` has the reference, and
/// then the match images.
template <class T>
void add_checked_result(Pipeline& pipeline, Array<T, 2> values, const MatchedImages& found,
                        const std::vector<Image>& images, const Settings& settings) {
  const Box points{images[0].domain[0], images[0].domain[1]};
  const auto add = [&](auto of_valid) {
    if (!settings.tolerance) return add_result(pipeline, of_valid, points, settings);
    add_result(pipeline, add_check(pipeline, of_valid, found.disparity, images[0], images[1], settings),
               points, settings);
  };
  if (!settings.uniqueness) return add(values);
  Unique body;
  body.percentage = *settings.uniqueness;
  body.invalid = invalid_disparity;
  add(pipeline.stage<float>(settings.tolerance ? "unique" : "disparity", body, values, found.error,
                            found.error_rival));
}

/// Declares the input `name`, and adds the stages of its filter. Returns the image that is matched.
Image input(Pipeline& pipeline, const std::string& name, const Box& image, ElementType type,
            const Settings& settings) {
  const Image values = operators::input(pipeline, name, type, image);
  if (settings.prefilter == Prefilter::none) return values;
  const Image gradient =
      operators::sobel(pipeline, values, {.part = operators::GradientPart::x}, name + "_gradient");
  const bool is_small = 2 * settings.cap <= std::numeric_limits<std::uint8_t>::max();
  return operators::expression(
      pipeline, fmt::format("clamp(gradient, -{0}, {0}) + {0}", settings.cap), {{"gradient", gradient}},
      {.type = is_small ? ElementType::uint8 : ElementType::uint16, .name = name + "_filtered"});
}

}  // namespace

Pipeline make_pipeline(const Box& image, ElementType type, const Settings& settings) {
  if (settings.blocks > settings.disparities)
    throw operators::ParameterError(fmt::format("blocks is {}: it must be at most disparities, which is {}",
                                                settings.blocks, settings.disparities),
                                    "blocks");
  Pipeline pipeline;
  std::vector<Image> images{input(pipeline, "input", image, type, settings)};
  for (std::size_t i = 1; i <= settings.baselines.size(); ++i)
    images.push_back(input(pipeline, fmt::format("match_{}", i), image, type, settings));
  const MatchingErrors errors = errors_for(settings);
  const MatchedImages found =
      search(pipeline, settings.is_plain() ? "disparity" : "found", images[0],
             {images.begin() + 1, images.end()}, matching_of(settings), settings, errors);
  if (!settings.has_fractions) {
    add_checked_result(pipeline, found.disparity, found, images, settings);
    return pipeline;
  }
  Refined body;
  body.disparities = settings.disparities;
  const bool is_last = !settings.uniqueness && !settings.tolerance;
  add_checked_result(pipeline,
                     pipeline.stage<float>(is_last ? "disparity" : "refined", body, found.disparity,
                                           found.error, found.error_below, found.error_above),
                     found, images, settings);
  return pipeline;
}

}  // namespace stereo
