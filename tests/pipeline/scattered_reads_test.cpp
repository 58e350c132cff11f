// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/array_domains.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

struct AtSquare {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(y, x * x);
  }
};
struct AtSquareWithinImage {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(y, clamp(x * x, 0, 199));
  }
};
/// This body reads one of ninety points, which is below the limit.
struct EveryTenth {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(10 * x, 9 * y);
  }
};
struct Mean {
  template <class U, class V, class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const V& v, const W& w, Coord x, Coord y) const {
    return u(x, y) + v(x, y) + w(x, y);
  }
};

TEST(ScatteredReads, AnIndexThatGrowsFasterThanItsCoordinateIsNamed) {
  Pipeline pipeline;
  const Box image{{0, 200}, {0, 200}};
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto squares = pipeline.stage<float>("squares", AtSquare(), input);
  const auto within = pipeline.stage<float>("within", AtSquareWithinImage(), input);
  const auto tenth = pipeline.stage<float>("tenth", EveryTenth(), input);
  pipeline.output(pipeline.stage<float>("mean", Mean(), squares, within, tenth), image);
  const auto lines = scattered_reads(pipeline, make_plan(pipeline, {}, {}, 1, 0));
  // Point 199 reads row 199 * 199.
  ASSERT_EQ(lines.size(), 1U);
  test::expect_message(lines[0], {"'squares'", "7920400 points", "198 times", "index 1"});
}

}  // namespace
