// SPDX-License-Identifier: BSD-3-Clause
// Builds with TESSERA_CHECKS: an access outside the footprint is reported, not followed.
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

/// Tells inference less than it reads: a trick to have a body that breaks the rules.
struct Liar {
  int dx, dy;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if constexpr (is_interval<Coord>)
      return in(x, y);
    else
      return in(x + dx, y + dy);
  }
};

/// Declares too little, to the left.
struct DeclaresTooLittle {
  template <class In>
  KOKKOS_FUNCTION float operator()(const In& in, Coordinate x, Coordinate y) const {
    const float left = in(x - 2, y);
    return left + in(x, y);
  }
  Box footprint(int, Box box) const {
    box[0].begin -= 1;
    return box;
  }
};

template <class Body>
std::string error_of(const Body& body, Placement placement, const TileSize& tile, int ranks) {
  Pipeline pipeline;
  const Box box{{0, 12}, {0, 10}};
  const auto input = pipeline.input<float, 2>("photograph", box, Boundary::clamp);
  const auto honest = pipeline.stage<float>("honest", Liar{0, 0}, input);
  pipeline.output(pipeline.stage<float>("liar", body, honest));
  Schedule schedule;
  schedule.stages["honest"].placement = placement;
  schedule.stages["liar"].tile = tile;
  test::WholeArray<float> image(box);
  test::ArraySource<float> source(image);
  return test::message_of<InternalError>([&] {
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, ranks)).run({{{"photograph", &source}}, {}});
  });
}

TEST(AccessCheck, NamesStagePointDimensionAndBox) {
  EXPECT_EQ(error_of(Liar{1, 0}, Placement::distributed, {12, 10}, 1),
            "stage 'liar' read 'honest' at (12, 0), which in dimension 0 lies outside its footprint [0, 12) "
            "x [0, 10)");
  EXPECT_EQ(error_of(Liar{0, -2}, Placement::distributed, {12, 10}, 1),
            "stage 'liar' read 'honest' at (0, -2), which in dimension 1 lies outside its footprint [0, 12) "
            "x [0, 10)");
}

TEST(AccessCheck, HoldsDeclaredFootprintsToTheirWord) {
  EXPECT_EQ(error_of(DeclaresTooLittle{}, Placement::distributed, {12, 10}, 1),
            "stage 'liar' read 'honest' at (-2, 0), which in dimension 0 lies outside its footprint [-1, 12) "
            "x [0, 10)");
}

TEST(AccessCheck, LooksAtEveryTile) {
  // The first tile of three columns reads column 3 of its neighbour: in memory, but not in its footprint.
  EXPECT_EQ(error_of(Liar{1, 0}, Placement::rank, {3, 5}, 1),
            "stage 'liar' read 'honest' at (3, 0), which in dimension 0 lies outside its footprint [0, 3) x "
            "[0, 5)");
  EXPECT_EQ(error_of(Liar{0, 1}, Placement::tile, {12, 1}, 1),
            "stage 'liar' read 'honest' at (0, 1), which in dimension 1 lies outside its footprint [0, 12) x "
            "[0, 1)");
}

TEST(AccessCheck, LooksAtEveryRank) {
  EXPECT_EQ(error_of(Liar{0, 1}, Placement::distributed, {12, 10}, 5),
            "stage 'liar' read 'honest' at (0, 2), which in dimension 1 lies outside its footprint [0, 12) x "
            "[0, 2)");
}

TEST(AccessCheck, PassesBodiesThatReadWhatTheySaid) {
  EXPECT_EQ(error_of(Liar{0, 0}, Placement::tile, {5, 2}, 3), "nothing was thrown");
}

}  // namespace
