// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "results.hpp"
#include "stages.hpp"

namespace flow {
namespace {

using namespace tessera;

/// The article's program smooths by this deviation before it halves an image.
constexpr double deviation_of_halving = 0.6;

/// Returns the pixels of the level that is coarser than a level with the pixels `box`.
Box zoomed(const Box& box, double zoom) {
  const auto extent = [&](int d) {
    return std::max<std::int64_t>(std::llround(static_cast<double>(box[d].size()) * zoom), 1);
  };
  return {{0, extent(0)}, {0, extent(1)}};
}

/// Returns the number of levels of the article's program.
int default_levels(const Box& frame, double zoom) {
  const double diagonal =
      std::hypot(static_cast<double>(frame[0].size()), static_cast<double>(frame[1].size()));
  const int levels = static_cast<int>(1 + std::log(diagonal / 16) / std::log(1 / zoom));
  return std::clamp(levels, 1, std::min(most_default_levels, most_levels(frame, zoom)));
}

/// Returns the boundary conditions with which the article's program smooths. They mirror the image: the first
/// row or column is not repeated beyond the edge, but the last one is.
BoundaryConditions mirrored() {
  BoundaryConditions conditions(Boundary::mirror);
  conditions.side[0][0] = conditions.side[1][0] = Boundary::mirror_interior;
  return conditions;
}

/// Returns make(filter), where the filter has these weights. Short filters are of the type Filter<true>.
template <class Make>
Plane with_filter(const std::vector<float>& weights, const Make& make) {
  if (weights.size() <= Filter<true>::unrolled + 1) return make(Filter<true>(weights));
  return make(Filter<false>(weights));
}

/// Declares the input `input` of type T, and the grey values of this frame.
template <class T>
Plane add_grey(Pipeline& pipeline, const std::string& input, const std::string& name, const Box& frame) {
  if (frame.dimensions == 2)
    return pipeline.stage<float>(name + "_grey", Grey{}, pipeline.input<T, 2>(input, frame));
  const auto channels = pipeline.input<T, 3>(input, frame);
  if (frame[2].size() == 1) return pipeline.stage<float, 2>(name + "_grey", OnlyChannel{}, channels);
  return pipeline.stage<float, 2>(name + "_grey", Luminance{}, channels);
}

/// Declares the input `input` of the type `type`, and the grey values of this frame with their borders.
Plane add_grey(Pipeline& pipeline, const std::string& input, const std::string& name, const Box& frame,
               ElementType type) {
  const Plane grey = type == ElementType::uint8    ? add_grey<std::uint8_t>(pipeline, input, name, frame)
                     : type == ElementType::uint16 ? add_grey<std::uint16_t>(pipeline, input, name, frame)
                                                   : add_grey<float>(pipeline, input, name, frame);
  pipeline.bound(grey, {frame[0], frame[1]}, mirrored());
  return grey;
}

/// Declares level `level` of a frame, from the finer one.
Plane add_coarser(Pipeline& pipeline, const std::string& name, int level, const Box& box, Plane finer,
                  double zoom) {
  const double sigma = deviation_of_halving * std::sqrt(1 / (zoom * zoom) - 1);
  const auto stage = [&](const char* part) { return fmt::format("{}{}_{}", name, part, level); };
  const Plane smooth = with_filter(gaussian_weights(sigma), [&]<bool U>(const Filter<U>& filter) -> Plane {
    const Plane rows = pipeline.stage<float>(stage("_rows"), SmoothRows<U>{filter}, finer);
    return pipeline.stage<float>(stage("_smooth"), SmoothColumns<U>{filter}, rows);
  });
  const Plane coarser = zoom == 0.5
                            ? Plane(pipeline.stage<float>(stage(""), Halve{}, smooth))
                            : Plane(pipeline.stage<float>(stage(""), Zoom{static_cast<float>(zoom)}, smooth));
  pipeline.bound(coarser, box, mirrored());
  return coarser;
}

/// The levels of both frames. Level 0 is the finest.
struct Pyramids {
  std::vector<Plane> first, second;
  /// The grey values of the first frame, and the least and the greatest of them.
  Plane first_grey;
  Array<float, 1> first_range;
};

/// Declares the inputs `input` and `frame_1`, of `type` and with the points `frame`, and the stages that make
/// levels of them: `first_0`, `second_0`, `first_1`, and so on.
Pyramids add_pyramids(Pipeline& pipeline, const std::vector<Box>& boxes, const Box& frame, ElementType type,
                      const Settings& settings) {
  const Plane first = add_grey(pipeline, "input", "first", frame, type);
  const Plane second = add_grey(pipeline, "frame_1", "second", frame, type);
  const auto first_range = pipeline.reduce("first_range", GreyRange{}, first, boxes[0]);
  const auto second_range = pipeline.reduce("second_range", GreyRange{}, second, boxes[0]);
  const auto scale = pipeline.values<float>("scale", Scale{}, Scale::count, first_range, second_range);
  const auto levels = [&](const std::string& name, Plane grey) {
    std::vector<Plane> planes{
        with_filter(gaussian_weights(settings.presmoothing), [&]<bool U>(const Filter<U>& filter) -> Plane {
          const Plane rows =
              pipeline.stage<float>(name + "_rows_0", SmoothScaledRows<U>{filter}, grey, scale);
          return pipeline.stage<float>(name + "_0", SmoothColumns<U>{filter}, rows);
        })};
    pipeline.bound(planes[0], boxes[0], mirrored());
    for (std::size_t level = 1; level < boxes.size(); ++level)
      planes.push_back(
          add_coarser(pipeline, name, static_cast<int>(level), boxes[level], planes.back(), settings.zoom));
    return planes;
  };
  return {levels("first", first), levels("second", second), first, first_range};
}

/// Declares the magnitude that has the purest colours.
Array<float, 1> add_largest(Pipeline& pipeline, const Flow& flow, const Box& pixels, const Extras& extras) {
  if (extras.picture_scale)
    return pipeline.value<float>("largest", Constant{static_cast<float>(*extras.picture_scale)});
  const auto square = pipeline.stage<float>("magnitude", SquaredMagnitude{}, flow.u, flow.v);
  const auto largest_square = pipeline.reduce("largest_square", MaximumNorm<float>{}, square, pixels);
  return pipeline.value<float>("largest", LargestMagnitude{}, largest_square);
}

/// Declares the output `picture`: the colours of the flow, which are drawn over the first frame if the extras
/// have a weight for that. `type` is the type of the frame.
void add_picture(Pipeline& pipeline, const Flow& flow, const Pyramids& pyramids, ElementType type,
                 const Box& pixels, const Extras& extras) {
  const Box box{pixels[0], pixels[1], {0, 3}};
  const Array<float, 1> largest = add_largest(pipeline, flow, pixels, extras);
  if (!extras.blend)
    return pipeline.output(
        pipeline.planes<std::uint8_t, 3, 3>("picture", ColourCode{}, flow.u, flow.v, largest), box);
  // Bytes stay as they are. Grey values of other types are stretched to 0 to 255.
  const Array<float, 1> scale =
      type == ElementType::uint8
          ? Array<float, 1>(pipeline.values<float>("backdrop_scale", Unscaled{}, Scale::count))
          : pipeline.values<float>("backdrop_scale", Scale{}, Scale::count, pyramids.first_range,
                                   pyramids.first_range);
  const Overlay overlay(static_cast<float>(*extras.blend));
  pipeline.output(pipeline.planes<std::uint8_t, 3, 3>("picture", overlay, flow.u, flow.v, pyramids.first_grey,
                                                      largest, scale),
                  box);
}

/// Declares the input `truth`, and the errors of the flow as outputs of one element each.
void add_errors(Pipeline& pipeline, const Flow& flow, const Box& pixels) {
  using Byte = std::uint8_t;
  const auto truth = pipeline.input<float, 3>("truth", {pixels[0], pixels[1], {0, 2}});
  const auto [distance, angle, above_1, above_3, known] =
      pipeline.stages<TypeList<float, float, Byte, Byte, Byte>>(
          {"endpoint_error", "angular_error", "above_1", "above_3", "known"}, Errors{}, flow.u, flow.v,
          truth);
  const auto count = pipeline.reduce("known_pixels", Sum<Byte>{}, known, pixels);
  const auto add_number = [&]<class T>(const char* name, Array<T, 2> errors) {
    const auto sum = pipeline.reduce(fmt::format("sum_of_{}", name), Sum<T>{}, errors, pixels);
    pipeline.output(pipeline.value<double>(name, Share{}, sum, count));
  };
  add_number("average_endpoint_error", Array<float, 2>(distance));
  add_number("average_angular_error", Array<float, 2>(angle));
  add_number("share_above_1", Array<Byte, 2>(above_1));
  add_number("share_above_3", Array<Byte, 2>(above_3));
}

}  // namespace

int most_levels(const Box& frame, double zoom) {
  int levels = 1;
  for (Box box{frame[0], frame[1]};; ++levels) {
    const Box next = zoomed(box, zoom);
    if (next == box) return levels;
    box = next;
  }
}

std::vector<Box> level_boxes(const Box& frame, const Settings& settings) {
  std::vector<Box> boxes{Box{frame[0], frame[1]}};
  const int levels = settings.levels.value_or(default_levels(frame, settings.zoom));
  while (static_cast<int>(boxes.size()) < levels) boxes.push_back(zoomed(boxes.back(), settings.zoom));
  return boxes;
}

Pipeline make_pipeline(const Box& frame, ElementType type, const Settings& settings, const Extras& extras) {
  Pipeline pipeline;
  const std::vector<Box> boxes = level_boxes(frame, settings);
  const Pyramids pyramids = add_pyramids(pipeline, boxes, frame, type, settings);
  std::optional<Flow> flow;
  for (std::size_t level = boxes.size(); level-- > 0;)
    flow = add_level(pipeline, static_cast<int>(level), boxes, settings, pyramids.first[level],
                     pyramids.second[level], flow);
  pipeline.output(pipeline.planes<float, 3, 2>("flow", TwoChannels{}, flow->u, flow->v),
                  {boxes[0][0], boxes[0][1], {0, 2}});
  if (extras.has_picture) add_picture(pipeline, *flow, pyramids, type, boxes[0], extras);
  if (extras.has_truth) add_errors(pipeline, *flow, boxes[0]);
  return pipeline;
}

}  // namespace flow
