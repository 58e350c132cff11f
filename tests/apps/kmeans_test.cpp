// SPDX-License-Identifier: BSD-3-Clause
// k-means against plain loops in double, and its bits on all numbers of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/kmeans/pipeline.hpp"
#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Random;
using test::WholeArray;

/// The results of a run.
template <class T>
struct Clusters {
  WholeArray<std::int32_t> labels;
  WholeArray<T> centres;
  double inertia = 0;
  int empty = 0;
};

/// The ranks, threads and tiles of a run.
struct Way {
  int ranks = 1;
  int threads = 1;
  bool device = !runs_on_host;
  std::int64_t tile = 0;
};

const std::vector<Way> ways = {{1, 1}, {1, 3, !runs_on_host, 7}, {2}, {3, 2, true, 50}, {4}, {7, 1, true}};

template <class T>
Clusters<T> clusters_of(const WholeArray<T>& points, const std::type_identity_t<WholeArray<T>>* start,
                        const kmeans::Task& asked, const Way& way) {
  kmeans::Task task = asked;
  if (start != nullptr) task.given = element_type_of<T>();
  Pipeline pipeline = kmeans::rows_pipeline(element_type_of<T>(), points.box, task);
  pipeline.output(pipeline.find("centres"));
  const std::int64_t count = points.box[1].size(), dimensions = points.box[0].size();
  test::ArraySource<T> source(points);
  std::optional<test::ArraySource<T>> start_source;
  test::ArraySink<std::int32_t> labels(Box{{0, count}}), empty(Box{{0, 1}});
  test::ArraySink<T> centres(Box{{0, dimensions}, {0, task.clusters}});
  test::ArraySink<double> inertia(Box{{0, 1}});
  Bindings bindings{
      {{"input", &source}},
      {{"labels", &labels}, {"centres", &centres}, {"inertia", &inertia}, {"empty_clusters", &empty}}};
  if (start != nullptr) bindings.sources["start"] = &start_source.emplace(*start);
  Schedule schedule;
  schedule.grid = GridRequest{{1, 0}};
  if (way.tile > 0)
    for (const char* name : {"sums", "labels", "exponents"}) schedule.stages[name].tile = {way.tile};
  if (way.tile > 0 && start == nullptr)
    for (const char* name : {"closer", "taken"}) schedule.stages[name].tile = {way.tile};
  if (way.tile > 0 && task.bounds == kmeans::Bounds::hamerly)
    for (const char* name : {"bounds", "changes"}) schedule.stages[name].tile = {way.tile};
  Target target;
  target.threads = way.threads;
  target.device = way.device;
  Rehearsal(pipeline, make_plans(pipeline, schedule, target, way.ranks)).run(bindings);
  EXPECT_TRUE(labels.every_point_written_once() && centres.every_point_written_once());
  return {labels.array, centres.array, inertia.array.values[0], empty.array.values[0]};
}

double square(double number) { return number * number; }

template <class T>
double distance(const WholeArray<T>& points, std::int64_t i, const WholeArray<T>& centres, std::int64_t k) {
  double sum = 0;
  for (std::int64_t j = 0; j < points.box[0].size(); ++j)
    sum += square(static_cast<double>(points.at({{j, i, 0, 0}})) -
                  static_cast<double>(centres.at({{j, k, 0, 0}})));
  return sum;
}

/// Expects the same results.
template <class T>
void expect_same(const Clusters<T>& found, const Clusters<T>& expected, int number) {
  EXPECT_TRUE(found.labels.same_bits(expected.labels)) << number;
  EXPECT_TRUE(found.centres.same_bits(expected.centres)) << number;
  EXPECT_EQ(found.inertia, expected.inertia) << number;
}

/// Expects that every label is that of a nearest centre, up to roundings in double, and that each centre is
/// the mean of its points.
template <class T>
void expect_clusters(const WholeArray<T>& points, const Clusters<T>& found) {
  const std::int64_t count = points.box[1].size(), dimensions = points.box[0].size();
  const std::int64_t clusters = found.centres.box[1].size();
  double inertia = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    double least = distance(points, i, found.centres, 0);
    for (std::int64_t k = 1; k < clusters; ++k)
      least = std::min(least, distance(points, i, found.centres, k));
    const double own = distance(points, i, found.centres, found.labels.values[static_cast<std::size_t>(i)]);
    EXPECT_LE(own, least + 1e-12 * own) << i;
    inertia += own;
  }
  EXPECT_NEAR(found.inertia, inertia, 1e-9 * inertia);
  for (std::int64_t k = 0; k < clusters; ++k)
    for (std::int64_t j = 0; j < dimensions; ++j) {
      long double sum = 0, magnitudes = 0;
      std::int64_t size = 0;
      for (std::int64_t i = 0; i < count; ++i)
        if (found.labels.values[static_cast<std::size_t>(i)] == k) {
          sum += points.at({{j, i, 0, 0}});
          magnitudes += std::abs(points.at({{j, i, 0, 0}}));
          ++size;
        }
      if (size > 0) {
        const long double rounding =
            std::numeric_limits<T>::epsilon() * std::abs(sum / size) + 1e-16L * magnitudes;
        EXPECT_NEAR(found.centres.at({{j, k, 0, 0}}), sum / size, rounding) << k << ", " << j;
      }
    }
}

template <class T>
WholeArray<T> random_points(Random& random, std::int64_t count, int dimensions, int groups) {
  WholeArray<T> points(Box{{0, dimensions}, {0, count}});
  for (std::int64_t i = 0; i < count; ++i) {
    const int group = random.small(0, groups - 1);
    for (int j = 0; j < dimensions; ++j)
      points.at({{j, i, 0, 0}}) = static_cast<T>((group * 37 + j * 11) % 19) +
                                  static_cast<T>(random.small(-1000000, 1000000)) / T(700001);
  }
  return points;
}

template <class T>
void expect_same_on_all_ways(const WholeArray<T>& points, const std::type_identity_t<WholeArray<T>>* start,
                             const kmeans::Task& task) {
  const Clusters<T> first = clusters_of(points, start, task, ways[0]);
  expect_clusters(points, first);
  for (const Way& way : ways) expect_same(clusters_of(points, start, task, way), first, way.ranks);
  kmeans::Task bounded = task;
  bounded.bounds = kmeans::Bounds::hamerly;
  for (const Way& way : {ways[0], ways[1], ways[3]})
    expect_same(clusters_of(points, start, bounded, way), first, way.ranks);
}

TEST(KMeans, FindsClustersWithTheSameBitsOnAllRanks) {
  Random random(3);
  for (const auto& [count, dimensions, clusters] : {std::tuple{301, 16, 5},
                                                    {97, 1, 9},
                                                    {450, 3, 1},
                                                    {64, 35, 17},
                                                    {5, 2, 5},
                                                    {120, 70, 9},
                                                    {90, 130, 20},
                                                    {200, 16, 60}})
    expect_same_on_all_ways(random_points<float>(random, count, dimensions, clusters), nullptr,
                            {.clusters = clusters, .seed = count});
}

TEST(KMeans, InDouble) {
  Random random(4);
  expect_same_on_all_ways(random_points<double>(random, 205, 5, 6), nullptr, {.clusters = 6});
}

TEST(KMeans, GivenCentresAndTheSumsOfNumbersOfAllMagnitudes) {
  Random random(5);
  WholeArray<float> points = random_points<float>(random, 150, 2, 3);
  // These need more than one window, as sums with them would be rounded in double.
  for (std::size_t i = 0; i < points.values.size(); i += 3) points.values[i] *= 0x1p-60F;
  for (std::size_t i = 1; i < points.values.size(); i += 7) points.values[i] *= 0x1p+15F;
  WholeArray<float> start(Box{{0, 2}, {0, 4}});
  for (std::size_t i = 0; i < start.values.size(); ++i) start.values[i] = points.values[5 * i];
  expect_same_on_all_ways(points, &start, {.clusters = 4});
  const Clusters<float> found = clusters_of(points, &start, {.clusters = 4}, {3});
  for (std::int64_t k = 0; k < 4; ++k)
    for (std::int64_t j = 0; j < 2; ++j) {
      ExactSum<double> sum;
      int size = 0;
      for (std::int64_t i = 0; i < 150; ++i)
        if (found.labels.values[static_cast<std::size_t>(i)] == k) {
          sum.add(points.at({{j, i, 0, 0}}));
          ++size;
        }
      if (size > 0) {
        EXPECT_EQ(found.centres.at({{j, k, 0, 0}}), static_cast<float>(sum.value() / size));
      }
    }
}

TEST(KMeans, EmptyClustersKeepTheirCentres) {
  WholeArray<float> points(Box{{0, 1}, {0, 4}}), start(Box{{0, 1}, {0, 3}});
  points.values = {0, 1, 10, 11};
  start.values = {0.5F, 1000, 10};
  const Clusters<float> found = clusters_of(points, &start, {.clusters = 3}, {2});
  EXPECT_EQ(found.labels.values, (std::vector<std::int32_t>{0, 0, 2, 2}));
  EXPECT_EQ(found.centres.values, (std::vector<float>{0.5F, 1000, 10.5F}));
  EXPECT_EQ(found.empty, 1);
  EXPECT_EQ(found.inertia, 1);
}

TEST(KMeans, OfSeveralEqualCentresTheFirstOneIsTaken) {
  WholeArray<float> points(Box{{0, 2}, {0, 60}}), start(Box{{0, 2}, {0, 20}});
  for (float& number : points.values) number = 3;
  const Clusters<float> found = clusters_of(points, &start, {.clusters = 20}, {1});
  for (const std::int32_t label : found.labels.values) EXPECT_EQ(label, 0);
  EXPECT_EQ(found.empty, 19);
  EXPECT_EQ(found.centres.values[0], 3);
}

TEST(KMeans, FarFromZeroDistancesKeepTheirDigits) {
  Random random(6);
  WholeArray<float> points = random_points<float>(random, 200, 3, 4);
  for (float& number : points.values) number += 4096;
  expect_same_on_all_ways(points, nullptr, {.clusters = 4});
}

TEST(KMeans, ACentreFarFromAllOthersDoesNotChangeLabels) {
  Random random(12);
  for (const float far : {1e3F, 1e6F, 1e19F, 1e30F}) {
    WholeArray<float> points(Box{{0, 2}, {0, 401}}), start(Box{{0, 2}, {0, 3}});
    for (std::size_t i = 0; i < 800; ++i)
      points.values[i] = static_cast<float>(i / 400) + static_cast<float>(random.small(-300, 300)) / 1000;
    points.values[800] = points.values[801] = far;
    for (int place = 0; place < 3; ++place) {
      // The far centre is the first one, the second one, or the last one.
      for (std::size_t i = 0; i < 6; ++i)
        start.values[i] = static_cast<float>(i / 2 > std::size_t(place) ? i / 2 - 1 : i / 2);
      start.values[std::size_t(2 * place)] = start.values[std::size_t(2 * place + 1)] = far;
      const kmeans::Task task{.clusters = 3};
      expect_same_on_all_ways(points, &start, task);
      EXPECT_EQ(clusters_of(points, &start, task, {1}).empty, 0);
    }
  }
}

TEST(KMeans, PointsAreNearestToTheirCentresWhereTheOthersAreFarBelow) {
  Random random(13);
  WholeArray<float> points(Box{{0, 1}, {0, 100}}), start(Box{{0, 1}, {0, 2}});
  for (float& number : points.values) number = static_cast<float>(random.small(-300, 300)) / 1000;
  for (const float far : {-1e6F, -1e13F, -1e18F}) {
    start.values = {far, 0.25F};
    const kmeans::Task task{.clusters = 2};
    expect_same_on_all_ways(points, &start, task);
    EXPECT_EQ(clusters_of(points, &start, task, {1}).empty, 1);
  }
}

TEST(KMeans, BoundsGiveTheSameLabelsInEachTurn) {
  Random random(14);
  // There are many points at the same places, many that are as near to two centres, and equal centres.
  WholeArray<double> points(Box{{0, 2}, {0, 300}}), start(Box{{0, 2}, {0, 12}});
  for (double& number : points.values) number = random.small(-4, 4);
  for (double& number : start.values) number = random.small(-2, 2) * 2;
  for (const double scale : {1.0, 0x1p-600, 0x1p490}) {
    for (double& number : points.values) number *= scale;
    for (double& number : start.values) number *= scale;
    for (const int turns : {1, 2, 3, 5, 50}) {
      kmeans::Task task{.clusters = 12, .turns = turns};
      const Clusters<double> expected = clusters_of(points, &start, task, {1});
      task.bounds = kmeans::Bounds::hamerly;
      for (const Way& way : {ways[0], ways[1], ways[4]})
        expect_same(clusters_of(points, &start, task, way), expected, turns);
    }
    for (double& number : points.values) number /= scale;
    for (double& number : start.values) number /= scale;
  }
}

TEST(KMeans, EachTurnLessensTheDistances) {
  Random random(7);
  const WholeArray<float> points = random_points<float>(random, 500, 4, 30);
  double before = std::numeric_limits<double>::infinity();
  for (const int turns : {1, 2, 3, 5, 9}) {
    const double inertia = clusters_of(points, nullptr, {.clusters = 8, .turns = turns}, {2}).inertia;
    EXPECT_LE(inertia, before);
    before = inertia;
  }
  // It ends before all centres stand still, when none moves far.
  const auto loose = clusters_of(points, nullptr, {.clusters = 8, .tolerance = 1e6}, {1});
  const auto one_turn = clusters_of(points, nullptr, {.clusters = 8, .turns = 1}, {1});
  EXPECT_TRUE(loose.centres.same_bits(one_turn.centres));
}

TEST(KMeansSeeding, PointsWithoutWeightAreTheLastOnes) {
  EXPECT_EQ(kmeans::drawn_of(1, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(kmeans::drawn_of(0.5, 0), std::numeric_limits<double>::infinity());
  EXPECT_GT(kmeans::drawn_of(1, 4), 0);
  EXPECT_LT(kmeans::drawn_of(0x1p-54, 1e-30), std::numeric_limits<double>::infinity());
}

TEST(KMeansExponents, RefuseWhatIsNotFinite) {
  WholeArray<float> points(Box{{0, 2}, {0, 9}});
  points.values[7] = std::nanf("");
  for (const Way& way : ways) {
    try {
      clusters_of(points, nullptr, {.clusters = 2}, way);
      FAIL() << "NaN was accepted";
    } catch (const InputError& error) {
      test::expect_message(error.what(), {"'input.file'", "NaN or infinite", "such points"});
    }
  }
}

}  // namespace
