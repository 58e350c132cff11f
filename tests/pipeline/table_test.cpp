// SPDX-License-Identifier: BSD-3-Clause
// Tables in bodies, and bodies inlined with via.
#include "tessera/pipeline/body/table.hpp"

#include "pipeline/recording.hpp"
#include "tessera/pipeline/body/via.hpp"

namespace {

using namespace tessera;
using test::expect_footprint;
using test::Tightness;

using Floats = ArrayType<float, 2>;
using Bytes = ArrayType<std::uint8_t, 2>;

const Table<int, 5> offsets({3, -2, 0, 7, 1});
const Table<float, 3, 2> weights({{1, 2, 3}, {4, 5, 6}});

TEST(Table, HoldsWhatItWasMadeOf) {
  EXPECT_EQ(offsets(3), 7);
  EXPECT_EQ(offsets[Coordinate(1)], -2);
  EXPECT_EQ(weights(2, 0), 3);
  EXPECT_EQ(weights(Coordinate(0), 1), 4);
  const Table deduced({1.5f, 2.5f});
  EXPECT_TRUE((std::is_same_v<decltype(deduced), const Table<float, 2>>));
  const Table rows({{1, 2, 3}, {4, 5, 6}});
  EXPECT_TRUE((std::is_same_v<decltype(rows), const Table<int, 3, 2>>));
  const Table copied(std::array<std::uint8_t, 4>{9, 8, 7, 6});
  EXPECT_EQ(copied(2), 7);
}

TEST(Table, OverAnIntervalIsTheRangeOfItsEntries) {
  Decisions decisions;
  for (int first = -2; first < 7; ++first)
    for (int last = first; last < 7; ++last) {
      const auto range = offsets(Interval<Coordinate>(first, last, &decisions));
      std::int64_t low = 99, high = -99;
      for (int i = std::clamp(first, 0, 4); i <= std::clamp(last, 0, 4); ++i) {
        low = std::min<std::int64_t>(low, offsets(i));
        high = std::max<std::int64_t>(high, offsets(i));
      }
      EXPECT_EQ(range.lower, low);
      EXPECT_EQ(range.upper, high);
      EXPECT_EQ(range.decisions, &decisions);
    }
  const auto corner = weights(Interval<int>(1, 2, &decisions), 1);
  EXPECT_TRUE(corner.lower == 5 && corner.upper == 6 && !corner.maybe_nan);
  const Table<float, 2> with_nan({std::numeric_limits<float>::quiet_NaN(), 1.0f});
  EXPECT_TRUE(with_nan(Interval<int>(0, 1, &decisions)).maybe_nan);
  EXPECT_FALSE(with_nan(Interval<int>(1, 1, &decisions)).maybe_nan);
}

struct Shifts {
  Table<int, 5> offsets;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto chosen = clamp(cast<int>(in(x, y)), 0, 4);
    return in(x + offsets(chosen), y) + in(x, y + offsets[x % 5]);
  }
};
struct ShiftsByData {
  Table<int, 5> offsets;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + offsets(clamp(cast<int>(in(x, y)), 1, 3)), y);
  }
};

TEST(Table, InABodyGivesASoundFootprint) {
  expect_footprint<2, Bytes>(Shifts{offsets}, Tightness::sound);
  EXPECT_EQ((infer_footprint<2, Bytes>(ShiftsByData{offsets}, Box{{0, 1}, {0, 1}})[0]),
            (Box{{-2, 8}, {0, 1}}));
  EXPECT_TRUE((Footprint<ShiftsByData, 2, Bytes>(ShiftsByData{offsets}).has_closed_form()));
  EXPECT_FALSE((Footprint<Shifts, 2, Bytes>(Shifts{offsets}).has_closed_form()));
}

struct BlurX {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = -1; i <= 1; ++i) sum += in(x + i, y);
    return sum / 3;
  }
};
struct BlurY {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x, y - 1) + in(x, y) + in(x, y + 1)) / 3;
  }
};
struct Both {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto blurred = via(BlurX{}, in);
    return BlurY{}(blurred, x, y) + via(BlurX{}, via<std::uint8_t>(BlurY{}, blurred))(x / 2, 3) +
           blurred.zero();
  }
};
struct Difference {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y) - b(y, x);
  }
};
struct Sharper {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    const auto difference = via(Difference{}, via(BlurX{}, a), b);
    return via(BlurX{}, difference)(clamp(cast<int>(b(x, y)), 0, 3), y);
  }
};

TEST(Via, InfersTheFootprintOfBothBodies) {
  expect_footprint<2, Floats>(Both{}, Tightness::sound);
  expect_footprint<2, Floats, Bytes>(Sharper{}, Tightness::sound);
  EXPECT_EQ((infer_footprint<2, Floats>(Both{}, Box{{10, 12}, {4, 6}})[0]), (Box{{3, 13}, {2, 7}}));
  EXPECT_TRUE((Footprint<Both, 2, Floats>(Both{}).has_closed_form()));
}

struct ComparesAFraction {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (cast<float>(y) * 0.3f < 0.9f) return in(x - 4, y);
    return in(x, y);
  }
};
struct ComparesPlainNumbers {
  bool flag;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord) const {
    const auto factor = select(flag, 3.0f, in(x, 0));
    if (factor * 0.3f < 0.9f) return in(x, 7);
    return via(ComparesAFraction{}, in)(x, 3);
  }
};

TEST(Via, GivesPlainNumbersTheTape) {
  // What rounds may be less or not.
  EXPECT_EQ((infer_footprint<2, Floats>(ComparesPlainNumbers{true}, Box{{0, 1}, {0, 1}})[0]),
            (Box{{-4, 1}, {0, 8}}));
}

/// Values that are their coordinates.
struct Ramp {
  using Value = int;
  int operator()(Coordinate x, Coordinate y) const { return x.value * 9 + y.value * 300; }
  int zero() const { return 0; }
};

TEST(Via, EvaluatesTheOtherBodyAtThePoint) {
  EXPECT_EQ(BlurY{}(via(BlurX{}, Ramp{}), Coordinate(5), Coordinate(7)), 5 * 9 + 7 * 300);
  EXPECT_EQ(via<std::uint8_t>(BlurX{}, Ramp{})(Coordinate(0), Coordinate(1)), 300 - 256);
  const auto values = via(Difference{}, Ramp{}, via(BlurX{}, Ramp{}));
  EXPECT_TRUE((std::is_same_v<decltype(values)::Value, int>));
  EXPECT_EQ(values(Coordinate(2), 1), (18 + 300) - (9 + 600));
}

}  // namespace
