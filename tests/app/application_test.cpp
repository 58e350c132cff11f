// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of applications name further images and written stages, and decks the stages of pipelines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/deck/deck.hpp"
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

PipelineApplication two_stage_application() {
  PipelineApplication application;
  application.program = "tessera-two";
  application.build = [](const io::ImageInfo&, const deck::Deck&) { return two_stages("first", "last"); };
  return application;
}

deck::Deck deck_of(const PipelineApplication& application, const std::string& text) {
  return deck::load(make_schema(application), {{"d.yaml", text}});
}

TEST(WrittenStages, AreThoseOfTheDeckOrElseOfTheApplication) {
  PipelineApplication application = two_stage_application();
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
  PipelineApplication application = two_stage_application();
  application.written_stages = {"first"};
  const deck::Deck deck = deck_of(application, "{input: {file: a.png}, output: {file: o.h5}}");
  Pipeline pipeline = two_stages("first", "last");
  write_stages(pipeline, application, deck, "last");
  const ArrayDeclaration& first = pipeline[pipeline.find("first")];
  EXPECT_TRUE(first.is_output);
  EXPECT_EQ(first.domain, (Box{{-1, 31}, {0, 20}}));
}

constexpr const char* some_files = "input: {file: a.png}\noutput: {file: o.h5}\n";

TEST(KeysAfterThePipeline, AreThoseOfItsStages) {
  const PipelineApplication application = two_stage_application();
  const io::ImageInfo image{.domain = image_box};
  const deck::Deck deck = deck_of(
      application, some_files + std::string("schedule: {'*': {compute: tile}, last: {tile: [8, 4]}}\n"));
  EXPECT_EQ(deck.schema().find("schedule.first.compute"), nullptr);
  const AskedPipeline asked = asked_pipeline(application, deck, &image);
  EXPECT_EQ(asked.deck.get<std::string>("schedule.first.compute"), "tile");
  EXPECT_EQ(asked.schedule.stages.at("first").placement, Placement::tile);
  EXPECT_EQ(asked.schedule.stages.at("last").tile, (TileSize{8, 4}));
  EXPECT_EQ(asked.result_name, "last");
}

TEST(KeysAfterThePipeline, OfStagesThatItLacksAreRefused) {
  const PipelineApplication application = two_stage_application();
  const io::ImageInfo image{.domain = image_box};
  const auto message = [&](const std::string& lines) {
    const deck::Deck deck = deck_of(application, some_files + lines);
    return test::message_of<InputError>([&] { asked_pipeline(application, deck, &image); });
  };
  test::expect_message(message("schedule: {firs: {compute: tile}}"),
                       {"d.yaml:3:12:", "no stage matches 'firs'", "did you mean 'first'?"});
  test::expect_message(message("schedule: {last: {compute: tile}}"),
                       {"d.yaml:3:28:", "'schedule.last.compute'", "distributed"});
  test::expect_message(message("loops: {solve: {turns_per_tile: 2}}"),
                       {"d.yaml:3:9:", "no loop matches 'solve'", "there is none"});
  test::expect_message(message("checkpoint: {directory: here}"),
                       {"d.yaml:3:25:", "'checkpoint.directory'", "no loop"});
}

TEST(KeysAfterThePipeline, OfStagesForOtherImagesHaveNoEffect) {
  PipelineApplication application = two_stage_application();
  application.samples = [](const io::ImageInfo&, const deck::Deck&) {
    std::vector<Pipeline> samples;
    samples.push_back(two_stages("other", "last"));
    return samples;
  };
  const io::ImageInfo image{.domain = image_box};
  const deck::Deck deck =
      deck_of(application, some_files + std::string("schedule: {other: {compute: tile}}\n"));
  const AskedPipeline asked = asked_pipeline(application, deck, &image);
  EXPECT_EQ(asked.deck.get<std::string>("schedule.other.compute"), "tile");
  EXPECT_FALSE(asked.schedule.stages.contains("other"));
}

TEST(KeysAfterThePipeline, DecksThatArePrintedSayTheSame) {
  const PipelineApplication application = two_stage_application();
  const deck::Deck deck = deck_of(
      application, some_files + std::string("schedule: {'*': {compute: tile}, last: {tile: {host: [8, "
                                            "4], device: auto}}}\nschedule.first.compute: rank\n"));
  const deck::Deck again = deck_of(application, deck::print(deck));
  EXPECT_TRUE(again == deck) << deck::print(deck);
  const io::ImageInfo image{.domain = image_box};
  EXPECT_EQ(asked_pipeline(application, again, &image).schedule.stages.at("first").placement,
            Placement::rank);
}

TEST(ResultTest, APipelineHasOne) {
  PipelineApplication application = two_stage_application();
  application.build = [](const io::ImageInfo&, const deck::Deck&) {
    Pipeline pipeline = two_stages("first", "last");
    pipeline.output(pipeline.find("first"), image_box);
    return pipeline;
  };
  const io::ImageInfo image{.domain = image_box};
  const deck::Deck deck = deck_of(application, some_files);
  test::expect_message(test::message_of<InternalError>([&] { asked_pipeline(application, deck, &image); }),
                       {"tessera-two", "2 outputs"});
  application.result = "first";
  EXPECT_EQ(asked_pipeline(application, deck, &image).result_name, "first");
  application.result = "";
  application.picture = "last";
  EXPECT_EQ(asked_pipeline(application, deck, &image).result_name, "first");
}

TEST(FurtherImage, MayHaveAnyKey) {
  PipelineApplication application = two_stage_application();
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
  PipelineApplication application = two_stage_application();
  application.further_images = {
      {.name = "given", .help = "More", .block = "more", .key = "input.more", .may_differ = true}};
  application.build_with = [](const io::ImageInfo&, const std::map<std::string, io::ImageInfo>&,
                              const deck::Deck&) { return two_stages("first", "last"); };
  // Any file will do, as images are not read before their names are known to be good.
  const std::string image = std::string(TESSERA_MACHINES) + "/laptop.yaml";
  const deck::Deck deck =
      deck_of(application, "{input: {files: [" + image + "], more: given.h5}, output: {files: given.h5}}");
  const std::string message =
      test::message_of<InputError>([&] { series_items(deck, shared_files(application, deck)); });
  EXPECT_NE(message.find("given.h5"), std::string::npos) << message;
  EXPECT_NE(message.find("'input.more'"), std::string::npos) << message;
}

}  // namespace
}  // namespace tessera::app
