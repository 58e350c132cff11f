// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "apps/stereo/pipeline.hpp"
#include "pipeline/array_source.hpp"

namespace tessera::test {

/// Stereo by its definition, point by point.
template <class T>
struct PlainStereo {
  const WholeArray<T>& reference;
  const std::vector<WholeArray<T>>& matches;
  std::vector<int> baselines;
  int direction;
  int window;
  int disparities;
  operators::MatchingCost cost = operators::MatchingCost::squared;

  std::int64_t error(std::int64_t x, std::int64_t y, int d) const {
    const Box& box = reference.box;
    const std::int64_t channels = box.dimensions == 3 ? box[2].size() : 1;
    std::int64_t sum = 0;
    for (std::int64_t b = y - window / 2; b <= y + window / 2; ++b)
      for (std::int64_t a = x - window / 2; a <= x + window / 2; ++a) {
        const Point p{
            {std::clamp(a, box[0].begin, box[0].end - 1), std::clamp(b, box[1].begin, box[1].end - 1)}};
        for (std::size_t i = 0; i < matches.size(); ++i)
          for (std::int64_t c = 0; c < channels; ++c) {
            Point r = p, m = p;
            r[2] = m[2] = c;
            m[0] =
                std::clamp<std::int64_t>(p[0] + direction * baselines[i] * d, box[0].begin, box[0].end - 1);
            const std::int64_t difference = std::int64_t(reference.at(r)) - matches[i].at(m);
            sum += cost == operators::MatchingCost::squared ? difference * difference : std::abs(difference);
          }
      }
    return sum;
  }
  int disparity(std::int64_t x, std::int64_t y) const {
    int best = 0;
    for (int d = 1; d < disparities; ++d)
      if (error(x, y, d) < error(x, y, best)) best = d;
    return best;
  }
  /// Returns whether all disparities but the neighbours of the best one have errors that are greater by more
  /// than a percentage.
  bool is_unique(std::int64_t x, std::int64_t y, int percentage) const {
    const int best = disparity(x, y);
    const std::int64_t least = error(x, y, best);
    for (int d = 0; d < disparities; ++d)
      if (std::abs(d - best) > 1 && 100 * error(x, y, d) <= (100 + percentage) * least) return false;
    return true;
  }
  /// The disparity at the least point of the parabola through three errors.
  double refined(std::int64_t x, std::int64_t y) const {
    const int d = disparity(x, y);
    if (d == 0 || d == disparities - 1) return d;
    const auto down = static_cast<double>(error(x, y, d - 1) - error(x, y, d));
    const auto up = static_cast<double>(error(x, y, d + 1) - error(x, y, d));
    return down + up == 0 ? d : d + (down - up) / (2 * (down + up));
  }
};

/// Returns the derivatives of an image along x by Sobel's operator, limited to `cap` and raised by it, so
/// that none is negative.
template <class T>
WholeArray<std::uint16_t> plain_filtered(const WholeArray<T>& image, int cap) {
  WholeArray<std::uint16_t> filtered(image.box);
  for_each_point(image.box, [&](const Point& p) {
    int sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; i += 2) {
        Point q = p;
        q[0] = std::clamp<std::int64_t>(p[0] + i, image.box[0].begin, image.box[0].end - 1);
        q[1] = std::clamp<std::int64_t>(p[1] + j, image.box[1].begin, image.box[1].end - 1);
        sum += i * (j == 0 ? 2 : 1) * image.at(q);
      }
    filtered.at(p) = static_cast<std::uint16_t>(std::clamp(sum, -cap, cap) + cap);
  });
  return filtered;
}

/// Returns the definition for the settings of the program.
template <class T>
PlainStereo<T> plain_stereo(const WholeArray<T>& reference, const std::vector<WholeArray<T>>& matches,
                            const stereo::Settings& settings) {
  return {reference,          matches,
          settings.baselines, settings.direction == operators::ShiftDirection::left ? -1 : 1,
          settings.window,    settings.disparities,
          settings.cost};
}

}  // namespace tessera::test
