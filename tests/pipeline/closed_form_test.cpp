// SPDX-License-Identifier: BSD-3-Clause
// Footprints in closed form against those of running the body; declared footprints.
#include "messages.hpp"
#include "pipeline/recording.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace {

using namespace tessera;

using Floats = ArrayType<float, 2>;
using Bytes = ArrayType<std::uint8_t, 2>;
using Grid = ArrayType<float, 3>;

template <class... Inputs, class Body>
void expect_equal_to_runs(const Body& body, bool closed) {
  const Footprint<Body, 2, Inputs...> footprint(body);
  EXPECT_EQ(footprint.has_closed_form(), closed);
  test::Random random(17);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t far = i % 2 ? 40 : Provenance::limit + 10;
    const Box box = random.box(2, -far, far, 70);
    std::array<Box, sizeof...(Inputs)> needs;
    footprint.required(box, needs.data());
    EXPECT_EQ(needs, (infer_footprint<2, Inputs...>(body, box))) << to_string(box);
  }
}

struct Everything {
  template <class In, class Lookup, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Lookup& grid, Coord x, Coord y) const {
    const auto z = clamp(cast<int>(in(x - 1, 3 - 2 * y)) / 20, -2, 12);
    const auto chosen = select(in(x, y) > 9, y, y + 3);
    const auto tilted = -((x * 3 - 1) / 4) / -2;
    auto sum = grid(x / 8, (y + 1) / 8, z) + grid(x / 8 + 1, y + z, 7) + grid(cast<int>(x) + 2, -x, y + y);
    if (in(x, chosen) > 3) sum += grid(tilted, (-y - 5) / 3, x * -4);
    return sum;
  }
};
struct OneDimensional {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord) const {
    return in(x / 2 / 3 - 1, 0 * x) + in((x / 2 - 1) / -3, 2);
  }
};
struct Assigned {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto shift = clamp(cast<int>(in(x, y)), 0, 3);
    auto column = x;
    column += 1;
    column *= 2;
    auto row = y;
    row = shift;
    return in(column, row) + in((x + shift) * -2, (shift - y / 3) * -1) + in(x * 31, y);
  }
};
struct ReadsNothing {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord, Coord) const {
    return in.zero();
  }
};

TEST(ClosedForm, EqualsARunOfTheBody) {
  expect_equal_to_runs<Bytes, Grid>(Everything{}, true);
  expect_equal_to_runs<Floats>(OneDimensional{}, true);
  expect_equal_to_runs<Bytes>(Assigned{}, true);
  expect_equal_to_runs<Floats>(ReadsNothing{}, true);
}

struct WithoutInputs {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord y) const {
    return x + y;
  }
};

TEST(ClosedForm, OfABodyWithoutInputsIsNothing) {
  const Footprint<WithoutInputs, 2> footprint(WithoutInputs{});
  footprint.required(Box{{0, 4}, {0, 4}}, nullptr);
  EXPECT_TRUE(footprint.has_closed_form());
}

TEST(ClosedForm, EndsAtItsLimit) {
  // 31 * 70000000 is no int.
  const Box box{{0, 70'000'001}, {0, 1}};
  Box need;
  Footprint<Assigned, 2, Bytes>(Assigned{}).required(box, &need);
  EXPECT_EQ(need, (infer_footprint<2, Bytes>(Assigned{}, box)[0]));
  EXPECT_EQ(need[0].begin, std::numeric_limits<int>::lowest());
}

/// An index that Number chooses and that is no closed form.
template <int Number>
struct Without {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if constexpr (Number == 0) return in(clamp(x, 0, 12), y);
    if constexpr (Number == 1) return in(x * y, y);
    if constexpr (Number == 2) return in(x % 3, y);
    if constexpr (Number == 3) return in(x - x, y);
    if constexpr (Number == 4) return in(x / 2 * 2, y);
    if constexpr (Number == 5) return in(abs(x), y);
    if constexpr (Number == 6) return in(select(x < 5, 1, 2), y);
    if constexpr (Number == 7) return in(cast<int>(cast<float>(x) * 0.5f), y);
    if constexpr (Number == 8) return in(x + y, y);
    if constexpr (Number == 9) return in(cast<int>(x) / 2, y);
    if constexpr (Number == 10) return in(x * clamp(cast<int>(in(x, y)), 0, 3), y);
    if constexpr (Number == 11) return in(x * 64, y);
    if constexpr (Number == 12) return in(cast<std::uint8_t>(x), y);
    if constexpr (Number == 13) return in(x, y) + in(2 * x, y) + in(3 * x, y) + in(4 * x, y) + in(5 * x, y);
    if constexpr (Number == 14) return in(cast<int>(cast<float>(x)), y);
    if constexpr (Number == 15) return in(x / clamp(cast<int>(in(x, y)), 1, 3), y);
    if constexpr (Number == 16) return in(x / 2 + x / 2, y);
    if constexpr (Number == 17) return in(x / 3 * 2, y);
  }
};
struct BranchesOnAnIndex {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (x > 9) return in(x - 1, y);
    return in(x, y);
  }
};
struct NeverStops {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto last = x;
    while (last < y) last += 1;
    return in(last, y);
  }
};

template <std::size_t... Number>
void expect_none(std::index_sequence<Number...>) {
  (expect_equal_to_runs<Floats>(Without<static_cast<int>(Number)>{}, false), ...);
}

TEST(ClosedForm, IsNotFoundWhereThereIsNone) {
  expect_none(std::make_index_sequence<18>{});
  expect_equal_to_runs<Floats>(BranchesOnAnIndex{}, false);
  EXPECT_FALSE((Footprint<NeverStops, 2, Floats>(NeverStops{}).has_closed_form()));
}

/// Uses plain numbers, which inference could not follow.
struct Declared {
  int dimensions;
  template <class In>
  auto operator()(const In& in, Coordinate x, Coordinate y) const {
    float weight = in(x, y);
    return weight * in(x.value + static_cast<int>(weight) % 2, y);
  }
  Box footprint(int, const Box& box) const {
    Box need{{box[0].begin - 1, box[0].end + 1}, box[1], {0, 1}};
    need.dimensions = dimensions;
    return need;
  }
};

TEST(DeclaredFootprint, IsTakenAsItIs) {
  const Footprint<Declared, 2, Floats> footprint(Declared{2});
  EXPECT_FALSE(footprint.has_closed_form());
  Box need;
  footprint.required(Box{{3, 9}, {1, 2}}, &need);
  EXPECT_EQ(need, (Box{{2, 10}, {1, 2}}));
}

TEST(DeclaredFootprint, OfOtherDimensionsIsAnError) {
  const Footprint<Declared, 2, Floats> footprint(Declared{3});
  Box need;
  test::expect_message(test::message_of<InternalError>([&] {
                         footprint.required(Box{{3, 9}, {1, 2}}, &need);
                       }),
                       {"body declares", "3 dimensions"});
}

}  // namespace
