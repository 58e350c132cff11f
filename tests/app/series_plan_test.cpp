// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_plan.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// The sum of two points that lie `radius` points to the left and to the right.
struct Ends {
  int radius;
  Box footprint(int, const Box& points) const {
    return {{points[0].begin - radius, points[0].end + radius}, points[1]};
  }
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return cast<std::uint8_t>(in(x - radius, y) + in(x + radius, y));
  }
};

/// Returns a pipeline that reads the array `from` and has the output `to`.
Pipeline ends_of(const std::string& from, const std::string& to, int radius, const Box& domain) {
  Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>(from, domain, Boundary::clamp);
  pipeline.output(pipeline.stage<std::uint8_t>(to, Ends{radius}, input), domain);
  return pipeline;
}

PipelinePart part_of(const std::string& task, const std::string& from, const std::string& to, int radius) {
  return {task, to, [=](const io::ImageInfo& image, const deck::Deck&) {
            return ends_of(from, to, radius, image.domain);
          }};
}

class SeriesPlanTest : public testing::Test {
 protected:
  SeriesPlanTest() {
    image_.domain = Box{{0, 30}, {0, 20}};
    application_.program = "tessera-ends";
    application_.build = [](const io::ImageInfo& image, const deck::Deck&) {
      return ends_of("input", "result", 1, image.domain);
    };
  }

  SeriesPlan plan(const std::string& keys = "") const {
    const std::string text = "{input: {file: a.png}" + keys + "}";
    return plan_series(application_, deck::load(make_schema(application_), {{"d.yaml", text}}), image_, 3);
  }
  void expect_fault(const std::vector<std::string>& words,
                    test::SourceLine caller = test::SourceLine::here()) const {
    try {
      plan();
      ADD_FAILURE_AT(caller.file, caller.line);
    } catch (const InternalError& error) {
      test::expect_message(error.what(), words, caller);
    }
  }

  io::ImageInfo image_;
  PipelineApplication application_;
};

TEST_F(SeriesPlanTest, ImagesThatMayDifferNeedAFunctionForThem) {
  application_.further_images = {{.name = "kernel", .help = "The kernel", .may_differ = true}};
  try {
    make_schema(application_);
    ADD_FAILURE();
  } catch (const InternalError& error) {
    test::expect_message(error.what(), {"PipelineApplication::build_with:", "'kernel' may differ"});
  }
  application_.build_with = [](const io::ImageInfo& image, const std::map<std::string, io::ImageInfo>&,
                               const deck::Deck&) { return ends_of("input", "result", 1, image.domain); };
  EXPECT_NO_THROW(make_schema(application_));
}

TEST_F(SeriesPlanTest, AProgramWithoutPartsIsOnePart) {
  const SeriesPlan one = plan();
  ASSERT_EQ(one.parts.size(), 1U);
  EXPECT_EQ(one.parts.front().reads, std::vector<std::size_t>{0});
  EXPECT_EQ(one.parts.front().pipeline->plan.target.threads, 1);
  EXPECT_EQ(one.parts_until_free, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(one.result().name, "result");
  EXPECT_EQ(plan(", graph: {ends: {on: kernels}}").parts.front().pipeline->plan.target.threads, 3);
}

TEST_F(SeriesPlanTest, ImagesHaveThePointsThatAllTheirReadersNeed) {
  application_.parts = {part_of("begin", "input", "a", 1), part_of("middle", "a", "b", 2),
                        part_of("widen", "a", "c", 9), part_of("end", "c", "result", 0)};
  const SeriesPlan four = plan(", graph: {widen: {on: kernels}}");
  ASSERT_EQ(four.parts.size(), 4U);
  EXPECT_EQ(four.parts_until_free, (std::vector<std::size_t>{1, 3, 0, 4, 5}));
  EXPECT_EQ(four.image_name(0), "input");
  EXPECT_EQ(four.image_name(1), "a");
  EXPECT_TRUE(four.needed[1].contains(Box{{-9, 39}, {0, 20}}));
  EXPECT_EQ(four.parts[1].pipeline->plan.target.threads, 1);
  EXPECT_EQ(four.parts[2].pipeline->plan.target.threads, 3);
  EXPECT_EQ(four.result().name, "result");
}

TEST_F(SeriesPlanTest, TheFirstRankHasFramesOfAllRanks) {
  const deck::Deck deck =
      deck::load(make_schema(application_), {{"d.yaml", "{input: {video: a.mkv}, output: {video: b.mkv}}"}});
  const auto needs = [&](int ranks) {
    SeriesNeeds needs(application_, deck, ranks);
    needs.add(plan());
    return needs;
  };
  const std::int64_t one = needs(1).bytes(2, 1), three = needs(3).bytes(2, 1);
  // Each image has a frame that is read and one that is written, in addition to its two buffers.
  EXPECT_EQ(three - one, 2 * 2 * (3 - 1) * needs(1).image_bytes());
}

TEST_F(SeriesPlanTest, PartsThatDoNotFitTogetherAreFaults) {
  application_.parts = {part_of("begin", "input", "a", 1), part_of("end", "b", "result", 1)};
  expect_fault({"PipelineApplication::parts:", "'end' reads 'b'", "earlier part"});
  application_.parts = {part_of("begin", "input", "a", 1), part_of("end", "a", "b", 1)};
  expect_fault({"'end' is the last one", "not 'result'"});
  application_.parts = {part_of("begin", "input", "a", 1), part_of("end", "a", "b", 1)};
  application_.parts.back().output = "result";
  expect_fault({"PipelineApplication::parts:", "'end' has no output 'result'"});
  application_.parts = {part_of("begin", "input", "a", 1), part_of("end", "a", "result", 1)};
  application_.parts.back().build = [](const io::ImageInfo&, const deck::Deck&) {
    return ends_of("a", "result", 1, Box{{0, 30}, {0, 10}});
  };
  expect_fault({"PipelineApplication::parts:", "'end' reads 'a'", "[0, 30) x [0, 20)"});
}

}  // namespace
}  // namespace tessera::app
