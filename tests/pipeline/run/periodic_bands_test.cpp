// SPDX-License-Identifier: BSD-3-Clause
// Bands of inputs with periodic sides keep the rows that they read, and no others.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/run/banded_run.hpp"

namespace {

using namespace tessera;

/// A sum of points up to `ghosts` away, with a weight for each that no other has.
struct Around {
  int ghosts = 1;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) + 0.5F * in(x, y - ghosts) + 0.25F * in(x, y + ghosts) + 0.125F * in(x - 1, y) +
           0.0625F * in(x + 1, y);
  }
};

/// Two stages after each other, of an image with sides.
struct Sample {
  Sample(const Box& image, const BoundaryConditions& sides, int ghosts, const Box& result, bool is_bounded) {
    const auto input = pipeline.input<float, 2>("input", image, sides);
    const auto first = pipeline.stage<float>("first", Around{ghosts}, input);
    if (is_bounded) pipeline.bound(first, image, sides);
    pipeline.output(pipeline.stage<float>("second", Around{1}, first), result);
  }

  Plan plan(const Band& band, int ranks, int rank) const {
    return make_plan(ScheduledPipeline(pipeline, {}, {}, ranks, Window(pipeline, band)), rank);
  }

  Pipeline pipeline;
};

/// Counts the points that are read, and fails where a block lies outside the image.
class CountingSource final : public BlockSource {
 public:
  explicit CountingSource(const test::WholeArray<float>& image) : image_(image), source_(image) {}

  void read(const HostBlock& block) override {
    ++calls;
    if (block.box.empty()) return;
    ASSERT_TRUE(image_.box.contains(block.box)) << to_string(block.box);
    points += block.box.size();
    source_.read(block);
  }

  std::int64_t points = 0, calls = 0;

 private:
  const test::WholeArray<float>& image_;
  test::ArraySource<float> source_;
};

BoundaryConditions random_sides(test::Random& random) {
  BoundaryConditions sides = BoundaryConditions::of_constant(3.5F);
  const auto either = [&] {
    return random.one_of<Boundary>({Boundary::clamp, Boundary::mirror, Boundary::constant});
  };
  for (int d = 0; d < 2; ++d) {
    const bool is_periodic = random.chance(d == 0 ? 40 : 85);
    sides.side[static_cast<std::size_t>(d)] = {is_periodic ? Boundary::periodic : either(),
                                               is_periodic ? Boundary::periodic : either()};
  }
  return sides;
}

/// The result as the declarations say it, point by point.
test::WholeArray<float> expected_result(const test::WholeArray<float>& image, const BoundaryConditions& sides,
                                        int ghosts, const Box& result, bool is_bounded) {
  const auto around = [](const auto& in, const Point& p, int step) {
    return in({{p[0], p[1]}}) + 0.5F * in({{p[0], p[1] - step}}) + 0.25F * in({{p[0], p[1] + step}}) +
           0.125F * in({{p[0] - 1, p[1]}}) + 0.0625F * in({{p[0] + 1, p[1]}});
  };
  const auto input = [&](const Point& p) { return image.bounded(sides, p); };
  Box larger = image.box;
  for (int d = 0; d < 2; ++d) larger[d] = {result[d].begin - 1, result[d].end + 1};
  test::WholeArray<float> first(is_bounded ? image.box : larger), second(result);
  test::for_each_point(first.box, [&](const Point& p) { first.at(p) = around(input, p, ghosts); });
  test::for_each_point(result, [&](const Point& p) {
    second.at(p) =
        around([&](const Point& q) { return is_bounded ? first.bounded(sides, q) : first.at(q); }, p, 1);
  });
  return second;
}

/// A range that begins and ends inside of the range of an image or beyond it.
Range random_result(test::Random& random, const Range& image) {
  const std::int64_t begin = image.begin + random.small(-4, static_cast<int>(image.size()) - 1);
  return {begin, std::max(begin + 1, image.end + (random.chance(50) ? 0 : random.small(-4, 4)))};
}

test::WholeArray<float> random_image(test::Random& random, const Box& box) {
  test::WholeArray<float> image(box);
  for (float& value : image.values) value = static_cast<float>(random.small(0, 1000));
  return image;
}

TEST(PeriodicBands, GiveTheResultOfTheWholeImage) {
  test::Random random(5150);
  const int ranks = test::world_size();
  for (int i = 0; i < 120; ++i) {
    const std::int64_t columns = random.small(1, 12), rows = random.small(1, 40);
    const Box image{{2, 2 + columns}, {-3, rows - 3}};
    const Box result{random_result(random, image[0]), random_result(random, image[1])};
    const int ghosts = random.one_of<int>({1, 2, random.small(1, 12), random.small(1, 60)});
    const bool is_bounded = random.chance(30);
    const BoundaryConditions sides = random_sides(random);
    const Sample sample(image, sides, ghosts, result, is_bounded);
    const std::int64_t most = most_bands(sample.pipeline, 1);
    Banding bands{
        1, random.one_of<std::int64_t>({1, 2, 3, most, most, random.small(1, static_cast<int>(most))})};
    bands.count = std::min(bands.count, most);
    const auto plan_of = [&](const Band& band) { return sample.plan(band, ranks, test::world_rank()); };
    const test::WholeArray<float> pixels = random_image(random, image);
    CountingSource source(pixels);
    test::ArraySink<float> found(result);
    const Plan shown = plan_with_bands(sample.pipeline, bands, plan_of);
    BandedRun(sample.pipeline, in_order(sample.pipeline, bands), plan_of, shown, MPI_COMM_WORLD, {},
              random.chance(50))
        .run({{{"input", &source}}, {{"second", &found}}});
    const test::WholeArray<float> expected = expected_result(pixels, sides, ghosts, result, is_bounded);
    std::int64_t wrong = 0;
    test::for_each_point(result, [&](const Point& p) {
      wrong += found.writes.at(p) > 0 && found.array.at(p) != expected.at(p);
    });
    MPI_Allreduce(MPI_IN_PLACE, found.writes.values.data(), static_cast<int>(found.writes.values.size()),
                  MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(wrong, 0) << bands.count << " bands of " << to_string(image) << ", " << ghosts << " ghosts";
    EXPECT_TRUE(found.every_point_written_once());
    // All ranks take part in all reads.
    std::int64_t calls[2] = {source.calls, -source.calls};
    MPI_Allreduce(MPI_IN_PLACE, calls, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(calls[0], -calls[1]);
  }
}

// The rows that lie beyond a side are read from the other end, whatever lies between the ends.
TEST(PeriodicBands, KeepAsManyRowsHoweverHighTheImageIs) {
  constexpr std::int64_t height = 8, columns = 100;
  constexpr int ghosts = 5;
  const auto bytes_of = [](std::int64_t rows, std::int64_t index) {
    const Box image{{0, columns}, {0, rows}};
    const Sample sample(image, Boundary::periodic, ghosts, image, false);
    const Plan plan = sample.plan({1, rows / height, index < 0 ? rows / height + index : index}, 1, 0);
    EXPECT_EQ(plan.stages[ArrayId{0}].domain[1].size(), height + 2 * (ghosts + 1));
    return plan.array_bytes;
  };
  for (const std::int64_t index : {0, 1, -2, -1}) {
    const std::int64_t bytes = bytes_of(10 * height, index);
    EXPECT_EQ(bytes_of(10000 * height, index), bytes);
    EXPECT_LT(bytes, 4 * 4 * columns * (height + 2 * (ghosts + 1)));
  }
}

// A stage that ends at sides which are periodic along x only has all columns of the rows of its band.
TEST(PeriodicBands, SidesThatAreNotCutKeepWholeRows) {
  BoundaryConditions sides(Boundary::clamp);
  sides.side[0] = {Boundary::periodic, Boundary::periodic};
  for (const std::int64_t rows : {80, 80000}) {
    const Box image{{0, 100}, {0, rows}};
    const Sample sample(image, sides, 3, image, true);
    const Plan plan = sample.plan({1, rows / 8, 5}, 1, 0);
    EXPECT_EQ(plan.stages[ArrayId{0}].domain, (Box{{0, 100}, {40 - 4, 48 + 4}}));
    EXPECT_EQ(plan.stages[ArrayId{1}].domain, (Box{{0, 100}, {40 - 1, 48 + 1}}));
  }
}

TEST(PeriodicBands, ReadNoMoreThanTheirRows) {
  constexpr std::int64_t rows = 400, count = 20, columns = 16;
  const Box image{{0, columns}, {0, rows}};
  const Sample sample(image, Boundary::periodic, 3, image, false);
  const auto plan_of = [&](const Band& band) { return sample.plan(band, 1, 0); };
  test::Random random(5152);
  const test::WholeArray<float> pixels = random_image(random, image);
  CountingSource source(pixels);
  test::ArraySink<float> found(image);
  const Plan shown = plan_with_bands(sample.pipeline, {1, count}, plan_of);
  BandedRun(sample.pipeline, in_order(sample.pipeline, {1, count}), plan_of, shown, MPI_COMM_SELF, {}, false)
      .run({{{"input", &source}}, {{"second", &found}}});
  EXPECT_EQ(source.points, columns * (rows + count * 2 * 4));
  // The first and the last band read the rows of the other end by themselves.
  EXPECT_EQ(source.calls, count + 2);
}

}  // namespace
