// SPDX-License-Identifier: BSD-3-Clause
#include "nearest.hpp"

#include <cstddef>
#include <limits>

#include "tessera/view/instruction_sets.hpp"
#include "unrolled.hpp"
#include "vectors.hpp"

namespace kmeans {
namespace {

/// The number of coordinates that are taken at a time, so that those of a tile stay in the nearest cache.
/// Between them the sums of all centres are kept in memory, where they are not rounded.
constexpr int dimensions_together = 64;

/// Finds the nearest centres of `Points` vectors of points. `Centres` centres are taken at a time, so that
/// all that is computed stays in registers.
template <class T, int bytes, int Centres, int Points>
struct Tile {
  using V = Vectors<T, bytes>;
  using Numbers = typename V::Numbers;
  using Labels = typename V::Labels;
  static constexpr int points = Points * V::lanes;

  Numbers least[Points];
  /// The least values but for those of the centres `label`.
  Numbers second[Points];
  Labels label[Points];

  /// The sums of `Centres` centres.
  struct alignas(bytes) Sums {
    Numbers of[Centres][Points];

    [[gnu::always_inline]] void begin(const T* group) {
      KMEANS_UNROLLED
      for (int c = 0; c < Centres; ++c) {
        KMEANS_UNROLLED
        for (int p = 0; p < Points; ++p) of[c][p] = group[c] - Numbers{};
      }
    }
    /// Adds the products of the coordinates `first` to end - 1.
    [[gnu::always_inline]] void add(const T* group, const T* x, std::int64_t stride, int first, int end) {
      for (int j = first; j < end; ++j) {
        const T* const coordinates = group + (j + 1) * centres_together;
        Numbers at[Points];
        KMEANS_UNROLLED
        for (int p = 0; p < Points; ++p)
          at[p] = *reinterpret_cast<const Numbers*>(x + j * stride + p * V::lanes);
        KMEANS_UNROLLED
        for (int c = 0; c < Centres; ++c) {
          const Numbers centre = coordinates[c] - Numbers{};
          KMEANS_UNROLLED
          for (int p = 0; p < Points; ++p) V::add_product(of[c][p], at[p], centre);
        }
      }
    }
  };

  [[gnu::always_inline]] void compare(const Sums& sums, std::int32_t first) {
    KMEANS_UNROLLED
    for (int c = 0; c < Centres; ++c) {
      KMEANS_UNROLLED
      for (int p = 0; p < Points; ++p) {
        const Numbers value = sums.of[c][p];
        const Labels is_less = value < least[p];
        const Numbers greater = is_less ? least[p] : value;
        second[p] = greater < second[p] ? greater : second[p];
        least[p] = is_less ? value : least[p];
        label[p] = is_less ? Labels{} + (first + c) : label[p];
      }
    }
  }

  /// Gives points their labels, or `doubtful`. Returns whether there is a doubtful one.
  ///
  /// The value of a centre at the distance r from the point is wrong by at most g (|c|^2 / 2 + |x| |c|) (see
  /// CentreTable<T>::choose_margin), and |c| <= |x| + r. So the true r^2 = |x|^2 + 2 value is less than the
  /// computed one by at most 7.2 g |x|^2 + 3 g r^2, of which the margin, 12 g |x|^2, covers the first part.
  [[gnu::always_inline]] bool store(const CentreTable<T>& table, const T* x, std::int64_t stride,
                                    std::int32_t* labels, T* others) const {
    Labels any{};
    for (int p = 0; p < Points; ++p) {
      Numbers square{}, margin = table.margin_rest() - Numbers{};
      for (int j = 0; j < table.dimensions(); ++j) {
        const Numbers at = *reinterpret_cast<const Numbers*>(x + j * stride + p * V::lanes);
        V::add_product(square, at, at);
      }
      V::add_product(margin, square, table.margin_factor() - Numbers{});
      const Labels is_sure = second[p] - least[p] > margin;
      const Labels found = is_sure ? label[p] : Labels{} + doubtful;
      any |= ~is_sure;
      for (int i = 0; i < V::lanes; ++i) labels[p * V::lanes + i] = static_cast<std::int32_t>(found[i]);
      if (others == nullptr) continue;
      const Numbers other = square + (second[p] + second[p]) - margin;
      for (int i = 0; i < V::lanes; ++i) others[p * V::lanes + i] = other[i];
    }
    bool has_doubtful = false;
    for (int i = 0; i < V::lanes; ++i) has_doubtful |= any[i] != 0;
    return has_doubtful;
  }

  [[gnu::always_inline]] bool find(const CentreTable<T>& table, const T* x, std::int64_t stride,
                                   std::vector<Sums>& kept, std::int32_t* labels, T* others) {
    KMEANS_UNROLLED
    for (int p = 0; p < Points; ++p) {
      least[p] = second[p] = std::numeric_limits<T>::infinity() - Numbers{};
      label[p] = Labels{};
    }
    const int dimensions = table.dimensions();
    for (int begin = 0; begin < dimensions; begin += dimensions_together) {
      const int end = dimensions - begin > dimensions_together ? begin + dimensions_together : dimensions;
      for (int first = 0; first < table.groups() * centres_together; first += Centres) {
        const T* const group = table.group(first / centres_together) + first % centres_together;
        Sums sums;
        if (begin == 0)
          sums.begin(group);
        else
          sums = kept[static_cast<std::size_t>(first / Centres)];
        sums.add(group, x, stride, begin, end);
        if (end == dimensions)
          compare(sums, first);
        else
          kept[static_cast<std::size_t>(first / Centres)] = sums;
      }
    }
    return store(table, x, stride, labels, others);
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
    std::vector<typename Tile::Sums> kept(centres.dimensions() > dimensions_together ? centres.groups() * 2U
                                                                                     : 0U);
    for (int first = 0; first < points; first += Tile::points)
      has_doubtful |= tile.find(centres, turned + first, points, kept, labels + first,
                                others == nullptr ? nullptr : others + first);
  });
  return has_doubtful;
}

template bool find_nearest(const CentreTable<float>&, const float*, int, std::int32_t*, float*);
template bool find_nearest(const CentreTable<double>&, const double*, int, std::int32_t*, double*);

}  // namespace kmeans
