// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "steps.hpp"
#include "tessera/domain/counter_hash.hpp"

// The first centres by k-means++: D. Arthur and S. Vassilvitskii, "k-means++: The advantages of careful
// seeding" (SODA 2007). The first one is any point, and each further one is a point that is taken with a
// probability in proportion to its squared distance from the nearest centre so far.
namespace kmeans {

/// Returns the number that a point with this weight draws. `uniform` is within (0, 1], as it may be rounded
/// to
/// 1. Points without weight draw infinity, which is greater than all others.
inline double drawn_of(double uniform, double weight) {
  return weight > 0 ? -std::log(std::min(uniform, 1 - 0x1p-53)) / weight
                    : std::numeric_limits<double>::infinity();
}

/// The library reduction that takes one point at random. Each point draws a number from an exponential
/// distribution whose rate is the weight of the point, and the point with the least number is taken: the
/// probability of each point is then in proportion to its weight. What a point draws follows from the seed,
/// the turn and the number of the point alone. The inputs are the points, their weights, which are the same
/// for all points in turn 0, and the number of the turn. The result has the coordinates of the point.
template <class In, int N, int P>
struct Draw {
  using Element = double;
  using T = NumberOf<In>;

  /// The part of a partial value before the coordinates of the point. It is plain data.
  struct Value {
    std::int64_t dimensions;
    double drawn;
    std::int64_t number;

    bool is_before(double other, std::int64_t other_number) const {
      return drawn < other || (drawn == other && number < other_number);
    }
    double* coordinates() { return reinterpret_cast<double*>(this + 1); }
    const double* coordinates() const { return reinterpret_cast<const double*>(this + 1); }
  };

  Problem<N, P> problem;
  std::int64_t seed = 0;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    return input == 1 ? box : tessera::Box{{0, 1}};
  }
  std::int64_t value_bytes() const {
    return static_cast<std::int64_t>(sizeof(Value)) + 8 * std::int64_t(problem.dimensions());
  }
  void init(std::byte* value) const {
    auto* const made = new (value) Value{problem.dimensions(), std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<std::int64_t>::max()};
    std::fill_n(made->coordinates(), problem.dimensions(), 0.0);
  }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points,
           const tessera::LibraryBlock<const T>& weights,
           const tessera::LibraryBlock<const std::int32_t>& turn) const {
    auto& best = *reinterpret_cast<Value*>(value);
    const std::int64_t number_of_turn = turn.data[0];
    problem.layout.for_each_row(points, box, [&](const PointRow<In>& row, const tessera::Point& place) {
      const T* const weight = address(weights, place);
      for (std::int64_t i = 0; i < row.count; ++i)
        draw(best, row, i, number_of_turn, number_of_turn == 0 ? 1 : static_cast<double>(weight[i]));
    });
  }
  static void join(std::byte* into, const std::byte* other) {
    auto& to = *reinterpret_cast<Value*>(into);
    const auto& from = *reinterpret_cast<const Value*>(other);
    if (!from.is_before(to.drawn, to.number)) return;
    to.drawn = from.drawn;
    to.number = from.number;
    std::copy_n(from.coordinates(), to.dimensions, to.coordinates());
  }
  void store(const std::byte* value, double* result) const {
    std::copy_n(reinterpret_cast<const Value*>(value)->coordinates(), problem.dimensions(), result);
  }

 private:
  void draw(Value& best, const PointRow<In>& row, std::int64_t i, std::int64_t turn, double weight) const {
    const std::int64_t number = row.number + i;
    const double uniform =
        tessera::uniform_from_hash(tessera::counter_hash(static_cast<std::uint64_t>(seed), turn, number, 0)) +
        0x1p-54;
    // -log(u) is at least 1 - u, so that most points need no logarithm. The margin is wider than what is
    // rounded.
    constexpr double margin = 1 + 1e-9;
    if (weight > 0 && 1 - uniform > best.drawn * weight * margin) return;
    const double drawn = drawn_of(uniform, weight);
    if (best.is_before(drawn, number)) return;
    best.drawn = drawn;
    best.number = number;
    for (int j = 0; j < problem.dimensions(); ++j)
      best.coordinates()[j] = static_cast<double>(row.point(i)[j * row.coordinate_stride]);
  }
};

/// The library stage of the squared distances from the nearest centre so far. They are scaled by a power of
/// two. The inputs are the points, their distances in the turn before, which are negative before the first
/// one, the centre that was taken last, and the exponents of the coordinates.
template <class In, int N, int P>
struct Closer {
  using T = NumberOf<In>;

  Problem<N, P> problem;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    if (input == 1) return box;
    return input == 2 ? tessera::Box{{0, problem.dimensions()}} : tessera::Box{exponent_elements};
  }
  void operator()(const tessera::LibraryBlock<const In>& points, const tessera::LibraryBlock<const T>& before,
                  const tessera::LibraryBlock<const double>& centre,
                  const tessera::LibraryBlock<const std::int32_t>& found,
                  const tessera::LibraryBlock<T>& out) const {
    const std::vector<T> taken(centre.data, centre.data + problem.dimensions());
    // The table is shifted by its only centre, so that the block has the differences from it.
    const CentreTable<T> table(taken.data(), 1, problem.dimensions(), exponents_of(found).top);
    TurnedBlock<T> block(problem.dimensions(), TurnedBlock<T>::cached_points(problem.dimensions()));
    problem.layout.for_each_row(points, out.box, [&](const PointRow<In>& row, const tessera::Point& place) {
      for (std::int64_t begin = 0; begin < row.count; begin += block.size()) {
        const auto count = static_cast<int>(std::min<std::int64_t>(block.size(), row.count - begin));
        block.take(row, begin, count, 0, table);
        take_less(block, count, address(before, place) + begin, address(out, place) + begin);
      }
    });
  }

 private:
  void take_less(const TurnedBlock<T>& block, int count, const T* before, T* out) const {
    T squares[4 * points_together] = {};
    const int points = block.size();
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (int j = 0; j < problem.dimensions(); ++j) {
        const T* const line = block.data() + std::int64_t(j) * points;
        TESSERA_VECTORISED
        for (int i = 0; i < points; ++i) squares[i] += line[i] * line[i];
      }
    });
    for (int i = 0; i < count; ++i) out[i] = before[i] < 0 ? squares[i] : std::min(before[i], squares[i]);
  }
};

}  // namespace kmeans
