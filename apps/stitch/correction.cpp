// SPDX-License-Identifier: BSD-3-Clause
#include "correction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

namespace stitch {

namespace graph = tessera::graph;
namespace spectral = tessera::spectral;
using tessera::Range;

namespace {

/// Tiles with at least this evidence have a texture in common.
constexpr double least_evidence = 5;
/// A measured translation with at least this evidence is exact. With less, noise may have moved its peak by a
/// pixel.
constexpr double exact_evidence = 15;
/// A peak of at least this height is hardly noise. Heights are in standard deviations of the surface around
/// the peak.
constexpr double exact_height = 7;
/// A peak of at least this height is neither a pixel off nor one of the many peaks along an edge.
constexpr double clear_height = 25;

/// Returns the value below which the share `share` of the sorted `values` lies, interpolated linearly.
double quantile(const std::vector<int>& values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Returns a coordinate of all shifts, sorted.
std::vector<int> sorted(const std::vector<Shift>& shifts, int Shift::*coordinate) {
  std::vector<int> values;
  for (const Shift& shift : shifts) values.push_back(shift.*coordinate);
  std::ranges::sort(values);
  return values;
}

/// Returns the step that a stage makes if tiles have this overlap.
StageStep expected_step(Direction direction, Extent extent, double overlap) {
  const bool is_right = direction == Direction::right;
  const int side = is_right ? extent.width : extent.height;
  const int along = std::max(1, static_cast<int>(std::lround(side * (1 - overlap))));
  return {is_right ? Shift{along, 0} : Shift{0, along}, std::max(2, side / 20), 0};
}

/// Returns the median of the shifts without outliers, or `expected` if no shift is left.
StageStep step_of(const std::vector<Shift>& shifts, const StageStep& expected) {
  if (shifts.empty()) return expected;
  // Returns a function that says whether a coordinate of a shift is no outlier.
  const auto fence = [&](int Shift::*coordinate) {
    const std::vector<int> values = sorted(shifts, coordinate);
    const double first = quantile(values, 0.25), third = quantile(values, 0.75);
    const double reach = 1.5 * std::max(third - first, 2.0);
    return [=](const Shift& one) {
      return first - reach <= one.*coordinate && one.*coordinate <= third + reach;
    };
  };
  std::vector<Shift> kept;
  std::ranges::copy_if(
      shifts, std::back_inserter(kept),
      [x = fence(&Shift::x), y = fence(&Shift::y)](const Shift& one) { return x(one) && y(one); });
  if (kept.empty()) return expected;
  const auto median = [&](int Shift::*coordinate) {
    return static_cast<int>(std::lround(quantile(sorted(kept, coordinate), 0.5)));
  };
  // A few translations do not tell how far others may differ.
  const bool are_few = kept.size() < 4;
  StageStep step{{median(&Shift::x), median(&Shift::y)},
                 are_few ? expected.repeatability : 1,
                 static_cast<int>(kept.size())};
  for (const Shift& shift : kept)
    step.repeatability = std::max(step.repeatability, distance(shift, step.step));
  return step;
}

/// Returns the part of a tile's side that may lie on a second tile, whose shift differs from `shift` by up to
/// `radius`.
Range common_part(int side, int shift, int radius) {
  return {std::max(0, shift - radius), std::min(side, side + shift + radius)};
}

/// Copies the part of a flattened tile that may lie on a second tile to `part`, as differences from the
/// middle value, and sets all other points of `part` to 0. The second tile's shift differs from `shift` by up
/// to `radius`.
void copy_part(const Pixels& flat, Shift shift, int radius, spectral::Plane<float>& part) {
  std::ranges::fill(part, 0.0F);
  const auto [width, height] = flat.extent;
  const Range columns = common_part(width, shift.x, radius), rows = common_part(height, shift.y, radius);
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      const std::size_t index = flat.extent.index(x, y);
      part[index] = (static_cast<float>(flat.values[index]) - 32768.0F) / 65536.0F;
    }
}

/// Returns the shift around the step at which the clipped differences of the tiles are most alike, or `start`
/// if none is clearly better. All shifts within the search radius are tried if that takes no longer than the
/// rest of a search. If it takes longer, a hill is climbed from `start`.
std::optional<Shift> most_alike(const StageStep& step, const Pixels& first, const Pixels& second,
                                std::optional<Shift> start) {
  const auto [width, height] = first.extent;
  const auto [x, y] = step.step;
  const int radius = step.search_radius();
  const ClippedDifferences a(first, common_part(width, x, radius), common_part(height, y, radius)),
      b(second, common_part(width, -x, radius), common_part(height, -y, radius));
  std::optional<Shift> best = start;
  double most = start ? ClippedDifferences::evidence(a, b, *start) : 0;
  const auto look_around = [&](Shift centre, int reach) {
    for (int dy = -reach; dy <= reach; ++dy)
      for (int dx = -reach; dx <= reach; ++dx) {
        const Shift shift = centre + Shift{dx, dy};
        if (!step.has_within(shift, radius)) continue;
        if (const double found = ClippedDifferences::evidence(a, b, shift); found > most) {
          most = found;
          best = shift;
        }
      }
  };
  const double at_start = most;
  // The most pixels that a search of all shifts may compare.
  constexpr std::int64_t most_work = std::int64_t(1) << 25;
  const std::int64_t side = 2 * radius + 1, common_pixels = std::int64_t(std::max(0, width - std::abs(x))) *
                                                            std::max(0, height - std::abs(y));
  if (side * side * common_pixels <= most_work)
    look_around(step.step, radius);
  else if (start)
    for (std::optional<Shift> from; from != best;) look_around(*(from = best), 1);
  // Among many shifts, noise alone gives more evidence than at a single one: about this much more.
  constexpr double noise_of_many = 2, clearly_more = 0.5;
  const bool is_clear = most >= least_evidence + noise_of_many && most >= at_start + clearly_more;
  return is_clear && step.has_within(*best, radius - 1) ? best : start;
}

}  // namespace

StageModel model_of(const Placements& placements, Extent extent, double overlap, double reliable) {
  const auto step = [&](Direction direction) {
    std::vector<Shift> shifts;
    for (const auto& [one, origin, pair] : placements) {
      const bool is_good = one.correlation >= reliable && one.evidence >= least_evidence;
      const bool counts = origin == Origin::searched || (origin == Origin::measured && is_good);
      if (pair.direction == direction && counts) shifts.push_back(one.shift);
    }
    return step_of(shifts, expected_step(direction, extent, overlap));
  };
  return {step(Direction::right), step(Direction::below)};
}

bool is_founded(const StageModel& model, const Placements& placements) {
  return std::ranges::all_of(std::array{Direction::right, Direction::below}, [&](Direction direction) {
    const auto count =
        std::ranges::count(placements, direction, [](const Placement& one) { return one.pair.direction; });
    return model.of(direction).measured >= std::max(count / 4, std::min<std::ptrdiff_t>(count, 3));
  });
}

bool agrees(const StageModel& model, Extent extent, const Placement& placement, bool is_confirmed) {
  const StageStep& step = model.of(placement.pair.direction);
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
  // A single step of the stage may be far off the others, but not farther than this.
  const int farthest = std::max({3 * step.repeatability, side / 20, 2});
  const bool is_credible = measured.correlation >= reliable && measured.evidence >= least_evidence &&
                           step.has_within(measured.shift, farthest);
  constexpr double clearly = 3;  // noise changes evidence by about 1
  const bool is_better =
      searched.correlation == no_correlation || measured.evidence > searched.evidence + clearly;
  if (is_credible && is_better) return {measured, Origin::measured, pair};
  // A search that climbs a hill may leave its radius, but not by more than this.
  constexpr int beyond = 3;
  if (searched.correlation != no_correlation &&
      step.has_within(searched.shift, std::max(farthest, step.search_radius() + beyond)))
    return {searched, Origin::searched, pair};
  return {{.shift = step.step}, Origin::model, pair};
}

/// Returns the offsets from the step that flat_best tries: all of them within a small radius, or else those
/// with the highest unnormalised correlations, which Fourier transforms give for all offsets at once.
std::vector<Shift> Searcher::promising(const StageStep& step, const Pixels& first,
                                       const Pixels& second) const {
  constexpr int exhaustive_radius = 8, most = 32;
  const int radius = step.search_radius(), side = 2 * radius + 1;
  const auto offset = [&](std::size_t index) {
    return Shift{static_cast<int>(index) % side - radius, static_cast<int>(index) / side - radius};
  };
  std::vector<Shift> offsets;
  std::vector<float> window(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  if (radius <= exhaustive_radius) {
    for (std::size_t index = 0; index < window.size(); ++index) offsets.push_back(offset(index));
    return offsets;
  }
  spectral::Plane<float> pixels(extent_.pixels());
  spectral::Plane<std::complex<float>> a(extent_.frequencies()), b(a.size());
  copy_part(first, step.step, radius, pixels);
  transform_.forward(pixels.data(), a.data());
  copy_part(second, {-step.step.x, -step.step.y}, radius, pixels);
  transform_.forward(pixels.data(), b.data());
  std::ranges::transform(a, b, a.begin(), [](auto one, auto other) { return one * std::conj(other); });
  transform_.inverse(a.data(), pixels.data());
  const auto [width, height] = extent_;
  for (std::size_t index = 0; index < window.size(); ++index) {
    const Shift at = step.step + offset(index);
    window[index] = pixels[extent_.index((at.x % width + width) % width, (at.y % height + height) % height)];
  }
  for (const std::size_t index : highest<float>(window, most)) offsets.push_back(offset(index));
  return offsets;
}

/// Returns the shift with the best correlation of the flattened tiles. Returns nothing if the shift lies at
/// the border of the search, or if tiles that have nothing in common could correlate as much.
std::optional<Shift> Searcher::flat_best(const StageStep& step, const Pixels& first,
                                         const Pixels& second) const {
  const std::vector<std::uint16_t> flat_first = flattened(first), flat_second = flattened(second);
  const Pixels a{first.extent, flat_first}, b{second.extent, flat_second};
  const int radius = step.search_radius(), side = 2 * radius + 1;
  // The correlations by their offsets from the step; not a number where none has been computed yet.
  std::vector<double> known(static_cast<std::size_t>(side * side), std::numeric_limits<double>::quiet_NaN());
  const auto surface = [&](Shift offset) {
    if (distance(offset, {0, 0}) > radius) return no_correlation;
    double& value = known[static_cast<std::size_t>((offset.y + radius) * side + offset.x + radius)];
    if (std::isnan(value)) value = correlation(a, b, step.step + offset);
    return value;
  };
  Shift best;
  for (const Shift offset : promising(step, a, b))
    if (surface(offset) > surface(best)) best = offset;
  best = hilltop(best, surface);
  const Shift shift = step.step + best;
  const double common_pixels = std::max(0.0, double(first.extent.width - std::abs(shift.x))) *
                               std::max(0.0, double(first.extent.height - std::abs(shift.y)));
  // Flattened pixels are means of 3 x 3 pixels, so only one in nine counts as a value of its own.
  const bool is_chance = surface(best) * std::sqrt(common_pixels / 9) < least_evidence;
  if (surface(best) <= 0 || is_chance || distance(best, {0, 0}) == radius) return std::nullopt;
  // Flattened tiles are less exact at their borders, but noise disturbs them less than the tiles themselves.
  return evidence(first, second, shift) >= exact_evidence ? refined(first, second, shift) : shift;
}

std::int64_t Searcher::bytes() const {
  const auto pixels = static_cast<std::int64_t>(extent_.pixels());
  const auto frequencies = static_cast<std::int64_t>(extent_.frequencies());
  // The function `promising` uses the most. Each pixel has two tiles and two flattened tiles, and a real
  // number; each frequency has two complex numbers; and each shift has a correlation and a number in the
  // window.
  constexpr std::int64_t of_pixel = 2 * (2 + 2) + sizeof(float);
  const std::int64_t choice = pixels * of_pixel + 2 * frequencies * 2 * std::int64_t(sizeof(float)) +
                              (pixels / 4) * std::int64_t(sizeof(double) + sizeof(float));
  return choice + ClippedDifferences::bytes_of_sizes;
}

Translation Searcher::operator()(const StageStep& step, const Pixels& first, const Pixels& second) const {
  const std::optional<Shift> flat = flat_best(step, first, second);
  const std::optional<Shift> best = most_alike(step, first, second, flat);
  if (!best) return {};
  return {*best, correlation(first, second, *best), evidence(first, second, *best), 0};
}

Searches::Searches(const TileReader& reader, int workers, std::int64_t memory)
    : reader_(reader), searcher_(reader.extent()), areas_(workers) {
  if (!(reader.place() == graph::Place::threads())) areas_ = 1;
  if (memory > 0) areas_ = static_cast<int>(std::clamp<std::int64_t>(memory / searcher_.bytes(), 1, areas_));
}

void Searches::add_tasks(tessera::graph::Graph& graph) {
  const graph::Pool<Area> areas(
      graph, "areas", {.count = areas_, .bytes = searcher_.bytes()}, [pixels = reader_.extent().pixels()] {
        return Area{std::vector<std::uint16_t>(pixels), std::vector<std::uint16_t>(pixels)};
      });
  const auto outliers = graph.source("outliers", {.rank = graph::Task::every_rank}, [this](std::int64_t i) {
    return i < std::ssize(pairs_) ? std::optional(static_cast<std::size_t>(i)) : std::nullopt;
  });
  const auto found = graph.task(
      "search", {.on = reader_.place()},
      [this, extent = reader_.extent()](std::size_t number, const graph::Lease<Area>& area) {
        const Pair& pair = pairs_[number];
        reader_.read(pair.first, area->first);
        reader_.read(pair.second, area->second);
        const Translation one =
            searcher_(model_.of(pair.direction), {extent, area->first}, {extent, area->second});
        const bool is_good = is_possible(one.shift, pair.direction, extent, reader_.files());
        return std::pair(number, is_good ? one : Translation{});
      },
      outliers, areas);
  graph.sink(
      "note", {}, [this](const auto& one) { results_[one.first] = one.second; }, found);
}

}  // namespace stitch
