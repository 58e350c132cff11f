// SPDX-License-Identifier: BSD-3-Clause
// Entries that rows are looked up in, against the tables.
#include "tessera/pipeline/body/table.hpp"

#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/via.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

template <class Curve>
struct LookUp {
  Curve table;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return table.deferred(cast<int>(in(x, y)));
  }
};

template <class Curve>
struct LookUpTwoRows : LookUp<Curve> {
  static constexpr int rows_together = 2;
};

/// Tables of `Entries` entries, stored as a T, from indices stored as I, on rows of many lengths.
template <class T, class I, int Entries>
void expect_entries() {
  test::Random random(Entries);
  std::array<T, Entries> entries;
  for (auto& entry : entries) entry = static_cast<T>(random.small(0, 255));
  const Table<T, Entries> table(entries);
  for (int width : {1, 2, 31, 63, 64, 65, 127, 200, 511, 512, 513, 576, 1200}) {
    test::WholeArray<I> image(Box{{-3, width - 3}, {0, 3}});
    for (auto& index : image.values) index = static_cast<I>(random.small(0, Entries - 1));
    Pipeline pipeline;
    const auto input = pipeline.input<I, 2>("input", image.box);
    pipeline.output(pipeline.stage<T>("entries", LookUp<Table<T, Entries>>{table}, input), image.box);
    pipeline.output(pipeline.stage<T>("two_rows", LookUpTwoRows<Table<T, Entries>>{{table}}, input),
                    image.box);
    test::ArraySource<I> source(image);
    test::ArraySink<T> sink(image.box), two_rows(image.box);
    Rehearsal(pipeline, make_plans(pipeline, {}, {}, 2))
        .run({{{"input", &source}}, {{"entries", &sink}, {"two_rows", &two_rows}}});
    EXPECT_TRUE(two_rows.array.same_bits(sink.array));
    for (std::size_t i = 0; i < image.values.size(); ++i)
      ASSERT_EQ(sink.array.values[i], table(static_cast<int>(image.values[i])))
          << i << " of rows of " << width << " in a table of " << Entries;
  }
}

TEST(Lookup, OfRowsGivesTheEntriesOfTablesOfAnySize) {
  expect_entries<std::uint8_t, std::uint8_t, 1>();
  expect_entries<std::uint8_t, std::uint8_t, 63>();
  expect_entries<std::uint8_t, std::uint8_t, 64>();
  expect_entries<std::uint8_t, std::uint16_t, 65>();
  expect_entries<std::uint8_t, std::int32_t, 128>();
  expect_entries<std::uint8_t, std::uint16_t, 129>();
  expect_entries<std::uint8_t, std::uint8_t, 256>();
  expect_entries<std::uint8_t, std::uint16_t, 500>();
  expect_entries<std::uint8_t, std::uint16_t, 1000>();
  expect_entries<std::uint8_t, std::uint16_t, 1024>();
}

TEST(Lookup, OfOtherTablesIsDoneAtOnce) {
  expect_entries<std::uint8_t, std::uint16_t, 1025>();
  expect_entries<std::uint16_t, std::uint16_t, 300>();
  expect_entries<float, std::uint16_t, 300>();
}

using Entries = Table<std::uint8_t, 200>;

Entries some_entries(int seed) {
  test::Random random(static_cast<std::uint64_t>(seed));
  std::array<std::uint8_t, 200> entries;
  for (auto& entry : entries) entry = static_cast<std::uint8_t>(random.small(0, 255));
  return Entries(entries);
}

/// The points of some columns from one table, the others from another.
struct LookUpInTwo {
  Entries tables[2] = {some_entries(1), some_entries(2)};

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    if (x % 3 == 0) return tables[0].deferred(cast<int>(in(x, y)));
    return tables[1].deferred(cast<int>(in(x, y)));
  }
};
struct LookUpInBody {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto entry = via(LookUp<Entries>{some_entries(1)}, in);
    return entry(x, y) + cast<int>(entry(x, y));
  }
};

TEST(Lookup, InSeveralTablesAndInOtherBodiesGivesTheirEntries) {
  const Box box{{0, 1000}, {0, 2}};
  test::WholeArray<std::uint8_t> image(box);
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<std::uint8_t>(i % 200);
  Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", box);
  pipeline.output(pipeline.stage<std::uint8_t>("two", LookUpInTwo{}, input), box);
  pipeline.output(pipeline.stage<int>("twice", LookUpInBody{}, input), box);
  test::ArraySource<std::uint8_t> source(image);
  test::ArraySink<std::uint8_t> two(box);
  test::ArraySink<int> twice(box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 3))
      .run({{{"input", &source}}, {{"two", &two}, {"twice", &twice}}});
  const LookUpInTwo body;
  test::for_each_point(box, [&](const Point& p) {
    ASSERT_EQ(two.array.at(p), body.tables[p[0] % 3 == 0 ? 0 : 1](int(image.at(p)))) << p[0];
    ASSERT_EQ(twice.array.at(p), 2 * body.tables[0](int(image.at(p)))) << p[0];
  });
}

TEST(Lookup, OverAnIntervalIsTheRangeOfTheEntries) {
  const Table<std::uint8_t, 4> table({3, 9, 1, 4});
  Decisions decisions;
  const auto range = table.deferred(Interval<int>(0, 2, &decisions));
  EXPECT_EQ(range.lower, 1);
  EXPECT_EQ(range.upper, 9);
}

}  // namespace
