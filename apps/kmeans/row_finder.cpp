// SPDX-License-Identifier: BSD-3-Clause
#include "row_finder.hpp"

#include <bit>
#include <cstddef>
#include <limits>

#include "transposed_square.hpp"
#include "unrolled.hpp"
#include "vectors.hpp"

namespace kmeans {

template <class T>
RowFinder<T>::RowFinder(const CentreTable<T>& table)
    : dimensions_(table.dimensions()),
      stride_(stride_of(dimensions_)),
      scale_(table.scale()),
      margin_factor_(table.margin_factor()),
      margin_rest_(table.margin_rest()),
      shift_(stride_),
      factors_(std::int64_t(most_centres) * (dimensions_ + 1)),
      points_(std::int64_t(stride_) * points),
      values_(std::int64_t(most_centres) * points) {
  std::copy_n(table.shift(), dimensions_, shift_.data());
  std::fill_n(points_.data(), std::int64_t(stride_) * points, T(0));
  T* to = factors_.data();
  for (int j = 0; j <= dimensions_; ++j)
    for (int k = 0; k < most_centres; ++k) {
      const int group = k / centres_together;
      if (group < table.groups())
        *to++ = table.group(group)[j * centres_together + k % centres_together];
      else
        *to++ = j == 0 ? std::numeric_limits<T>::infinity() : T(0);
    }
}

/// A search with vectors of so many bytes.
template <class T>
template <int vector_bytes>
class RowFinder<T>::Search {
 public:
  [[gnu::always_inline]] explicit Search(RowFinder& finder) : finder_(finder) {}

  [[gnu::always_inline]] bool find(std::int32_t* labels) {
    KMEANS_UNROLLED
    for (int i = 0; i < points; ++i) least_[i] = std::numeric_limits<T>::infinity() - Numbers{};
    for (int begin = 0; begin < finder_.dimensions_; begin += dimensions_together)
      for (int k = 0; k < most_centres; k += together)
        multiply(k, begin, std::min(begin + dimensions_together, finder_.dimensions_));
    find_bounds();
    return choose(labels);
  }

 private:
  using V = Vectors<T, vector_bytes>;
  using Numbers = typename V::Numbers;
  using Square = TransposedSquare<T, vector_bytes>;
  static constexpr int lanes = V::lanes;
  /// The vectors of centres and the points of which the values are in registers at the same time. With
  /// vectors of 64 bytes, there are 32 registers, and otherwise 16.
  static constexpr int wide = vector_bytes == 64 ? 4 : 2;
  static constexpr int tall = 6;
  /// The number of centres of which the values are in registers.
  static constexpr int together = wide * lanes;
  static_assert(points % tall == 0 && points % lanes == 0 && most_centres % together == 0);
  /// The number of coordinates that are taken at a time, so that those of the centres stay in the nearest
  /// cache. Between them the values are kept in memory, where they are not rounded.
  static constexpr int dimensions_together = 64;

  struct Least {
    [[gnu::always_inline]] static void join(Numbers& a, const Numbers& b) { a = b < a ? b : a; }
  };
  struct Sum {
    [[gnu::always_inline]] static void join(Numbers& a, const Numbers& b) { a += b; }
  };

  /// Adds the products with the coordinates `begin` to end - 1 of the centres from number `first` on to the
  /// values of all points.
  [[gnu::always_inline]] void multiply(int first, int begin, int end) {
    const T* const factors = finder_.factors_.data() + first;
    T* const values = finder_.values_.data() + first * points;
    for (int i = 0; i < points; i += tall) {
      const T* const x = finder_.points_.data() + std::int64_t(i) * finder_.stride_;
      T* const kept = values + i * together;
      Numbers sums[tall][wide];
      KMEANS_UNROLLED
      for (int p = 0; p < tall; ++p) {
        const T* const from = begin == 0 ? factors : kept + p * together;
        KMEANS_UNROLLED
        for (int v = 0; v < wide; ++v) sums[p][v] = at(from, v);
      }
      const T* centres = factors + std::int64_t(begin + 1) * most_centres;
      for (int j = begin; j < end; ++j, centres += most_centres) {
        Numbers centre[wide];
        KMEANS_UNROLLED
        for (int v = 0; v < wide; ++v) centre[v] = at(centres, v);
        KMEANS_UNROLLED
        for (int p = 0; p < tall; ++p) {
          const Numbers coordinate = x[p * finder_.stride_ + j] - Numbers{};
          KMEANS_UNROLLED
          for (int v = 0; v < wide; ++v) V::add_product(sums[p][v], coordinate, centre[v]);
        }
      }
      const bool is_whole = end == finder_.dimensions_;
      KMEANS_UNROLLED
      for (int p = 0; p < tall; ++p) {
        KMEANS_UNROLLED
        for (int v = 0; v < wide; ++v) {
          *reinterpret_cast<Numbers*>(kept + p * together + v * lanes) = sums[p][v];
          if (is_whole) Least::join(least_[i + p], sums[p][v]);
        }
      }
    }
  }
  [[gnu::always_inline]] static const Numbers& at(const T* numbers, int v) {
    return *reinterpret_cast<const Numbers*>(numbers + v * lanes);
  }

  /// Finds the values that are not so much greater than the least one of their point that roundings might
  /// hide a lesser one.
  [[gnu::always_inline]] void find_bounds() {
    for (int first = 0; first < points; first += lanes) {
      Square least, squares;
      KMEANS_UNROLLED
      for (int i = 0; i < lanes; ++i) least.rows[i] = least_[first + i];
      least.template join_rows<Least>();
      for (int i = 0; i < lanes; ++i) {
        const T* const x = finder_.points_.data() + std::int64_t(first + i) * finder_.stride_;
        Numbers sum{};
        for (int v = 0; v * lanes < finder_.stride_; ++v) V::add_product(sum, at(x, v), at(x, v));
        squares.rows[i] = sum;
      }
      squares.template join_rows<Sum>();
      Numbers margin = finder_.margin_rest_ - Numbers{};
      V::add_product(margin, squares.rows[0], finder_.margin_factor_ - Numbers{});
      *reinterpret_cast<Numbers*>(bounds_ + first) = least.rows[0] + margin;
    }
  }

  /// Gives points their labels: the place of the only value up to the bound, or `doubtful`. Returns whether
  /// there is a doubtful one.
  [[gnu::always_inline]] bool choose(std::int32_t* labels) const {
    bool has_doubtful = false;
    for (int i = 0; i < points; ++i) {
      const Numbers bound = bounds_[i] - Numbers{};
      std::uint64_t bits = 0;
      KMEANS_UNROLLED
      for (int k = 0; k < most_centres; k += lanes) {
        const T* const part = finder_.values_.data() + (k / together * points + i) * together;
        bits |= std::uint64_t(V::not_greater(at(part, k % together / lanes), bound)) << k;
      }
      const bool is_sure = std::has_single_bit(bits);
      has_doubtful |= !is_sure;
      labels[i] = is_sure ? std::countr_zero(bits) : doubtful;
    }
    return has_doubtful;
  }

  RowFinder& finder_;
  /// The least values of each point, of some centres each.
  Numbers least_[points];
  alignas(64) T bounds_[points];
};

template <class T>
bool RowFinder<T>::find(std::int32_t* labels) {
  bool has_doubtful = false;
  tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
    Search<decltype(bytes)::value> search(*this);
    has_doubtful = search.find(labels);
  });
  return has_doubtful;
}

template class RowFinder<float>;
template class RowFinder<double>;

}  // namespace kmeans
