// SPDX-License-Identifier: BSD-3-Clause
// Builds with TESSERA_CHECKS: an access outside the footprint is reported, not followed.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::expect_message;

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
  expect_message(error_of(Liar{1, 0}, Placement::distributed, {12, 10}, 1),
                 {"'liar'", "read 'honest'", "0 lies outside"});
  expect_message(error_of(Liar{0, -2}, Placement::distributed, {12, 10}, 1),
                 {"'liar'", "read 'honest'", "1 lies outside"});
}

TEST(AccessCheck, HoldsDeclaredFootprintsToTheirWord) {
  expect_message(error_of(DeclaresTooLittle{}, Placement::distributed, {12, 10}, 1),
                 {"'liar'", "read 'honest'", "lies outside"});
}

TEST(AccessCheck, LooksAtEveryTile) {
  // The first tile of three columns reads column 3 of its neighbour: in memory, but not in its footprint.
  expect_message(error_of(Liar{1, 0}, Placement::rank, {3, 5}, 1),
                 {"'liar'", "read 'honest'", "0 lies outside"});
  expect_message(error_of(Liar{0, 1}, Placement::tile, {12, 1}, 1),
                 {"'liar'", "read 'honest'", "1 lies outside"});
}

TEST(AccessCheck, LooksAtEveryRank) {
  expect_message(error_of(Liar{0, 1}, Placement::distributed, {12, 10}, 5),
                 {"'liar'", "read 'honest'", "lies outside"});
}

TEST(AccessCheck, PassesBodiesThatReadWhatTheySaid) {
  EXPECT_EQ(error_of(Liar{0, 0}, Placement::tile, {5, 2}, 3), "nothing was thrown");
}

}  // namespace
