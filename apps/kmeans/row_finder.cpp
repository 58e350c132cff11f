// SPDX-License-Identifier: BSD-3-Clause
#include "row_finder.hpp"

#include <bit>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "transposed_square.hpp"
#include "unrolled.hpp"
#include "vectors.hpp"

namespace kmeans {

template <class T>
RowFinder<T>::RowFinder(const CentreTable<T>& table)
    : dimensions_(table.dimensions()),
      stride_(whole(dimensions_)),
      centres_(whole(table.groups() * centres_together)),
      scale_(table.scale()),
      margin_factor_(table.margin_factor()),
      margin_rest_(table.margin_rest()),
      shift_(stride_),
      factors_(std::int64_t(centres_) * (dimensions_ + 1)),
      points_(std::int64_t(stride_) * points),
      values_(std::int64_t(centres_) * points) {
  std::copy_n(table.shift(), dimensions_, shift_.data());
  std::fill_n(points_.data(), std::int64_t(stride_) * points, T(0));
  T* to = factors_.data();
  for (int first = 0; first < centres_; first += block) {
    const int end = std::min(centres_, first + block);
    for (int j = 0; j <= dimensions_; ++j)
      for (int k = first; k < end; ++k) {
        const int group = k / centres_together;
        if (group < table.groups())
          *to++ = table.group(group)[j * centres_together + k % centres_together];
        else
          *to++ = j == 0 ? std::numeric_limits<T>::infinity() : T(0);
      }
  }
}

/// A search with vectors of `bytes` bytes.
template <class T>
template <int bytes>
class RowFinder<T>::Search {
 public:
  [[gnu::always_inline]] explicit Search(RowFinder& finder) : finder_(finder) {}

  [[gnu::always_inline]] bool find(std::int32_t* labels) {
    KMEANS_UNROLLED
    for (int i = 0; i < points; ++i) least_[i] = std::numeric_limits<T>::infinity() - Numbers{};
    const T* factors = finder_.factors_.data();
    for (int first = 0; first < finder_.centres_; first += block) {
      const int count = std::min(block, finder_.centres_ - first);
      for (int begin = 0; begin < finder_.dimensions_; begin += dimensions_together) {
        const int end = std::min(begin + dimensions_together, finder_.dimensions_);
        for_each_part(
            count, [&](auto width, int k) __attribute__((always_inline)) {
              multiply<decltype(width)::value>(factors + k, count, begin, end,
                                               finder_.values_.data() + std::int64_t(first + k) * points);
            });
      }
      factors += std::int64_t(count) * (finder_.dimensions_ + 1);
    }
    find_bounds();
    return choose(labels);
  }

 private:
  using V = Vectors<T, bytes>;
  using Numbers = typename V::Numbers;
  using Square = TransposedSquare<T, bytes>;
  static constexpr int lanes = V::lanes;
  /// The vectors of centres and the points of which the values are in registers at the same time. With
  /// vectors of 64 bytes, there are 32 registers, and otherwise 16.
  static constexpr int wide = bytes == 64 ? 4 : 2;
  static constexpr int tall = 6;
  static_assert(points % tall == 0 && points % lanes == 0);
  /// The number of coordinates that are taken at a time, so that those of a block of centres stay in the
  /// nearest cache. Between them the values are kept in memory, where they are not rounded.
  static constexpr int dimensions_together = 64;

  struct Least {
    [[gnu::always_inline]] static void join(Numbers& a, const Numbers& b) { a = b < a ? b : a; }
  };
  struct Sum {
    [[gnu::always_inline]] static void join(Numbers& a, const Numbers& b) { a += b; }
  };

  /// Calls use(width, k) for each part of a block of `count` centres: the vectors of centres from number k
  /// on. The constant `width` is the number of vectors.
  template <class Use>
  [[gnu::always_inline]] static void for_each_part(int count, const Use& use) {
    int k = 0;
    for (; k + wide * lanes <= count; k += wide * lanes) use(std::integral_constant<int, wide>(), k);
    for (; k < count; k += lanes) use(std::integral_constant<int, 1>(), k);
  }

  /// Adds the products with the coordinates `begin` to end - 1 of `Wide` vectors of centres to the values of
  /// all points. `stride` is the distance between coordinates.
  template <int Wide>
  [[gnu::always_inline]] void multiply(const T* factors, int stride, int begin, int end, T* values) {
    for (int i = 0; i < points; i += tall) {
      const T* const x = finder_.points_.data() + std::int64_t(i) * finder_.stride_;
      T* const kept = values + i * Wide * lanes;
      Numbers sums[tall][Wide];
      KMEANS_UNROLLED
      for (int p = 0; p < tall; ++p) {
        const T* const from = begin == 0 ? factors : kept + p * Wide * lanes;
        KMEANS_UNROLLED
        for (int v = 0; v < Wide; ++v) sums[p][v] = at(from, v);
      }
      const T* centres = factors + std::int64_t(begin + 1) * stride;
      for (int j = begin; j < end; ++j, centres += stride) {
        Numbers centre[Wide];
        KMEANS_UNROLLED
        for (int v = 0; v < Wide; ++v) centre[v] = at(centres, v);
        KMEANS_UNROLLED
        for (int p = 0; p < tall; ++p) {
          const Numbers coordinate = x[p * finder_.stride_ + j] - Numbers{};
          KMEANS_UNROLLED
          for (int v = 0; v < Wide; ++v) V::add_product(sums[p][v], coordinate, centre[v]);
        }
      }
      const bool is_whole = end == finder_.dimensions_;
      KMEANS_UNROLLED
      for (int p = 0; p < tall; ++p) {
        KMEANS_UNROLLED
        for (int v = 0; v < Wide; ++v) {
          *reinterpret_cast<Numbers*>(kept + (p * Wide + v) * lanes) = sums[p][v];
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
  [[gnu::always_inline]] bool choose(std::int32_t* labels) {
    std::fill_n(counts_, points, 0);
    for (int first = 0; first < finder_.centres_; first += block)
      for_each_part(
          std::min(block, finder_.centres_ - first), [&](auto width, int k) __attribute__((always_inline)) {
            count<decltype(width)::value>(first + k);
          });
    bool has_doubtful = false;
    for (int i = 0; i < points; ++i) {
      has_doubtful |= counts_[i] != 1;
      labels[i] = counts_[i] == 1 ? places_[i] : doubtful;
    }
    return has_doubtful;
  }
  /// Counts the values of `Wide` vectors of centres up to the bounds, and finds the place of one of them.
  template <int Wide>
  [[gnu::always_inline]] void count(int first) {
    const T* values = finder_.values_.data() + std::int64_t(first) * points;
    for (int i = 0; i < points; ++i) {
      const Numbers bound = bounds_[i] - Numbers{};
      std::uint64_t bits = 0;
      KMEANS_UNROLLED
      for (int v = 0; v < Wide; ++v, values += lanes)
        bits |= std::uint64_t(V::not_greater(at(values, 0), bound)) << (v * lanes);
      counts_[i] += std::popcount(bits);
      places_[i] = bits == 0 ? places_[i] : first + std::countr_zero(bits);
    }
  }

  RowFinder& finder_;
  /// The least values of each point, of some centres each.
  Numbers least_[points];
  alignas(64) T bounds_[points];
  /// How many values of each point are not greater than the bound, and the place of one of them.
  std::int32_t counts_[points];
  std::int32_t places_[points];
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
