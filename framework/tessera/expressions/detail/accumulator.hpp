// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "tessera/expressions/detail/pieces.hpp"
#include "tessera/expressions/detail/steps.hpp"

namespace tessera::expressions::detail {

// Compilers for devices have no vectors of their own. Where every access is checked, compiling them takes
// minutes.
#if defined(__GNUC__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && \
    !defined(TESSERA_CHECKS)
/// A vector of floats of a size in bytes, and how many floats it has.
template <int Bytes>
struct VectorOf {
  typedef float type __attribute__((vector_size(Bytes)));
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(float));
};
#else
template <int>
struct VectorOf {
  using type = float;
  static constexpr int lanes = 1;
};
#endif

/// The result of the last step for some points of a row, in as many vectors of the processor as leave some
/// for the arguments.
template <int Bytes>
class Accumulator {
 public:
  using Vector = typename VectorOf<Bytes>::type;
  static constexpr int lanes = VectorOf<Bytes>::lanes;
  /// The number of points whose results it has.
  static constexpr int points = lanes == 1 ? 128 : 8 * lanes;

  /// Reads the result from memory.
  [[gnu::always_inline]] void load(const float* from) {
    each([&](auto u) __attribute__((always_inline)) { read(from, u, vectors_[u]); });
  }

  /// Writes the result to memory.
  [[gnu::always_inline]] void store(float* to) const {
    each([&](auto u)
             __attribute__((always_inline)) { std::memcpy(to + u * lanes, &vectors_[u], sizeof(Vector)); });
  }

  /// Computes an elementwise operation. The argument `Carried` is the last result, and the others are read
  /// where `argument(k)` says.
  template <Code O, int Carried, class Argument>
  [[gnu::always_inline]] void compute(const Argument& argument) {
    const float* const from[] = {address<O, Carried, 0>(argument), address<O, Carried, 1>(argument),
                                 address<O, Carried, 2>(argument), address<O, Carried, 3>(argument),
                                 address<O, Carried, 4>(argument)};
    each([&](auto u) __attribute__((always_inline)) {
      // Compilers keep variables in registers of the processor, and arrays that loops fill in memory.
      Vector a = {}, b = {}, c = {}, d = {}, e = {};
      read_argument<O, Carried, 0>(from[0], u, a);
      read_argument<O, Carried, 1>(from[1], u, b);
      read_argument<O, Carried, 2>(from[2], u, c);
      read_argument<O, Carried, 3>(from[3], u, d);
      read_argument<O, Carried, 4>(from[4], u, e);
      Vector result = {};
      compute_elements<O>(result, a, b, c, d, e);
      vectors_[u] = result;
    });
  }

 private:
  static constexpr int count = points / lanes;

  template <class Use>
  [[gnu::always_inline]] static void each(const Use& use) {
    if constexpr (lanes == 1) {
      for (int u = 0; u < count; ++u) use(u);
    } else {
      [&]<int... u>(std::integer_sequence<int, u...>) __attribute__((always_inline)) {
        (use(std::integral_constant<int, u>()), ...);
      }
      (std::make_integer_sequence<int, count>());
    }
  }

  template <Code O, int Carried, int Number, class Argument>
  [[gnu::always_inline]] static const float* address(const Argument& argument) {
    if constexpr (Number != Carried && Number < argument_count(O)) return argument(Number);
    return nullptr;
  }

  template <Code O, int Carried, int Number>
  [[gnu::always_inline]] void read_argument(const float* from, int u, Vector& to) const {
    if constexpr (Number == Carried)
      to = vectors_[u];
    else if constexpr (Number < argument_count(O))
      read(from, u, to);
  }

  [[gnu::always_inline]] static void read(const float* from, int u, Vector& to) {
    std::memcpy(&to, from + u * lanes, sizeof(Vector));
  }

  Vector vectors_[count] = {};
};

}  // namespace tessera::expressions::detail
