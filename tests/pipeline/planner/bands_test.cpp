// SPDX-License-Identifier: BSD-3-Clause
// Bands that consist of whole chunks of files: no chunk is written twice.
#include "tessera/pipeline/planner/bands.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "domain/random.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace {

using namespace tessera;

/// The sum of the points `step` rows away on both sides.
struct RowsAround {
  int step = 1;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y - step) + in(x, y + step);
  }
};

/// A pipeline of arrays of 64 columns.
struct Sample {
  Sample(std::int64_t rows, int step) {
    const Box box{{0, 64}, {0, rows}};
    input = pipeline.input<float, 2>("input", box, Boundary::clamp).id;
    const auto result = pipeline.stage<float>("result", RowsAround{step}, Array<float, 2>{input});
    output = result.id;
    pipeline.output(result, box);
  }

  Target target(std::int64_t parts) const {
    Target target;
    target.memory_bytes = make_plan(pipeline, {}, target, 1, 0).peak_bytes() / parts;
    return target;
  }

  Pipeline pipeline;
  ArrayId input = {}, output = {};
};

/// The rows of an array that the plans of a band keep.
Range rows_of(const Algorithm& pipeline, const Band& band, ArrayId array) {
  return array_domains(pipeline, Window(pipeline, band))[array].domain[1];
}

/// How many chunks of some rows the bands touch, each counted once for each band.
std::int64_t touched_chunks(const Algorithm& pipeline, const Banding& bands, ArrayId array,
                            std::int64_t rows) {
  std::int64_t touched = 0;
  for (const Band& band : in_order(pipeline, bands)) {
    const Range range = rows_of(pipeline, band, array);
    touched += (range.end - 1) / rows - range.begin / rows + 1;
  }
  return touched;
}

void expect_to_fit(const Algorithm& pipeline, const Banding& bands, const Target& target) {
  for (const Band& band : in_order(pipeline, bands)) {
    const ScheduledPipeline scheduled(pipeline, {}, {}, 1, Window(pipeline, band));
    EXPECT_LE(peak_bytes_with_next_band(make_plan(scheduled, 0)), target.memory_bytes);
  }
}

TEST(ChunksOfBands, AreWrittenOnce) {
  test::Random random(411);
  std::int64_t cut = 0, borders = 0;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t rows = random.small(500, 3000), chunk = random.small(2, 40);
    const Sample sample(rows, random.small(0, 5));
    const Target target = sample.target(random.small(2, 6));
    const Banding free = bands_that_fit(sample.pipeline, {}, target, 1);
    const Banding bands = bands_that_fit(sample.pipeline, {}, target, 1, {{sample.output, chunk}});
    EXPECT_EQ(bands.unit, chunk);
    EXPECT_EQ(touched_chunks(sample.pipeline, bands, sample.output, chunk), (rows + chunk - 1) / chunk);
    cut += touched_chunks(sample.pipeline, free, sample.output, chunk) - (rows + chunk - 1) / chunk;
    borders += free.count - 1;
    EXPECT_LE(bands.count, 2 * free.count);
    expect_to_fit(sample.pipeline, bands, target);
  }
  // Other bands cut a chunk at most of their borders.
  EXPECT_GT(cut, borders / 2);
}

TEST(ChunksOfBands, AreCutWhereTheyDoNotFit) {
  const Sample sample(1000, 1);
  const Target target = sample.target(20);
  const Banding free = bands_that_fit(sample.pipeline, {}, target, 1);
  for (const std::int64_t chunk : {256, 1000}) {
    const Banding bands = bands_that_fit(sample.pipeline, {}, target, 1, {{sample.output, chunk}});
    EXPECT_EQ(bands.unit, 1);
    EXPECT_EQ(bands.count, free.count);
  }
}

TEST(ShownBand, IsAsLargeAsAny) {
  test::Random random(412);
  for (int i = 0; i < 100; ++i) {
    const Sample sample(random.small(1, 300), 1);
    Banding bands{1, 1, random.small(1, 20)};
    bands.count = random.small(1, static_cast<int>(most_bands(sample.pipeline, 1, bands.unit)));
    const auto units = [&](std::int64_t index) {
      const Window window(sample.pipeline, bands.band(index));
      return (window.wanted(sample.pipeline, sample.output)[1].size() + bands.unit - 1) / bands.unit;
    };
    const std::int64_t shown = shown_band(sample.pipeline, bands);
    EXPECT_GE(shown, bands.count / 2);
    for (std::int64_t index = 0; index < bands.count; ++index) EXPECT_LE(units(index), units(shown));
  }
}

// A band that reads rows of its neighbours reads their chunks, too, wherever its borders are. Borders between
// two chunks would make it read one more.
TEST(ChunksOfBands, OfInputsCountIfBandsShareNoRows) {
  const Sample apart(1000, 0), shared(1000, 1);
  const auto unit_for = [](const Sample& sample, std::vector<ChunkRows> chunks) {
    return bands_that_fit(sample.pipeline, {}, sample.target(4), 1, chunks).unit;
  };
  EXPECT_EQ(unit_for(apart, {{apart.input, 16}}), 16);
  EXPECT_EQ(unit_for(shared, {{shared.input, 16}}), 1);
  EXPECT_EQ(unit_for(apart, {{apart.output, 10}, {apart.input, 16}}), 80);
  EXPECT_EQ(unit_for(apart, {{apart.output, 16}, {apart.input, 997}}), 16);
  EXPECT_EQ(unit_for(apart, {{apart.output, 997}, {apart.input, 16}}), 16);
  EXPECT_EQ(unit_for(shared, {{shared.output, 10}, {shared.input, 16}}), 10);
  EXPECT_EQ(unit_for(shared, {{shared.output, 1}, {shared.input, 1}}), 1);
}

// A stage that is written, too, has a row more on each side, and its first chunk begins there.
TEST(ChunksOfBands, OfSeveralOutputsBeginWithTheirFirstRows) {
  const Box box{{0, 64}, {0, 1001}}, larger{{0, 64}, {-1, 1002}}, half{{0, 64}, {0, 500}};
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", box, Boundary::clamp);
  const auto near = pipeline.stage<float>("near", RowsAround{2}, input);
  const auto result = pipeline.stage<float>("result", RowsAround{1}, near);
  const auto other = pipeline.stage<float>("other", RowsAround{3}, input);
  pipeline.output(near, larger);
  pipeline.output(result, box);
  pipeline.output(other, half);
  const Banding bands{1, 9, 50};
  std::map<ArrayId, std::int64_t> written;
  for (const Band& band : in_order(pipeline, bands)) {
    const Window window(pipeline, band);
    for (const auto& [id, first, end] :
         {std::tuple{near.id, -1, 1002}, {result.id, 0, 1001}, {other.id, 0, 500}}) {
      const Range rows = window.wanted(pipeline, id)[1];
      if (rows.empty()) continue;
      EXPECT_EQ((rows.begin - first) % 50, 0);
      EXPECT_TRUE((rows.end - first) % 50 == 0 || rows.end == end);
      written[id] += rows.size();
    }
  }
  EXPECT_EQ(written, (std::map<ArrayId, std::int64_t>{{near.id, 1003}, {result.id, 1001}, {other.id, 500}}));
}

}  // namespace
