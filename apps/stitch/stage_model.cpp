// SPDX-License-Identifier: BSD-3-Clause
#include "stage_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace stitch {
namespace {

/// Returns the value below which the share `share` of the sorted `values` lies, interpolated linearly.
double quantile(const std::vector<int>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// The values of one coordinate that are not outliers.
struct Fence {
  double low = 0, high = 0;
  explicit Fence(std::vector<int> values) {
    std::ranges::sort(values);
    const double first = quantile(values, 0.25), third = quantile(values, 0.75);
    const double reach = 1.5 * std::max(third - first, 2.0);
    low = first - reach;
    high = third + reach;
  }
  bool contains(int value) const { return low <= value && value <= high; }
};

int median(std::vector<int> values) {
  std::ranges::sort(values);
  return static_cast<int>(std::lround(quantile(values, 0.5)));
}

std::vector<int> coordinates(const std::vector<Shift>& shifts, int Shift::*coordinate) {
  std::vector<int> values;
  for (const Shift& shift : shifts) values.push_back(shift.*coordinate);
  return values;
}

StageStep expected_step(Direction direction, Extent extent, double overlap) {
  const bool is_right = direction == Direction::right;
  const int side = is_right ? extent.width : extent.height;
  const int along = std::max(1, static_cast<int>(std::lround(side * (1 - overlap))));
  return {is_right ? Shift{along, 0} : Shift{0, along}, std::max(2, side / 20), 0};
}

StageStep step_of(const std::vector<Shift>& shifts, const StageStep& expected) {
  if (shifts.empty()) return expected;
  const Fence x(coordinates(shifts, &Shift::x)), y(coordinates(shifts, &Shift::y));
  std::vector<Shift> kept;
  for (const Shift& shift : shifts)
    if (x.contains(shift.x) && y.contains(shift.y)) kept.push_back(shift);
  if (kept.empty()) return expected;
  // So few translations do not tell how far others may differ.
  const bool are_few = kept.size() < 4;
  StageStep step{{median(coordinates(kept, &Shift::x)), median(coordinates(kept, &Shift::y))},
                 are_few ? expected.repeatability : 1,
                 static_cast<int>(kept.size())};
  for (const Shift& shift : kept)
    step.repeatability = std::max(step.repeatability, distance(shift, step.step));
  return step;
}

}  // namespace

bool StageStep::has_within(Shift shift, int radius) const { return distance(shift, step) <= radius; }

StageModel model_of(const std::vector<Pair>& pairs, const std::vector<Placement>& placements, Extent extent,
                    double overlap, double reliable) {
  const auto counts = [&](const Placement& one) {
    const bool is_good =
        one.translation.correlation >= reliable && one.translation.evidence >= least_evidence;
    return one.origin == Origin::searched || (one.origin == Origin::measured && is_good);
  };
  const auto step = [&](Direction direction) {
    std::vector<Shift> shifts;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].direction == direction && counts(placements[i]))
        shifts.push_back(placements[i].translation.shift);
    return step_of(shifts, expected_step(direction, extent, overlap));
  };
  return {step(Direction::right), step(Direction::below)};
}

bool is_founded(const StageModel& model, const std::vector<Pair>& pairs) {
  return std::ranges::all_of(std::array{Direction::right, Direction::below}, [&](Direction direction) {
    const auto count = std::ranges::count(pairs, direction, &Pair::direction);
    return model.of(direction).measured >= std::max(count / 4, std::min<std::ptrdiff_t>(count, 3));
  });
}

bool agrees(const StageModel& model, const Pair& pair, Extent extent, const Placement& placement,
            bool is_confirmed) {
  const StageStep& step = model.of(pair.direction);
  const Translation& one = placement.translation;
  const double height = one.peak * std::sqrt(static_cast<double>(extent.pixels()));
  const double least_height = is_confirmed ? exact_height : clear_height;
  const bool is_exact =
      placement.origin == Origin::searched || (placement.origin == Origin::measured && one.correlation > 0 &&
                                               one.evidence >= exact_evidence && height >= least_height);
  return is_exact && step.measured > 0 && step.has_within(one.shift, step.repeatability);
}

Placement choose(const StageModel& model, const Pair& pair, Extent extent, double reliable,
                 const Translation& measured, const Translation& searched) {
  const StageStep& step = model.of(pair.direction);
  const int side = pair.direction == Direction::right ? extent.width : extent.height;
  // A step of the stage may be far off the others, but not by more than that.
  const int farthest = std::max({3 * step.repeatability, side / 20, 2});
  const bool is_credible = measured.correlation >= reliable && measured.evidence >= least_evidence &&
                           step.has_within(measured.shift, farthest);
  constexpr double clearly = 3;  // noise changes evidence by about 1
  const bool is_better =
      searched.correlation == no_correlation || measured.evidence > searched.evidence + clearly;
  if (is_credible && is_better) return {measured, Origin::measured};
  if (searched.correlation != no_correlation) return {searched, Origin::searched};
  return {{.shift = step.step}, Origin::model};
}

}  // namespace stitch
