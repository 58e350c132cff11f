// SPDX-License-Identifier: BSD-3-Clause
#include "nearest.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tessera/view/instruction_sets.hpp"
#include "vectors.hpp"

namespace kmeans {
namespace {

/// Finds the nearest centres of `Points` vectors of points. The values of `Centres` centres are computed at a
/// time, in registers. First the least value of each point is found, and then the places of all that are not
/// much greater, which takes fewer instructions than to keep the least two values and a label.
template <class T, int bytes, int Centres, int Points>
struct Tile {
  using V = Vectors<T, bytes>;
  using Numbers = typename V::Numbers;
  using Labels = typename V::Labels;
  static constexpr int points = Points * V::lanes;
  /// The greatest number of centres whose values are kept at a time: they stay in the nearest cache.
  static constexpr int most_kept = 64;
  /// A sum of places counts its places in units of this. The number of a centre is less.
  static constexpr int one = 1 << 20;

  /// The squared norms of the points.
  Numbers squares[Points];
  /// The margin of each point. If its two least values differ by no more than this, roundings may decide
  /// which one is found.
  Numbers margins[Points];
  Numbers least[Points];
  /// The second least value of each point. It skips values within the margin of the least value.
  Numbers second[Points];
  /// The sum of `one` + number of the centre over all values of each point within the margin of its least
  /// value. If there is only one such value, the sum tells the nearest centre.
  Labels places[Points];

  [[gnu::always_inline]] static const Numbers& at(const T* x, int p) {
    return *reinterpret_cast<const Numbers*>(x + p * V::lanes);
  }

  /// Begins with the points at `x`, whose coordinates lie `stride` numbers apart.
  [[gnu::always_inline]] void begin(const CentreTable<T>& table, const T* x, std::int64_t stride) {
    KMEANS_UNROLLED
    for (int p = 0; p < Points; ++p) {
      least[p] = second[p] = std::numeric_limits<T>::infinity() - Numbers{};
      places[p] = Labels{};
      Numbers square{}, margin = table.margin_rest - Numbers{};
      for (int j = 0; j < table.dimensions; ++j)
        V::add_product(square, at(x + j * stride, p), at(x + j * stride, p));
      V::add_product(margin, square, table.margin_factor - Numbers{});
      squares[p] = square;
      margins[p] = margin;
    }
  }

  /// Computes the values of `Centres` centres from number `first` on into `kept`. `lesser` has the least
  /// value of each point so far, which is updated.
  [[gnu::always_inline]] void multiply(const CentreTable<T>& table, int first, const T* x,
                                       std::int64_t stride, Numbers (*kept)[Points],
                                       Numbers (&lesser)[Points]) const {
    const T* group = table.group(first / centres_together) + first % centres_together;
    Numbers sums[Centres][Points] = {};
    KMEANS_UNROLLED
    for (int c = 0; c < Centres; ++c) {
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) sums[c][p] = group[c] - Numbers{};
    }
    for (int j = 0; j < table.dimensions; ++j, x += stride) {
      group += centres_together;
      Numbers coordinates[Points];
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) coordinates[p] = at(x, p);
      KMEANS_UNROLLED
      for (int c = 0; c < Centres; ++c) {
        const Numbers centre = group[c] - Numbers{};
        KMEANS_UNROLLED
        for (int p = 0; p < Points; ++p) V::add_product(sums[c][p], coordinates[p], centre);
      }
    }
    KMEANS_UNROLLED
    for (int c = 0; c < Centres; ++c) {
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) {
        kept[c][p] = sums[c][p];
        lesser[p] = sums[c][p] < lesser[p] ? sums[c][p] : lesser[p];
      }
    }
  }

  /// Updates `places`, and if `finds_second` also `second`, by the values `kept` of `count` centres from
  /// number `first` on. `lesser` has the least value of each point, including these centres.
  [[gnu::always_inline]] void compare(int first, int count, const Numbers (*kept)[Points],
                                      const Numbers (&lesser)[Points], bool finds_second) {
    Numbers bounds[Points];
    KMEANS_UNROLLED
    for (int p = 0; p < Points; ++p) {
      bounds[p] = lesser[p] + margins[p];
      // A sum of two places is already doubtful: more of them would only overflow.
      const Labels few = places[p] < 2 * one ? places[p] : Labels{} + 2 * one;
      places[p] = least[p] > bounds[p] ? Labels{} : few;
      second[p] = least[p] > bounds[p] ? least[p] : second[p];
      least[p] = lesser[p];
    }
    Labels place = Labels{} + (one + first);
    for (int c = 0; c < count; ++c, place += 1) {
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) {
        const Numbers value = kept[c][p];
        places[p] = value <= bounds[p] ? places[p] + place : places[p];
        if (!finds_second) continue;
        const Numbers other = value <= bounds[p] ? second[p] : value;
        second[p] = other < second[p] ? other : second[p];
      }
    }
  }

  /// Writes the label of each point, or `doubtful`, and, unless `others` is null, a bound of its squared
  /// distances from other centres (see find_nearest). Returns whether there is a doubtful point.
  ///
  /// The value of a centre at the distance r from the point is wrong by at most g (|c|^2 / 2 + |x| |c|) (see
  /// CentreTable<T>::choose_margin), and |c| <= |x| + r. So the true r^2 = |x|^2 + 2 value is less than the
  /// computed one by at most 7.2 g |x|^2 + 3 g r^2. The margin, 12 g |x|^2, covers the first part.
  [[gnu::always_inline]] bool store(std::int32_t* labels, T* others) const {
    Labels all{};
    KMEANS_UNROLLED
    for (int p = 0; p < Points; ++p) {
      // If the margin is infinite, values may be NaN, and places have no meaning.
      Labels found = margins[p] < std::numeric_limits<T>::infinity() ? places[p] - one : Labels{} + doubtful;
      found = found < one ? found : Labels{} + doubtful;
      all |= found;
      if constexpr (sizeof(T) == sizeof(std::int32_t))
        std::memcpy(labels + p * V::lanes, &found, sizeof found);
      else
        for (int i = 0; i < V::lanes; ++i) labels[p * V::lanes + i] = static_cast<std::int32_t>(found[i]);
      if (others == nullptr) continue;
      const Numbers other = squares[p] + (second[p] + second[p]) - margins[p];
      std::memcpy(others + p * V::lanes, &other, sizeof other);
    }
    bool has_doubtful = false;
    for (int i = 0; i < V::lanes; ++i) has_doubtful |= all[i] < 0;
    return has_doubtful;
  }

  /// Finds the labels of the points at `x`. Parameters and result are those of `begin` and `store`.
  [[gnu::always_inline]] bool find(const CentreTable<T>& table, const T* x, std::int64_t stride,
                                   std::int32_t* labels, T* others) {
    begin(table, x, stride);
    const int centres = table.groups * centres_together;
    Numbers values[most_kept][Points];
    for (int first = 0; first < centres; first += most_kept) {
      const int count = std::min(+most_kept, centres - first);
      Numbers lesser[Points];
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) lesser[p] = least[p];
      for (int c = 0; c < count; c += Centres) multiply(table, first + c, x, stride, values + c, lesser);
      if (others == nullptr)
        compare(first, count, values, lesser, false);
      else
        compare(first, count, values, lesser, true);
    }
    return store(labels, others);
  }
};

}  // namespace

template <class T>
bool find_nearest(const CentreTable<T>& centres, const T* turned, int points, std::int32_t* labels,
                  T* others) {
  bool has_doubtful = false;
  tessera::detail::call_flat_with_vectors([&](auto vector_bytes) __attribute__((always_inline)) {
    constexpr int bytes = decltype(vector_bytes)::value;
    // With vectors of 64 bytes, there are 32 registers, and otherwise 16.
    using Tile = Tile<T, bytes, bytes == 64 ? 8 : 4, bytes == 16 ? 2 : 3>;
    Tile tile;
    for (int first = 0; first < points; first += Tile::points)
      has_doubtful |= tile.find(centres, turned + first, points, labels + first,
                                others == nullptr ? nullptr : others + first);
  });
  return has_doubtful;
}

template bool find_nearest(const CentreTable<float>&, const float*, int, std::int32_t*, float*);
template bool find_nearest(const CentreTable<double>&, const double*, int, std::int32_t*, double*);

}  // namespace kmeans
