// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of applications name further images, outputs of several names, and written stages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/random.hpp"
#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/stream_items.hpp"
#include "tessera/app/detail/written_stages.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// The sum of the points to the left and to the right.
struct Neighbours {
  Box footprint(int, const Box& points) const {
    return {{points[0].begin - 1, points[0].end + 1}, points[1]};
  }
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return cast<std::uint8_t>(in(x - 1, y) + in(x + 1, y));
  }
};

const Box image_box{{0, 30}, {0, 20}};

/// A pipeline of two stages, `first` and `last`.
Pipeline two_stages(const std::string& first, const std::string& last) {
  Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image_box, Boundary::clamp);
  const auto middle = pipeline.stage<std::uint8_t>(first, Neighbours(), input);
  pipeline.output(pipeline.stage<std::uint8_t>(last, Neighbours(), middle), image_box);
  return pipeline;
}

PipelineApplication application_of(const Pipeline& pipeline) {
  PipelineApplication application;
  application.program = "tessera-two";
  application.build = [](const io::ImageInfo&, const deck::Deck&) { return two_stages("first", "last"); };
  return with_names_of(pipeline, application);
}

deck::Deck deck_of(const PipelineApplication& application, const std::string& text) {
  return deck::load(make_schema(application), {{"d.yaml", text}});
}

TEST(WrittenStages, AreThoseOfTheDeckOrElseOfTheApplication) {
  PipelineApplication application = application_of(two_stages("first", "last"));
  const std::string file = "{input: {file: a.png}, output: {file: o.h5";
  using Names = std::vector<std::string>;
  EXPECT_EQ(written_stages(deck_of(application, file + "}}")), Names());
  EXPECT_EQ(written_stages(deck_of(application, file + ", stages: [first]}}")), Names{"first"});
  application.written_stages = {"first"};
  EXPECT_EQ(written_stages(deck_of(application, file + "}}")), Names{"first"});
  // Stages are written to HDF5 only.
  EXPECT_EQ(written_stages(deck_of(application, "{input: {file: a.png}, output: {png: o.png}}")), Names());
}

TEST(WrittenStages, BecomeOutputsWithThePointsThatTheResultNeeds) {
  PipelineApplication application = application_of(two_stages("first", "last"));
  application.written_stages = {"first"};
  const deck::Deck deck = deck_of(application, "{input: {file: a.png}, output: {file: o.h5}}");
  Pipeline pipeline = two_stages("first", "last");
  write_stages(pipeline, application, deck);
  const ArrayDeclaration& first = pipeline[pipeline.find("first")];
  EXPECT_TRUE(first.is_output);
  EXPECT_EQ(first.domain, (Box{{-1, 31}, {0, 20}}));
}

TEST(OtherOutputs, AreThoseOfLaterSamples) {
  const Pipeline second = two_stages("first", "final");
  const PipelineApplication application = with_names_of(second, application_of(two_stages("first", "last")));
  EXPECT_EQ(application.output, "last");
  EXPECT_EQ(application.other_outputs, std::vector<std::string>{"final"});
  EXPECT_EQ(application.output_of(two_stages("first", "last")), "last");
  EXPECT_EQ(application.output_of(second), "final");
  // Schedules may name both.
  EXPECT_NE(make_schema(application).find("schedule.last.tile"), nullptr);
  EXPECT_NE(make_schema(application).find("schedule.final.tile"), nullptr);
}

TEST(FurtherImage, MayHaveAnyKey) {
  PipelineApplication application = application_of(two_stages("first", "last"));
  application.further_images = {{.name = "given", .help = "More", .block = "more", .key = "input.more"}};
  const deck::Schema schema = make_schema(application);
  EXPECT_EQ(application.further_images.front().file_key(), "input.more");
  EXPECT_NE(schema.find("input.more"), nullptr);
  EXPECT_NE(schema.find("more.dataset"), nullptr);
  EXPECT_EQ(schema.find("more.file"), nullptr);
  application.further_images = {{.name = "given", .help = "More"}};
  EXPECT_EQ(application.further_images.front().file_key(), "given.file");
  EXPECT_NE(make_schema(application).find("given.file"), nullptr);
}

/// In a series that is divided, no result may replace a further image.
TEST(FurtherImage, IsKnownByItsKeyToSeriesThatAreDivided) {
  PipelineApplication application = application_of(two_stages("first", "last"));
  application.further_images = {
      {.name = "given", .help = "More", .block = "more", .key = "input.more", .may_differ = true}};
  application.build_with = [](const io::ImageInfo&, const std::map<std::string, io::ImageInfo>&,
                              const deck::Deck&) { return two_stages("first", "last"); };
  // Any file will do, as images are not read before their names are known to be good.
  const std::string image = std::string(TESSERA_MACHINES) + "/laptop.yaml";
  const deck::Deck deck =
      deck_of(application, "{input: {files: [" + image + "], more: given.h5}, output: {files: given.h5}}");
  const std::string message =
      test::message_of<InputError>([&] { StreamItems(MPI_COMM_WORLD, application, deck); });
  EXPECT_NE(message.find("given.h5"), std::string::npos) << message;
  EXPECT_NE(message.find("'input.more'"), std::string::npos) << message;
}

}  // namespace
}  // namespace tessera::app
