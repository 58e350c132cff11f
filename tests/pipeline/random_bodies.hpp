// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/random_graph.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace tessera::test {

// Bodies of many kinds. With a power of two as weight a product is exact, so that contraction into fused
// multiply-adds changes nothing and a plain evaluation must give the same bits.

struct Skewed {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    // Several products: a compiler that contracts has a choice.
    return in(x - 1, y) * weight + in(x, y + 2) * (weight / 2) - in(x + 1, y) * weight;
  }
};
struct Down {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x, y) + in(2 * x + 1, y - 1) * weight;
  }
};
struct Up {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x / 2, y / 2) * weight + in((x + 1) / 2, y);
  }
};
struct Transposed {
  static constexpr bool transposes = true;
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x) - in(y + 1, x) * weight;
  }
};
struct Displaced {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto shift = clamp(cast<int>(in(x, y)), -2, 3);
    return in(x + shift, y - 1) * weight + in(x, y + shift);
  }
};
struct Branching {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto value = in(x, y);
    if (value > 0.25f) value = in(x - 2, y) * weight;
    return select(in(x, y - 1) < value, value, in(x + 1, y) + 1.0f);
  }
};
struct RowSum {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = -2; i <= 1; ++i) sum += in(x + i, y) * weight;
    return sum;
  }
};
struct Mixed {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y + 1) - b(x + 1, y - 1) * weight;
  }
};
/// Reads its second input only in a part of the plane.
struct Sided {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    auto value = a(x, y) * weight;
    if (y > 5) value += b(x, y + 3);
    if (x > 2500) value += b(x - 1, y);
    return value;
  }
};

/// Calls use(body) with the body of a stage that reads two arrays.
template <class Use>
auto with_body_of_two(const GraphStage& stage, const Use& use) {
  return stage.kind == 7 ? use(Mixed{stage.weight}) : use(Sided{stage.weight});
}

/// Calls use(body) with the body of a stage that reads one.
template <class Use>
auto with_body(const GraphStage& stage, const Use& use) {
  switch (stage.kind) {
    case 0:
      return use(Skewed{stage.weight});
    case 1:
      return use(Down{stage.weight});
    case 2:
      return use(Up{stage.weight});
    case 3:
      return use(Transposed{stage.weight});
    case 4:
      return use(Displaced{stage.weight});
    case 5:
      return use(Branching{stage.weight});
    default:
      return use(RowSum{stage.weight});
  }
}

}  // namespace tessera::test
