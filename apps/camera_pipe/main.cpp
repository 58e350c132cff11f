// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using tessera::deck::KeyDeclaration;
using tessera::deck::ValueType;

camera_pipe::Parameters parameters_of(const tessera::deck::Deck& deck) {
  const auto real = [&deck](const char* key) { return static_cast<float>(deck.get<double>(key)); };
  const auto level = [&deck](const char* key) { return static_cast<int>(deck.get<std::int64_t>(key)); };
  const camera_pipe::Parameters parameters{.colour_temperature = real("colour_temperature"),
                                           .gamma = real("gamma"),
                                           .contrast = real("contrast"),
                                           .sharpening = real("sharpening"),
                                           .black_level = level("black_level"),
                                           .white_level = level("white_level")};
  if (parameters.black_level >= parameters.white_level)
    deck.fail("white_level",
              "give more than black_level, which is " + std::to_string(parameters.black_level));
  return parameters;
}

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  tessera::app::check_image(
      image, deck,
      {.types = {tessera::ElementType::uint16}, .planes = 0, .least_width = 96, .least_height = 56});
  return camera_pipe::make_pipeline(image.domain, parameters_of(deck));
}

KeyDeclaration number(const char* name, const char* help, ValueType type, const char* standard,
                      double minimum, double maximum, const char* unit = "") {
  return {.name = name,
          .type = type,
          .group = "Development",
          .help = help,
          .default_text = standard,
          .unit = unit,
          .minimum = minimum,
          .maximum = maximum};
}

}  // namespace

int main(int argc, char** argv) {
  const auto real = ValueType::real, integer = ValueType::integer;
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-camera-pipe",
       .summary = "Develops the raw image of a camera (GRBG, 10 bits in uint16) to an RGB image of uint8.",
       .parameters = {number("colour_temperature", "The colour temperature of the light", real, "3700", 2000,
                             10000, "K"),
                      number("gamma", "Brightens what is dark", real, "2", 0.1, 10),
                      number("contrast", "How steep the middle of the tone curve is", real, "50", 0, 100),
                      number("sharpening", "How much edges are raised", real, "1", 0, 4),
                      number("black_level", "Raw values up to this one are black", integer, "25", 0, 1022),
                      number("white_level", "Raw values above this one are white", integer, "1023", 1, 1023)},
       .build = build});
}
