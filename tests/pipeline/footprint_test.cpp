// SPDX-License-Identifier: BSD-3-Clause
// Footprints found by inference against those of running the body on random data.
#include "tessera/pipeline/inference/footprint.hpp"

#include "messages.hpp"
#include "pipeline/recording.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using test::expect_footprint;
using test::Tightness;

using Floats = ArrayType<float, 2>;
using Bytes = ArrayType<std::uint8_t, 2>;
using test::expect_message;

struct Affine {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) + in(x + 2, y - 3) + in(3 - x, -y);
  }
};
struct Strided {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x - 1, 3 * y) + in(2 * x + 1, y * -2);
  }
};
struct Halved {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x / 2, (y + 1) / 3) + in((x + 1) / 2, y / 4);
  }
};
struct Transposed {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x - 1);
  }
};

TEST(Footprint, OfAffineIndicesIsTight) {
  expect_footprint<2, Floats>(Affine{}, Tightness::tight);
  expect_footprint<2, Floats>(Strided{}, Tightness::tight);
  expect_footprint<2, Floats>(Halved{}, Tightness::tight);
  expect_footprint<2, Bytes>(Transposed{}, Tightness::tight);
}

struct Modulo {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x % 5, y - y % 2) + in(abs(x - 3), min(max(y, -2), x));
  }
};
struct Selected {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(select(x < 4 && y > 0, x - 6, x + 1), select(in(x, y) > 0.0f, y, y + 3));
  }
};

TEST(Footprint, OfOtherIndicesIsSound) {
  expect_footprint<2, Floats>(Modulo{}, Tightness::sound);
  expect_footprint<2, Floats>(Selected{}, Tightness::sound);
}

/// A look-up in a grid of (x, y, z), as bilateral filters have.
struct Sliced {
  template <class Image, class Grid, class Coord>
  KOKKOS_FUNCTION auto operator()(const Image& image, const Grid& grid, Coord x, Coord y) const {
    const auto z = clamp(cast<int>(image(x, y)) / 20, 0, 12);
    return grid(x / 8, y / 8, z) + grid(x / 8 + 1, y / 8, min(z + 1, 12));
  }
};
struct GatheredByFloat {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto shift = cast<int>(clamp(in(x, y) * 0.5f - 1.0f, -2.0f, 3.0f));
    return in(x + shift, y) + in(x, cast<int>(sqrt(clamp(in(x, y), 0.0f, 30.0f))));
  }
};

TEST(Footprint, OfGathersThroughClampIsFinite) {
  expect_footprint<2, Bytes, ArrayType<float, 3>>(Sliced{}, Tightness::sound);
  expect_footprint<2, Floats>(GatheredByFloat{}, Tightness::sound);
  const auto boxes = infer_footprint<2, Bytes, ArrayType<float, 3>>(Sliced{}, Box{{0, 16}, {8, 17}});
  EXPECT_EQ(boxes[0], (Box{{0, 16}, {8, 17}}));
  EXPECT_EQ(boxes[1], (Box{{0, 3}, {1, 3}, {0, 13}}));
}

struct BranchesOnData {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (in(x, y) > 0.0f) {
      if (in(x, y + 1) <= in(x, y)) return in(x - 4, y);
      return in(x, y - 2);
    }
    return in(x + 3, y);
  }
};
struct BranchesOnNan {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto value = in(x, y);
    if (value == value) return value;
    return in(x + 9, y);
  }
};
struct BranchesOnCoordinates {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (x % 2 == 0) return in(x - 1, y);
    if (y > 0 || x >= 7) return in(x, y + 5);
    return in(x, y);
  }
};

TEST(Footprint, CoversBothWaysOfEveryBranch) {
  expect_footprint<2, Floats>(BranchesOnData{}, Tightness::sound);
  expect_footprint<2, Floats>(BranchesOnNan{}, Tightness::sound);
  expect_footprint<2, Floats>(BranchesOnCoordinates{}, Tightness::sound);
  EXPECT_EQ((infer_footprint<2, Floats>(BranchesOnData{}, Box{{0, 1}, {0, 1}})[0]), (Box{{-4, 4}, {-2, 2}}));
  EXPECT_EQ((infer_footprint<2, Floats>(BranchesOnNan{}, Box{{0, 1}, {0, 1}})[0]), (Box{{0, 10}, {0, 1}}));
}

struct SumsInALoop {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int dy = -1; dy <= 2; ++dy)
      for (int dx = -3; dx <= 0; ++dx) sum += in(x + dx, y + dy);
    return sum / 16;
  }
};
struct BranchesOnAnEmptySum {
  int terms;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = 0; i < terms; ++i) sum += in(x, y);
    sum *= 0.5f;
    if (sum > 0.0f) return in(x - 2, y);
    return in(x + 2, y);
  }
};

TEST(Footprint, OfLoopsThatStartWithZero) {
  expect_footprint<2, Floats>(SumsInALoop{}, Tightness::tight);
  expect_footprint<2, Bytes>(SumsInALoop{}, Tightness::tight);
  expect_footprint<2, Floats>(BranchesOnAnEmptySum{0}, Tightness::sound);
  expect_footprint<2, Floats>(BranchesOnAnEmptySum{2}, Tightness::sound);
}

struct ReadsOneOfTwo {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B&, Coord x) const {
    return a(x + 1);
  }
};

TEST(Footprint, OfAnInputThatIsNotReadIsEmpty) {
  const auto boxes =
      infer_footprint<1, ArrayType<float, 1>, ArrayType<float, 2>>(ReadsOneOfTwo{}, Box{{5, 9}});
  EXPECT_EQ(boxes[0], (Box{{6, 10}}));
  EXPECT_TRUE(boxes[1].empty());
  EXPECT_EQ(boxes[1].dimensions, 2);
}

/// 2^Branches paths.
template <int Branches>
struct ManyBranches {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = 0; i < Branches; ++i)
      if (in(x + i, y) > 0.0f) sum += in(x, y + i);
    return sum;
  }
};
struct NeverStops {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    int i = 0;
    while (in(x + i, y) > 0.0f) ++i;
    return in(x, y + i);
  }
};

template <class Body>
std::string footprint_error(const Body& body) {
  return test::message_of<InternalError>([&] { infer_footprint<2, Floats>(body, Box{{0, 4}, {0, 4}}); });
}

TEST(Footprint, WithTooManyPathsIsAnError) {
  EXPECT_EQ((infer_footprint<2, Floats>(ManyBranches<8>{}, Box{{0, 1}, {0, 1}})[0]), (Box{{0, 8}, {0, 8}}));
  expect_message(footprint_error(ManyBranches<9>{}), {"undecided paths", "use select"});
  expect_message(footprint_error(ManyBranches<60>{}), {"undecided paths", "use select"});
  expect_message(footprint_error(NeverStops{}), {"undecided paths", "use select"});
}

struct Unbounded {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, cast<int>(in(x, y)));
  }
};
struct BoundedBelow {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(max(cast<int>(in(x, y)), 0), y);
  }
};

template <class Body>
std::string plan_error(const Body& body) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("photograph", Box{{0, 9}, {0, 9}}, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("gather", body, input));
  return test::message_of<InternalError>([&] { make_plan(pipeline, {}, {}, 2, 0); });
}

TEST(Footprint, WithoutBoundsIsAnErrorThatNamesStageAndInput) {
  expect_message(plan_error(Unbounded{}), {"'gather'", "reads 'photograph'", "without bounds"});
  EXPECT_NE(plan_error(BoundedBelow{}).find("stage 'gather' reads 'photograph' at an index without bounds"),
            std::string::npos);
  expect_message(plan_error(ManyBranches<9>{}), {"'gather'", "undecided paths", "use select"});
}

TEST(Footprint, GrowsWithItsBox) {
  // Inclusion: what a range of ranks needs holds what each of them needs.
  test::Random random(98);
  for (int i = 0; i < 500; ++i) {
    const Box large = random.box(2, -20, 20, 12);
    const Box small = random.box_in(large);
    const auto expect_inside = [&](const auto& body) {
      EXPECT_TRUE(
          (infer_footprint<2, Floats>(body, large)[0].contains(infer_footprint<2, Floats>(body, small)[0])));
    };
    expect_inside(Affine{});
    expect_inside(Halved{});
    expect_inside(Modulo{});
    expect_inside(Selected{});
    expect_inside(BranchesOnCoordinates{});
    expect_inside(GatheredByFloat{});
  }
}

}  // namespace
