// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::test {

/// Flooding under a mask: a point rises to the greatest of some neighbours, as far as the mask allows. Which
/// neighbours may depend on where it is.
struct Flood {
  bool sees_indices;
  template <class U, class Mask, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Mask& mask, Coord x, Coord y) const {
    const auto some = max(max(u(x - 1, y), u(x, y)), u(x, y + 1));
    const auto all = max(some, max(u(x + 2, y), u(x, y - 1)));
    const auto is_even = (x + 2 * y) % 3 == 0;
    return min(select(is_even || !sees_indices, all, some), mask(x, y));
  }
};
/// The same, and in every third turn only from one side: it sees the state.
struct FloodInTurns {
  Flood flood;
  template <class U, class Mask, class State, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Mask& mask, const State& state, Coord x, Coord y) const {
    return select(state(0) % 3 == 2, min(max(u(x, y), u(x - 1, y - 1)), mask(x, y)), flood(u, mask, x, y));
  }
};
struct HasChanged {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return select(a(x, y) != b(x, y), 1, 0);
  }
};
/// How many turns there were, and what the last of them amounted to.
struct NextState {
  template <class State, class Amount, class Coord>
  KOKKOS_FUNCTION auto operator()(const State& state, const Amount& amount, Coord i) const {
    return select(i == 0, state(0) + 1, amount(0));
  }
};
struct FirstState {
  template <class Coord>
  KOKKOS_FUNCTION std::int64_t operator()(Coord) const {
    return 0;
  }
};
struct HasEnded {
  bool by_change;
  std::int64_t enough;
  template <class Amount, class Coord>
  KOKKOS_FUNCTION auto operator()(const Amount& amount, Coord) const {
    return select(by_change ? amount(0) == 0 : amount(0) >= enough, 1, 0);
  }
};
/// Or the state says so: the amount is the same again, a number of turns is over.
struct HasEndedByState {
  HasEnded ended;
  std::int64_t turns;
  template <class Amount, class State, class Coord>
  KOKKOS_FUNCTION auto operator()(const Amount& amount, const State& state, Coord i) const {
    return select(state(0) + 1 >= turns || (amount(0) == state(1) && state(0) >= 3), 1, ended(amount, i));
  }
};
struct Halve {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) / 2;
  }
};
struct Slope {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + 1, y - 2) - in(x, y);
  }
};

/// A loop of any variant of Aldinucci et al., section 3.1, with stages before and after it: "after" of the
/// input "seed" under the mask "mask".
struct FloodSample {
  Box box;
  /// The variants -i, -d and -s.
  bool sees_indices, reduces_change, has_state;
  /// The first iterate is a stage, not the input itself.
  bool starts_as_stage;
  BoundaryConditions boundary;
  std::int64_t maximum, enough, state_turns;
  WholeArray<std::int32_t> seed, mask;
  Pipeline pipeline;

  explicit FloodSample(Random& random);

  std::string iterate() const { return starts_as_stage ? "first" : "seed"; }
  std::string text() const;

  /// Returns the result of the paper's formal semantics, point by point: the iterate after the last turn, and
  /// `turns`.
  WholeArray<std::int32_t> expected(LoopProgress& progress) const;
  /// The stage after the loop.
  WholeArray<std::int32_t> after(const WholeArray<std::int32_t>& iterate) const;

 private:
  void declare();
};

}  // namespace tessera::test
