// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "clipped_differences.hpp"

namespace stitch {
namespace {

/// Returns those coordinates of [0, side) that lie in [begin, end).
tessera::Range cut(int side, int begin, int end) { return {std::max(0, begin), std::min(side, end)}; }

/// Copies the pixels of a flattened tile in two ranges, from their middle value on, and sets all others to 0.
void copy_part(const Pixels& flat, tessera::Range columns, tessera::Range rows, Aligned<float>& to) {
  std::ranges::fill(to.all(), 0.0F);
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      const std::int64_t at = y * flat.extent.width + x;
      to.data()[at] = (static_cast<float>(flat.values[static_cast<std::size_t>(at)]) - 32768.0F) / 65536.0F;
    }
}

}  // namespace

/// Correlations around a step, each of which is computed once.
class Searcher::Surface {
 public:
  Surface(const StageStep& step, const Pixels& first, const Pixels& second)
      : centre_(step.step),
        radius_(step.search_radius()),
        first_(first),
        second_(second),
        values_(static_cast<std::size_t>(side() * side()), std::numeric_limits<double>::quiet_NaN()) {}

  int radius() const { return radius_; }
  bool is_border(Shift at) const { return distance(at, {0, 0}) == radius_; }
  Shift absolute(Shift at) const { return {centre_.x + at.x, centre_.y + at.y}; }
  /// Returns the correlation at an offset from the step; none outside of the radius.
  double operator()(Shift at) {
    if (distance(at, {0, 0}) > radius_) return no_correlation;
    double& value = values_[static_cast<std::size_t>((at.y + radius_) * side() + at.x + radius_)];
    if (std::isnan(value)) value = correlation(first_, second_, absolute(at));
    return value;
  }
  /// Returns the offset of the hilltop that is reached from `at` by steps to the best of eight neighbours.
  Shift climb(Shift at) {
    for (;;) {
      Shift best = at;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          if (const Shift next{at.x + x, at.y + y}; (*this)(next) > (*this)(best)) best = next;
      if (best == at) return at;
      at = best;
    }
  }

 private:
  int side() const { return 2 * radius_ + 1; }

  Shift centre_;
  int radius_;
  Pixels first_, second_;
  std::vector<double> values_;
};

/// Returns offsets from the step that are worth a look.
std::vector<Shift> Searcher::promising(const StageStep& step, const Pixels& first,
                                       const Pixels& second) const {
  constexpr int exhaustive_radius = 8, most = 32;
  const int radius = step.search_radius(), side = 2 * radius + 1;
  const auto offset = [&](std::size_t place) {
    return Shift{static_cast<int>(place) % side - radius, static_cast<int>(place) / side - radius};
  };
  std::vector<Shift> offsets;
  const auto all = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  if (radius <= exhaustive_radius) {
    for (std::size_t place = 0; place < all; ++place) offsets.push_back(offset(place));
    return offsets;
  }
  const auto [width, height] = fourier_.extent();
  const Shift low{step.step.x - radius, step.step.y - radius},
      high{step.step.x + radius, step.step.y + radius};
  Aligned<float> pixels(fourier_.extent().pixels());
  const Aligned<std::complex<float>> a(fourier_.extent().frequencies()), b(a.size());
  copy_part(first, cut(width, low.x, width + high.x), cut(height, low.y, height + high.y), pixels);
  fourier_.forward(pixels, a);
  copy_part(second, cut(width, -high.x, width - low.x), cut(height, -high.y, height - low.y), pixels);
  fourier_.forward(pixels, b);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] *= std::conj(b.data()[i]);
  fourier_.backward(a, pixels);
  std::vector<float> window(all);
  for (std::size_t place = 0; place < all; ++place) {
    const Shift at = offset(place);
    const int x = ((step.step.x + at.x) % width + width) % width,
              y = ((step.step.y + at.y) % height + height) % height;
    window[place] = pixels.data()[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                  static_cast<std::size_t>(x)];
  }
  for (const std::size_t place : highest<float>(window, most)) offsets.push_back(offset(place));
  return offsets;
}

/// Returns the shift with the best correlation of the flattened tiles, unless it lies at the border of what
/// is searched, or flattened tiles that have nothing in common could correlate as much.
std::optional<Shift> Searcher::flat_best(const StageStep& step, const Pixels& first,
                                         const Pixels& second) const {
  const std::vector<std::uint16_t> flat_first = flattened(first), flat_second = flattened(second);
  const Pixels a{first.extent, flat_first}, b{second.extent, flat_second};
  Surface surface(step, a, b);
  Shift best;
  for (const Shift at : promising(step, a, b))
    if (surface(at) > surface(best)) best = at;
  best = surface.climb(best);
  Shift shift = surface.absolute(best);
  const double pixels = std::max(0.0, double(first.extent.width - std::abs(shift.x))) *
                        std::max(0.0, double(first.extent.height - std::abs(shift.y)));
  // Means of 3 x 3 pixels: only one in nine is a value of its own.
  const bool is_chance = surface(best) * std::sqrt(pixels / 9) < least_evidence;
  if (surface(best) <= 0 || is_chance || surface.is_border(best)) return std::nullopt;
  // Flattening is less exact at the borders of tiles, but noise disturbs it less.
  return evidence(first, second, shift) >= exact_evidence ? refined(first, second, shift) : shift;
}

/// Returns the shift around the step at which the clipped differences of the tiles are most alike, or `start`
/// if none is clearly better. All shifts are tried where that takes no longer than the rest of a search, and
/// else those that lead up from `start`.
std::optional<Shift> Searcher::most_alike(const StageStep& step, const Pixels& first, const Pixels& second,
                                          std::optional<Shift> start) {
  const auto [width, height] = first.extent;
  const auto [x, y] = step.step;
  const int radius = step.search_radius();
  const auto part = [&](int side, int centre) { return cut(side, centre - radius, side + centre + radius); };
  const ClippedDifferences a(first, part(width, x), part(height, y)),
      b(second, part(width, -x), part(height, -y));
  std::optional<Shift> best = start;
  double most = start ? ClippedDifferences::evidence(a, b, *start) : 0;
  const auto look_around = [&](Shift centre, int reach) {
    for (int dy = -reach; dy <= reach; ++dy)
      for (int dx = -reach; dx <= reach; ++dx) {
        const Shift shift{centre.x + dx, centre.y + dy};
        if (!step.has_within(shift, radius)) continue;
        if (const double found = ClippedDifferences::evidence(a, b, shift); found > most) {
          most = found;
          best = shift;
        }
      }
  };
  const double at_start = most;
  constexpr std::int64_t most_work = std::int64_t(1) << 25;
  const std::int64_t side = 2 * radius + 1, common = std::int64_t(std::max(0, width - std::abs(x))) *
                                                     std::max(0, height - std::abs(y));
  if (side * side * common <= most_work)
    look_around(step.step, radius);
  else if (start)
    for (std::optional<Shift> from; from != best;) look_around(*(from = best), 1);
  // The greatest of many values that noise gives is a few times greater than one of them.
  constexpr double few = 2;
  const bool is_clear = most >= least_evidence + few && most >= at_start + 0.5;
  return is_clear && step.has_within(*best, radius - 1) ? best : start;
}

std::int64_t Searcher::bytes() const {
  const auto pixels = static_cast<std::int64_t>(fourier_.extent().pixels());
  const auto frequencies = static_cast<std::int64_t>(fourier_.extent().frequencies());
  // The most is in use while shifts are chosen: both tiles and both flattened ones, the real numbers and the
  // spectra of both, and a correlation and a number of each shift.
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

}  // namespace stitch
