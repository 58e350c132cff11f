// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "detection.hpp"
#include "minimiser.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

// Phase 2: what the noisy pixels become.
namespace restore {

/// A pixel of an iterate: its value, and above it by how much it changed in the last turn.
using Iterate = std::uint16_t;
inline constexpr int levels = 256;

/// The first iterate is the image itself; noisy pixels count as changed.
struct Begin {
  template <class In, class Weight, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weight& weight, Coord x, Coord y) const {
    const auto value = tessera::cast<Iterate>(in(x, y));
    const auto changed = tessera::cast<Iterate>(value + levels);
    return tessera::select(weight(x, y) == noisy_weight, changed, value);
  }
};

/// The slopes of a pixel's term, as a neighbour, less its value: constant in all turns.
using Row = std::uint16_t;
inline constexpr Row noisy_row = Minimiser::row(noisy_weight);
inline constexpr Row clean_row = Minimiser::row(clean_weight);
inline constexpr Row row_outside = Minimiser::row(0);
struct RowOfWeight {
  template <class Weight, class Coord>
  KOKKOS_FUNCTION auto operator()(const Weight& weight, Coord x, Coord y) const {
    return tessera::select(weight(x, y) == noisy_weight, noisy_row, clean_row);
  }
};

/// One turn of Points pixels that follow each other along x, from those of the turn before. A noisy pixel
/// whose own value and neighbours did not change then, stays, as it is the minimum of the same function.
/// Which these are is found in vectors; those to minimise are gathered, so that few branches depend on noise.
template <int Points>
struct Minimise {
  Minimiser minimum;

  tessera::Box footprint(int, const tessera::Box& units) const {
    return {{Points * units[0].begin - 1, Points * units[0].end + 1}, {units[1].begin - 1, units[1].end + 1}};
  }

  template <class U, class Rows, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Rows& rows, Coord unit, Coord y) const {
    const Coord x = unit * Points;
    Iterate next[Points];
    std::uint8_t is_open[Points];
    int open[Points], missed[Points];
    for (int k = 0; k < Points; ++k) {
      const Coord at = x + k;
      const auto changes =
          static_cast<Iterate>(u(at - 1, y) | u(at, y) | u(at + 1, y) | u(at, y - 1) | u(at, y + 1));
      is_open[k] = (changes >= levels) & (rows(at, y) == noisy_row);
      next[k] = u(at, y) % levels;
    }
    int open_count = 0, missed_count = 0;
    for (int k = 0; k < Points; ++k) {
      open[open_count] = k;
      open_count += is_open[k];
    }
    for (int i = 0; i < open_count; ++i) {
      const int k = open[i];
      const Surroundings around(minimum, u, rows, x + k, y);
      const int first = Minimiser::window(around.neighbours);
      const int negative = Minimiser::negative_slopes(around.terms, first);
      next[k] = moved(around.value, first + negative);
      missed[missed_count] = k;
      missed_count += !Minimiser::is_found(negative);
    }
    for (int i = 0; i < missed_count; ++i) {
      const Surroundings around(minimum, u, rows, x + missed[i], y);
      next[missed[i]] = moved(around.value, Minimiser::bisect(around.terms));
    }
    return packed(next, std::make_index_sequence<Points>{});
  }

 private:
  /// What a pixel depends on.
  struct Surroundings {
    int value;
    std::array<int, 4> neighbours;
    Terms terms;

    template <class U, class Rows, class Coord>
    KOKKOS_FORCEINLINE_FUNCTION Surroundings(const Minimiser& minimum, const U& u, const Rows& rows, Coord x,
                                             Coord y)
        : value(u(x, y) % levels),
          neighbours{u(x - 1, y) % levels, u(x + 1, y) % levels, u(x, y - 1) % levels, u(x, y + 1) % levels},
          terms{
              minimum.term(Minimiser::row(Minimiser::own_row) - value),
              {minimum.term(rows(x - 1, y) - neighbours[0]), minimum.term(rows(x + 1, y) - neighbours[1]),
               minimum.term(rows(x, y - 1) - neighbours[2]), minimum.term(rows(x, y + 1) - neighbours[3])}} {}
  };

  KOKKOS_FORCEINLINE_FUNCTION static Iterate moved(int from, int to) {
    const int change = from < to ? to - from : from - to;
    return static_cast<Iterate>(to + levels * change);
  }
  template <std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION static auto packed(const Iterate (&values)[Points], std::index_sequence<K...>) {
    if constexpr (Points == 1)
      return values[0];
    else
      return tessera::pack(values[K]...);
  }
};

/// By how much all pixels changed in a turn. A pixel that was 0 or 255 in the image only ever moves away from
/// that or back, so that this is the sum of the absolute differences of successive |change from the image|.
struct SumOfChanges {
  using Value = std::uint64_t;
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  KOKKOS_FUNCTION void add(Value& value, const Iterate& element, const tessera::Point&) const {
    value += element / static_cast<unsigned>(levels);
  }
  void add_row(Value& value, const Iterate* elements, std::int64_t count) const {
    constexpr std::int64_t piece = 1 << 16;  // whose sum has 32 bits
    for (std::int64_t first = 0; first < count; first += piece) {
      std::uint32_t sum = 0;
      for (std::int64_t i = first; i < std::min(count, first + piece); ++i)
        sum += elements[i] / static_cast<unsigned>(levels);
      value += sum;
    }
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value += other; }
  Value result(const Value& value) const { return value; }
};

/// The residual: the mean change of a pixel in a turn.
struct Residual {
  double pixels;

  template <class Change, class Coord>
  KOKKOS_FUNCTION auto operator()(const Change& change, Coord) const {
    return tessera::cast<double>(change(0)) / pixels;
  }
};

/// That before the first turn.
struct NoResidual {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord) const {
    return 0.0;
  }
};

/// Whether the residual differs from that of the turn before by less than `tolerance` times that. It has also
/// converged when nothing changed.
struct HasConverged {
  double tolerance;

  template <class Now, class Before, class Coord>
  KOKKOS_FUNCTION auto operator()(const Now& now, const Before& before, Coord) const {
    const auto change = tessera::abs(now(0) - before(0));
    const auto settled = tessera::select(change < tolerance * before(0), 1, 0);
    return tessera::select(now(0) == 0.0, 1, settled);
  }
};

/// The value alone.
struct Value {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return tessera::cast<std::uint8_t>(u(x, y) % levels);
  }
};

}  // namespace restore
