// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bounds.hpp"
#include "gathered_numbers.hpp"
#include "steps.hpp"

namespace kmeans {

/// The library reduction that finds how far each centre has moved, and the half of its distance from the
/// nearest other centre. Both are scaled (see distance_scale); the former are rounded up, and the latter down
/// (infinity if there is one centre). The inputs are the centres, those of the turn before, and the exponents
/// of the coordinates. The result has the moves of all centres, and then the halves.
template <class T>
struct FindMoves {
  using Element = double;

  int clusters;
  int dimensions;

  /// The number of elements of the result.
  int count() const { return 2 * clusters; }
  tessera::Box footprint(int input, const tessera::Box&) const {
    return input == 2 ? tessera::Box{exponent_elements}
                      : tessera::Box{{0, std::int64_t(clusters) * dimensions}};
  }
  std::int64_t value_bytes() const { return GatheredNumbers::bytes(count()); }
  std::int64_t scratch_bytes(const tessera::Box&) const {
    return std::int64_t(clusters) * (dimensions + 1) * 8;
  }
  void init(std::byte* value) const { GatheredNumbers::clear(value, count()); }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const T>& centres,
           const tessera::LibraryBlock<const T>& before,
           const tessera::LibraryBlock<const std::int32_t>& found) const {
    const double scale = distance_scale(exponents_of(found).top);
    double* const moves = GatheredNumbers::of(value);
    const std::vector<double> turned = turn(centres.data);
    std::vector<double> squares(static_cast<std::size_t>(clusters));
    for (std::int64_t k = box[0].begin; k < box[0].end; ++k) {
      moves[k] = move(centres.data + k * dimensions, before.data + k * dimensions, scale);
      moves[clusters + k] = half_distance(turned, static_cast<int>(k), scale, squares);
    }
  }
  static void join(std::byte* into, const std::byte* other) { GatheredNumbers::join(into, other); }
  void store(const std::byte* value, double* result) const { GatheredNumbers::store(value, result); }

 private:
  /// Returns the first coordinates of all centres, then their second ones, and so on.
  std::vector<double> turn(const T* centres) const {
    std::vector<double> turned(static_cast<std::size_t>(clusters) * static_cast<std::size_t>(dimensions));
    for (int k = 0; k < clusters; ++k)
      for (int j = 0; j < dimensions; ++j)
        turned[static_cast<std::size_t>(std::int64_t(j) * clusters + k)] =
            static_cast<double>(centres[std::int64_t(k) * dimensions + j]);
    return turned;
  }
  double move(const T* centre, const T* before, double scale) const {
    if (std::equal(centre, centre + dimensions, before)) return 0;
    return distance_above(centre, 1, before, dimensions, scale);
  }
  double half_distance(const std::vector<double>& turned, int k, double scale,
                       std::vector<double>& squares) const {
    std::fill(squares.begin(), squares.end(), 0.0);
    double* const to = squares.data();
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (int j = 0; j < dimensions; ++j) {
        const double* const line = turned.data() + std::int64_t(j) * clusters;
        const double own = line[k];
        TESSERA_VECTORISED
        for (int other = 0; other < clusters; ++other) {
          const double difference = (line[other] - own) * scale;
          to[other] += difference * difference;
        }
      }
    });
    squares[static_cast<std::size_t>(k)] = std::numeric_limits<double>::infinity();
    return std::sqrt(*std::min_element(squares.begin(), squares.end())) / 2 * (1 - distance_error);
  }
};

}  // namespace kmeans
