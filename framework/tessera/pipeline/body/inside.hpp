// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"

namespace tessera {

/// Tells a stage body whether a point lies in the domain of an N-dimensional array. The body holds an Inside
/// as a member. It can then treat neighbours outside the domain in a way of its own, for example leave them
/// out of a mean, where the boundary condition of the array gives them a value that the body does not use.
/// Aldinucci et al. ("A parallel pattern for iterative stencil + reduce", 2018) call such neighbours bottom.
///
///     struct Neighbours {  // how many of the two neighbours in the row are in the image
///       Inside<2> inside;
///       template <class In, class Coord>
///       KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
///         return select(inside(x - 1, y), 1, 0) + select(inside(x + 1, y), 1, 0);
///       }
///     };
template <int N>
class Inside {
 public:
  /// Makes the object for an array with the domain `domain`, which has N dimensions.
  explicit Inside(const Box& domain) {
    for (int d = 0; d < N; ++d) {
      begin_[d] = static_cast<int>(domain[d].begin);
      end_[d] = static_cast<int>(domain[d].end);
    }
  }

  /// Returns whether the point with these coordinates, x first, lies in the domain. The result is a condition
  /// for `select` or for a branch.
  template <class... Coordinates>
  requires(sizeof...(Coordinates) == N) KOKKOS_FORCEINLINE_FUNCTION auto operator()(Coordinates... at) const {
    return all(std::index_sequence_for<Coordinates...>{}, at...);
  }

 private:
  template <std::size_t... D, class... Coordinates>
  KOKKOS_FORCEINLINE_FUNCTION auto all(std::index_sequence<D...>, Coordinates... at) const {
    return ((at >= begin_[D] && at < end_[D]) && ...);
  }

  int begin_[N];
  int end_[N];
};

}  // namespace tessera
