// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "pipeline.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/deck/value.hpp"

namespace stereo {
namespace {

using namespace tessera;
using deck::KeyDeclaration, deck::ValueType;
using operators::BlockMatching;

int integer(const deck::Deck& deck, const char* key) { return static_cast<int>(deck.get<std::int64_t>(key)); }

/// Returns the settings that say which stages there are.
Settings settings_of_stages(const deck::Deck& deck) {
  Settings settings;
  settings.result = deck.get<std::string>("result") == "depth" ? Result::depth : Result::disparity;
  settings.disparities = integer(deck, "disparities");
  settings.blocks = integer(deck, "blocks");
  settings.has_fractions = deck.get<bool>("subpixel");
  if (deck.is_set("check.tolerance")) settings.tolerance = deck.get<double>("check.tolerance");
  if (deck.is_set("uniqueness")) settings.uniqueness = integer(deck, "uniqueness");
  if (deck.get<std::string>("prefilter") == "sobel") settings.prefilter = Prefilter::sobel;
  return settings;
}

/// Returns the baselines of a deck. Without the key, these are 1, 2, and so on.
std::vector<int> baselines_of(const deck::Deck& deck) {
  std::vector<int> baselines;
  const std::size_t matches = deck.get<std::vector<std::string>>("input.matches").size();
  if (!deck.is_set("baselines")) {
    for (std::size_t i = 1; i <= matches; ++i) baselines.push_back(static_cast<int>(i));
    return baselines;
  }
  for (const auto& entry : deck.get<deck::GridValue>("baselines").entries) {
    if (!entry) deck.fail("baselines", "'auto' is no number of pixels: write numbers, or leave it out");
    baselines.push_back(static_cast<int>(*entry));
  }
  if (baselines.size() != matches)
    deck.fail("baselines",
              fmt::format("it has {} numbers, but input.matches has {} images: give a number for each image",
                          baselines.size(), matches));
  return baselines;
}

/// Sets the factor of depths. Throws InputError if the keys of depths do not agree with the result.
void set_depth(const deck::Deck& deck, Settings& settings) {
  for (const char* key : {"focal_length", "distance"}) {
    if (settings.result == Result::depth && !deck.is_set(key))
      deck.fail("result", std::string("depths need '") + key + "': give this key, too");
    if (settings.result != Result::depth && deck.is_set(key))
      deck.fail(key, "disparities do not depend on it: leave it out, or ask for result=depth");
  }
  if (settings.result == Result::depth)
    settings.focal_length_times_distance = deck.get<double>("focal_length") * deck.get<double>("distance");
}

/// Sets the cap of the prefilter. Throws InputError if the deck gives a cap, but no prefilter.
void set_cap(const deck::Deck& deck, Settings& settings) {
  if (!deck.is_set("prefilter_cap")) return;
  if (settings.prefilter == Prefilter::none)
    deck.fail("prefilter_cap", "there is no prefilter: leave it out, or give prefilter=sobel, too");
  settings.cap = integer(deck, "prefilter_cap");
}

Pipeline build(const io::ImageInfo& image, const deck::Deck& deck) {
  app::check_image(image, deck,
                   {.types = {ElementType::uint8, ElementType::uint16}, .key = "input.reference"});
  Settings settings = settings_of_stages(deck);
  settings.baselines = baselines_of(deck);
  settings.direction = deck.get<std::string>("direction") == "left" ? operators::ShiftDirection::left
                                                                    : operators::ShiftDirection::right;
  if (deck.get<std::string>("cost") == "absolute") settings.cost = operators::MatchingCost::absolute;
  settings.window = integer(deck, "window");
  set_cap(deck, settings);
  set_depth(deck, settings);
  try {
    return make_pipeline(image.domain, image.type, settings);
  } catch (const operators::ParameterError& error) {
    deck.fail(error.parameter, error.what());
  } catch (const operators::OperandError& error) {
    deck.fail("input.reference", error.what());
  }
}

/// Returns the keys about the result and the search.
std::vector<KeyDeclaration> keys_of_search() {
  return {
      {.name = "result",
       .type = ValueType::choice,
       .help = "The disparity of each pixel, or its depth, which is focal_length * distance / disparity: "
               "infinite for a disparity of 0",
       .default_text = "disparity",
       .choices = {"disparity", "depth"}},
      {.name = "disparities",
       .type = ValueType::integer,
       .help = "How many disparities are tried, from 0 on; at most the width of the images",
       .default_text = "16",
       .minimum = 1,
       .maximum = BlockMatching::most_disparities},
      {.name = "blocks",
       .type = ValueType::integer,
       .help = "Into how many blocks the disparities are divided, each with a stage of its own; no number "
               "of them changes the result",
       .default_text = "1",
       .minimum = 1,
       .maximum = BlockMatching::most_disparities},
      {.name = "subpixel",
       .type = ValueType::boolean,
       .help = "Whether disparities are refined to fractions of a pixel, by a parabola through the errors "
               "of three disparities; the result is then float32",
       .default_text = "false"}};
}

/// Returns the keys about invalid pixels and the filter of images.
std::vector<KeyDeclaration> keys_of_filters() {
  return {
      {.name = "check.tolerance",
       .type = ValueType::real,
       .help = "Find the disparities of the first match image, too, and make pixels invalid if the two "
               "disparities differ by more than this; the result is then float32, and -1 (a depth of 0) "
               "for invalid pixels",
       .unit = "pixels",
       .minimum = 0,
       .maximum = BlockMatching::most_disparities},
      {.name = "uniqueness",
       .type = ValueType::integer,
       .help = "By how much the least error must be less than the errors of all disparities that are not "
               "neighbours of the best one. Other pixels become invalid: the result is then float32, and -1 "
               "(a depth of 0) for invalid pixels",
       .unit = "percent",
       .minimum = 0,
       .maximum = Settings::greatest_uniqueness},
      {.name = "prefilter",
       .type = ValueType::choice,
       .help = "A filter of the images before they are matched: sobel is the derivative along x by Sobel's "
               "operator",
       .default_text = "none",
       .choices = {"none", "sobel"}}};
}

/// Returns the keys about the errors of matches.
std::vector<KeyDeclaration> keys_of_errors() {
  return {{.name = "prefilter_cap",
           .type = ValueType::integer,
           .help = "The derivatives of prefilter=sobel are limited to this absolute value; 31 "
                   "without it",
           .minimum = 1,
           .maximum = Settings::greatest_cap},
          {.name = "cost",
           .type = ValueType::choice,
           .help = "Which differences of values are added to errors: their squares or their absolute values",
           .default_text = "squared",
           .choices = {"squared", "absolute"}},
          {.name = "window",
           .type = ValueType::integer,
           .help = "The extent of the square window in which errors are added; it is odd",
           .default_text = "13",
           .unit = "pixels",
           .minimum = 1,
           .maximum = BlockMatching::most_window}};
}

/// Returns the keys about the cameras.
std::vector<KeyDeclaration> keys_of_cameras() {
  return {{.name = "baselines",
           .type = ValueType::grid,
           .help = "The pixels that a disparity of 1 shifts each match image by; without it 1, 2, ...",
           .minimum = 1,
           .maximum = BlockMatching::greatest_baseline,
           .max_entries = BlockMatching::most_matches},
          {.name = "direction",
           .type = ValueType::choice,
           .help = "Whether a point of the reference lies further left or further right in a match image; "
                   "left if the reference is the left image of a pair",
           .default_text = "left",
           .choices = {"left", "right"}},
          {.name = "focal_length",
           .type = ValueType::real,
           .help = "The focal length of the cameras, for depths",
           .unit = "pixels",
           .minimum = 1e-6,
           .maximum = 1e9},
          {.name = "distance",
           .type = ValueType::real,
           .help = "The distance of the reference from a match image with the baseline 1, for depths, which "
                   "have its unit",
           .minimum = 1e-9,
           .maximum = 1e9}};
}

std::vector<KeyDeclaration> keys() {
  std::vector<KeyDeclaration> keys = keys_of_search();
  for (const auto& more : {keys_of_filters(), keys_of_errors(), keys_of_cameras()})
    keys.insert(keys.end(), more.begin(), more.end());
  for (KeyDeclaration& key : keys) key.group = "Stereo";
  return keys;
}

/// Returns the tasks into which the pipeline can be divided: the search of each block of disparities, in the
/// reference and, for a check, in the first match image.
std::vector<group::TaskStages> tasks(const deck::Deck& deck) {
  const Settings settings = settings_of_stages(deck);
  std::vector<std::string> searches{settings.is_plain() ? "disparity" : "found"};
  if (settings.tolerance) searches.emplace_back("back_disparity");
  std::vector<group::TaskStages> tasks;
  for (const std::string& search : searches)
    for (int block = 0; block < settings.blocks; ++block) {
      const std::string stage = settings.blocks == 1 ? search : fmt::format("{}_{}", search, block);
      tasks.push_back({"search_" + stage, {stage}});
    }
  return tasks;
}

app::PipelineApplication program() {
  return {.program = "tessera-stereo",
          .summary =
              "The disparity or the depth of each pixel of an image, found in one to eight other images "
              "of the same scene by matching blocks.",
          .input_key = "input.reference",
          .image_lists = {{.key = "input.matches",
                           .help = "The files of the match images, 1 to 8, which are like the reference",
                           .prefix = "match",
                           .most = BlockMatching::most_matches}},
          .parameters = keys(),
          .build = build,
          .tasks = tasks};
}

}  // namespace
}  // namespace stereo

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(argc, argv, stereo::program());
}
