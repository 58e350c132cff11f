// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "pipeline/array_source.hpp"

// Both phases of the restoration from their definitions, by exhaustive search. Shares no code with the
// application.
namespace tessera::test {

using Bytes = WholeArray<std::uint8_t>;

/// Grows the window until its minimum, median and maximum are not all equal.
inline bool is_noise(const Bytes& image, int x, int y) {
  const int width = static_cast<int>(image.box[0].size()), height = static_cast<int>(image.box[1].size());
  const std::uint8_t centre = image.at({{x, y, 0, 0}});
  if (centre != 0 && centre != 255) return false;
  for (int radius = 1; radius <= 39; ++radius) {
    std::vector<std::uint8_t> window;
    for (int j = std::max(0, y - radius); j <= std::min(height - 1, y + radius); ++j)
      for (int i = std::max(0, x - radius); i <= std::min(width - 1, x + radius); ++i)
        window.push_back(image.at({{i, j, 0, 0}}));
    const auto [least, greatest] = std::minmax_element(window.begin(), window.end());
    // The median lies between them.
    if (*least != *greatest) return centre == *least || centre == *greatest;
  }
  return false;
}

/// 1 where there is noise.
inline Bytes plain_noise(const Bytes& image) {
  Bytes noise(image.box);
  for_each_point(image.box, [&](const Point& p) {
    noise.at(p) = is_noise(image, static_cast<int>(p[0]), static_cast<int>(p[1])) ? 1 : 0;
  });
  return noise;
}

/// (beta / 2) d^alpha for d = 0 to 255, in units of 2^-14: sums of differences that are rounded each.
inline std::vector<std::int64_t> plain_powers(double alpha, double beta) {
  std::vector<std::int64_t> powers{0};
  for (int d = 1; d <= 255; ++d)
    powers.push_back(powers.back() +
                     std::llround(16384 * beta / 2 * (std::pow(d, alpha) - std::pow(d - 1, alpha))));
  return powers;
}

struct PlainNeighbour {
  int value;
  int weight;
};

/// The smallest of the 256 values at which the function is least.
inline int plain_minimum(const std::vector<std::int64_t>& powers, int current,
                         const std::vector<PlainNeighbour>& neighbours) {
  int best = 0;
  std::int64_t least = INT64_MAX;
  for (int u = 0; u < 256; ++u) {
    std::int64_t sum = 16384 * std::int64_t(std::abs(u - current));
    for (const auto& [value, weight] : neighbours)
      sum += weight * powers[static_cast<std::size_t>(std::abs(u - value))];
    if (sum < least) {
      least = sum;
      best = u;
    }
  }
  return best;
}

struct PlainSettings {
  double alpha = 1.3, beta = 5, tolerance = 0.1;
  int cycles = 200;
};

struct PlainRestoration {
  Bytes image;
  int turns = 0;
  double residual = 0;
  bool has_converged = false;
};

/// One turn: all noisy pixels, from `u`.
inline Bytes plain_turn(const std::vector<std::int64_t>& powers, const Bytes& u, const Bytes& noise) {
  Bytes next = u;
  for_each_point(u.box, [&](const Point& p) {
    if (noise.at(p) == 0) return;
    std::vector<PlainNeighbour> neighbours;
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const Point q{{p[0] + dx, p[1] + dy, 0, 0}};
      if (u.box.contains(q)) neighbours.push_back({u.at(q), 2 - noise.at(q)});
    }
    next.at(p) = static_cast<std::uint8_t>(plain_minimum(powers, u.at(p), neighbours));
  });
  return next;
}

inline PlainRestoration plain_restoration(const Bytes& image, const PlainSettings& settings) {
  const Bytes noise = plain_noise(image);
  const auto powers = plain_powers(settings.alpha, settings.beta);
  PlainRestoration result{image, 0, 0, false};
  while (!result.has_converged && result.turns < settings.cycles) {
    const Bytes next = plain_turn(powers, result.image, noise);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < next.values.size(); ++i) {
      const auto change = [&](const Bytes& u) { return std::abs(u.values[i] - image.values[i]); };
      sum += std::abs(change(next) - change(result.image));
    }
    const double residual = double(sum) / double(image.box.size());
    const double before = result.residual;
    result.has_converged = sum == 0 || std::abs(residual - before) < settings.tolerance * before;
    result.residual = residual;
    result.image = next;
    ++result.turns;
  }
  return result;
}

/// Ramps of 1 to 254 and, in that share of the points, 0 or 255.
inline Bytes noisy_ramps(const Box& box, int percent, std::uint64_t seed) {
  Random random(seed);
  Bytes image(box);
  for_each_point(box, [&](const Point& p) {
    const auto ramp = 1 + (5 * p[0] + 3 * p[1] + random.small(0, 20)) % 254;
    image.at(p) = static_cast<std::uint8_t>(random.chance(percent) ? 255 * random.small(0, 1) : ramp);
  });
  return image;
}

}  // namespace tessera::test
