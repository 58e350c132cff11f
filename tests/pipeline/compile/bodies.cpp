// SPDX-License-Identifier: BSD-3-Clause
// Compiled once per body with -DBODY=name: all but the positive controls must be refused (see
// CMakeLists.txt).
#include <algorithm>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/table.hpp"

using namespace tessera;

/// The positive control.
struct Correct {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = -1; i <= 1; ++i) sum += in(x + i, y) * 0.5f;
    if (sum > 1.0f) sum -= cast<float>(x) * 0.25f;
    return clamp(sum, 0.0f, 1.0f);
  }
};

struct InitialisesAFloat {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    float value = in(x, y);
    return value;
  }
};

struct AddsToAFloat {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    float sum = 0;
    sum += in(x, y);
    return sum;
  }
};

struct ScalesADouble {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    double product = 1;
    product *= in(x, y);
    return product;
  }
};

struct CastsAValue {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + static_cast<int>(in(x, y)), y);
  }
};

struct IndexesAnArray {
  float weights[5];
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * weights[x % 5];
  }
};

struct MakesAnInt {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    int column = x;
    return in(column, y);
  }
};

struct UsesAValueAsCondition {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (in(x, y)) return in(x - 1, y);
    return in(x + 1, y);
  }
};

struct UsesStdClamp {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return std::clamp<float>(in(x, y), 0.0f, 1.0f);
  }
};

/// No text of ours here: deduction fails before any conversion.
struct DeducesStdClamp {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return std::clamp(in(x, y), 0.0f, 1.0f);
  }
};

struct ScalesACoordinate {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x * 0.5f, y);
  }
};

struct TakesATableEntryAsAFloat {
  Table<float, 5> weights{{1, 2, 3, 2, 1}};
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const float weight = weights(x % 5);
    return in(x, y) * weight;
  }
};

struct IndexesATableWithAPlainNumber {
  Table<float, 5> weights{{1, 2, 3, 2, 1}};
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * weights(static_cast<int>(x % 5));
  }
};

/// A positive control: whoever declares the footprint may use plain numbers.
struct DeclaresItsFootprint {
  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y) const {
    float value = in(x, y);
    return value;
  }
  Box footprint(int, const Box& box) const { return box; }
};

/// A positive control: the most rows that hosts compute together.
struct SixteenRowsTogether : Correct {
  static constexpr int rows_together = 16;
};

struct NoRowsTogether : Correct {
  static constexpr int rows_together = 0;
};

struct SeventeenRowsTogether : Correct {
  static constexpr int rows_together = 17;
};

struct TakesTwoInputs {
  template <class In, class Other, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Other& other, Coord x, Coord y) const {
    return in(x, y) + other(x, y);
  }
};

struct TakesOneCoordinate {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x, x);
  }
};

struct TakesPlainCoordinates {
  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, int x, int y) const {
    return in(x, y);
  }
};

struct IsNotConst {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) {
    return in(x, y);
  }
};

void declare() {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", Box{{0, 4}, {0, 4}}, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("stage", BODY{}, input));
}
