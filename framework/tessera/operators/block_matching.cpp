// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/block_matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tessera/operators/detail/matching_task.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera::operators {
namespace {

using detail::MatchingArrays, detail::MatchingTask;

/// A kernel that computes single points of a block matching of images of T, for devices.
template <class T>
class MatchingPoint {
 public:
  /// The points that are computed.
  Box units;

  MatchingPoint(const MatchingTask& task, const MatchingArrays& arrays, const Box& box)
      : units(box), task_(task), arrays_(arrays) {}

  /// Computes the disparity at `p`, and those errors that have an array.
  KOKKOS_FUNCTION void compute(const int* p) const {
    int best = static_cast<int>(task_.winners.begin);
    std::int64_t least = error(p[0], p[1], best);
    for (int d = best + 1; d < task_.winners.end; ++d) {
      const std::int64_t next = error(p[0], p[1], d);
      if (next >= least) continue;
      least = next;
      best = d;
    }
    at<std::uint8_t>(arrays_.disparity, p) = static_cast<std::uint8_t>(best);
    for (int e = 0; e < 3; ++e) {
      if (arrays_.errors[e].origin == nullptr) continue;
      const int d = e == 0 ? best : e == 1 ? best - 1 : best + 1;
      at<std::int64_t>(arrays_.errors[e], p) = task_.candidates.contains(d) ? error(p[0], p[1], d) : 0;
    }
    if (arrays_.errors[3].origin != nullptr) at<std::int64_t>(arrays_.errors[3], p) = error_of_rival(p, best);
  }

 private:
  template <class Value>
  KOKKOS_FUNCTION static Value& at(const ArrayReference& array, const int* p) {
    return reinterpret_cast<Value*>(array.origin)[p[0] + p[1] * array.strides[1]];
  }
  KOKKOS_FUNCTION static std::int64_t element(const ArrayReference& array, std::int64_t x, std::int64_t y,
                                              int channel) {
    return reinterpret_cast<const T*>(array.origin)[x + y * array.strides[1] + channel * array.strides[2]];
  }
  KOKKOS_FUNCTION static std::int64_t clamped(std::int64_t value, Range range) {
    return value < range.begin ? range.begin : value >= range.end ? range.end - 1 : value;
  }

  /// Returns the least error of the disparities that differ from `best` by more than 1.
  KOKKOS_FUNCTION std::int64_t error_of_rival(const int* p, int best) const {
    std::int64_t least = BlockMatching::no_rival;
    for (auto d = static_cast<int>(task_.winners.begin); d < task_.winners.end; ++d) {
      if (d >= best - 1 && d <= best + 1) continue;
      const std::int64_t next = error(p[0], p[1], d);
      if (next < least) least = next;
    }
    return least;
  }
  /// Returns the error of disparity `d` at a point: the sum of the differences in the window around it.
  KOKKOS_FUNCTION std::int64_t error(int x, int y, int d) const {
    std::int64_t sum = 0;
    for (int b = -task_.reach; b <= task_.reach; ++b)
      for (int a = -task_.reach; a <= task_.reach; ++a)
        sum += difference(clamped(x + a, task_.image[0]), clamped(y + b, task_.image[1]), d);
    return sum;
  }
  /// Returns the sum of the differences between a point of the reference and those of the match images that
  /// disparity `d` leads to.
  KOKKOS_FUNCTION std::int64_t difference(std::int64_t x, std::int64_t y, int d) const {
    const int direction = task_.is_leftward ? -1 : 1;
    std::int64_t sum = 0;
    for (int i = 0; i < task_.images; ++i) {
      const std::int64_t place = clamped(x + direction * task_.baselines[i] * d, task_.image[0]);
      for (int c = 0; c < task_.channels; ++c) {
        const std::int64_t e = element(arrays_.reference, x, y, c) - element(arrays_.matches[i], place, y, c);
        sum += !task_.is_absolute ? e * e : e < 0 ? -e : e;
      }
    }
    return sum;
  }

  MatchingTask task_;
  MatchingArrays arrays_;
};

/// The kernel of a stage of block matching. Its inputs are the reference and then the match images.
class MatchingStage final : public StageKernel {
 public:
  /// `errors` has the numbers among MatchingArrays::errors of the results that follow the disparity.
  MatchingStage(MatchingTask task, std::vector<int> errors, bool has_channels)
      : task_(std::move(task)), errors_(std::move(errors)), has_channels_(has_channels) {}

  void required(const Box& box, Box* needs) const override {
    for (int input = 0; input <= task_.images; ++input) {
      needs[input] = task_.needs(input - 1, box);
      if (has_channels_) needs[input] = {needs[input][0], needs[input][1], {0, task_.channels}};
    }
  }

  double operations_per_point() const override { return task_.operations_per_point(); }

  std::int64_t library_bytes(const Box& /*box*/) const override { return detail::matching_bytes(task_); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor /*monitor*/) const override {
    detail::match(task_, arrays(inputs, outputs), box);
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    if (task_.type == ElementType::uint8)
      launch_points<std::uint8_t>(execution, arrays(inputs, outputs), box);
    else
      launch_points<std::uint16_t>(execution, arrays(inputs, outputs), box);
  }

 private:
  MatchingArrays arrays(const ArrayReference* inputs, const ArrayReference* outputs) const {
    MatchingArrays arrays{.reference = inputs[0], .matches = {}, .disparity = outputs[0], .errors = {}};
    std::copy_n(inputs + 1, task_.images, arrays.matches);
    for (std::size_t e = 0; e < errors_.size(); ++e) arrays.errors[errors_[e]] = outputs[e + 1];
    return arrays;
  }
  template <class T>
  void launch_points(const ExecutionSpace& execution, const MatchingArrays& arrays, const Box& box) const {
    const MatchingPoint<T> kernel(task_, arrays, box);
    tessera::detail::launch_points(execution, kernel.units, kernel);
  }

  MatchingTask task_;
  std::vector<int> errors_;
  bool has_channels_;
};

void check_matching(const std::vector<Image>& matches, const Image& reference, const BlockMatching& p) {
  if (matches.empty() || matches.size() > BlockMatching::most_matches)
    throw OperandError(
        fmt::format("there are {} match images: give 1 to {}", matches.size(), BlockMatching::most_matches),
        0);
  if (reference.type != ElementType::uint8 && reference.type != ElementType::uint16)
    throw OperandError(
        fmt::format("the images are of {}: give images of uint8 or uint16, whose sums are exact",
                    name_of(reference.type)),
        0);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].type != reference.type || !(matches[i].domain == reference.domain))
      throw OperandError(
          fmt::format("match image {} is {} of {}, but the reference {} of {}: give one like it", i + 1,
                      extents_text(matches[i]), name_of(matches[i].type), extents_text(reference),
                      name_of(reference.type)),
          static_cast<int>(i) + 1);
  if (p.baselines.size() != matches.size())
    throw ParameterError(fmt::format("there are {} baselines, but {} match images: give one for each",
                                     p.baselines.size(), matches.size()),
                         "baselines");
  if (std::ranges::any_of(p.baselines, [](int baseline) {
        return baseline < 1 || baseline > BlockMatching::greatest_baseline;
      }))
    throw ParameterError(fmt::format("a baseline must be 1 to {}", BlockMatching::greatest_baseline),
                         "baselines");
  if (p.window < 1 || p.window > BlockMatching::most_window || p.window % 2 == 0)
    throw ParameterError(
        fmt::format("window is {}: it must be odd, and at most {}", p.window, BlockMatching::most_window),
        "window");
  const std::int64_t most =
      std::min<std::int64_t>(BlockMatching::most_disparities, reference.domain[0].size());
  if (p.disparities < 1 || p.disparities > most)
    throw ParameterError(
        fmt::format("disparities is {}: it must be 1 to {}{}", p.disparities, most,
                    most < BlockMatching::most_disparities ? ", the width of the images" : ""),
        "disparities");
  if (p.block.empty() || p.block.begin < 0 || p.block.end > p.disparities)
    throw InternalError("block matching: a block of disparities is empty, or exceeds the disparities");
}

/// Returns the places in MatchingArrays::errors of the errors that are results, in the order of
/// MatchedImages.
std::vector<int> errors_of(MatchingErrors errors) {
  const std::vector<int> results[] = {{}, {0}, {0, 1, 2}, {0, 3}, {0, 1, 2, 3}};
  return results[static_cast<std::size_t>(errors)];
}

MatchingTask matching_task(const Image& reference, const BlockMatching& p) {
  MatchingTask task{.image = {reference.domain[0], reference.domain[1]},
                    .channels = static_cast<int>(reference.channels()),
                    .type = reference.type,
                    .images = static_cast<int>(p.baselines.size()),
                    .is_leftward = p.direction == ShiftDirection::left,
                    .is_absolute = p.cost == MatchingCost::absolute,
                    .reach = p.window / 2,
                    .candidates = p.block,
                    .winners = p.block};
  std::ranges::copy(p.baselines, task.baselines);
  task.has_rivals = p.errors == MatchingErrors::with_rival || p.errors == MatchingErrors::all;
  if (p.has_outer_neighbours &&
      (p.errors == MatchingErrors::with_neighbours || p.errors == MatchingErrors::all))
    task.candidates = intersection({p.block.begin - 1, p.block.end + 1}, {0, p.disparities});
  if (task.greatest_sum() >= static_cast<double>(BlockMatching::errors_end))
    throw OperandError(
        fmt::format("errors may be too large for {} match images with {} channels and a window of {}: give "
                    "images with fewer channels, fewer match images or a smaller window{}",
                    task.images, task.channels, p.window,
                    task.is_absolute ? "" : ", or add absolute differences (cost=absolute)"),
        0);
  return task;
}

}  // namespace

MatchedImages match_blocks(Pipeline& pipeline, const std::vector<std::string>& names, const Image& reference,
                           const std::vector<Image>& matches, const BlockMatching& parameters) {
  check_matching(matches, reference, parameters);
  const std::vector<int> errors = errors_of(parameters.errors);
  std::vector<ArrayId> inputs{reference.id};
  for (const Image& match : matches) inputs.push_back(match.id);
  std::vector<ElementType> types(errors.size() + 1, ElementType::int64);
  types[0] = ElementType::uint8;
  const auto kernel = std::make_shared<MatchingStage>(matching_task(reference, parameters), errors,
                                                      reference.dimensions() == 3);
  const ArrayId id = pipeline.stages_of_kernel(names, types, 2, inputs, kernel);
  ArrayId ids[4] = {no_array, no_array, no_array, no_array};
  for (std::size_t e = 0; e < errors.size(); ++e) ids[errors[e]] = id + 1 + static_cast<int>(e);
  return {{id}, {ids[0]}, {ids[1]}, {ids[2]}, {ids[3]}};
}

}  // namespace tessera::operators
