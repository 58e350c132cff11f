// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"

#include <fmt/format.h>

#include "tessera/app/image_application.hpp"

namespace {

/// Returns the pipeline for images with this number of channels side by side, which is 1 for planes.
template <class T, int N>
tessera::Pipeline make(const tessera::Box& image, float factor, std::int64_t channels) {
  if constexpr (N == 2) {
    if (channels == 2) return resize::make_pipeline<T, N, 2>(image, factor);
    if (channels == 3) return resize::make_pipeline<T, N, 3>(image, factor);
    if (channels == 4) return resize::make_pipeline<T, N, 4>(image, factor);
  }
  return resize::make_pipeline<T, N>(image, factor);
}

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  const auto factor = static_cast<float>(deck.get<double>("factor"));
  const auto channels = deck.get<std::int64_t>("channels");
  if (channels > 1 && image.domain.dimensions > 2)
    deck.fail("channels", "the image has planes: leave it out, as their samples do not lie side by side");
  if (channels > 1 && deck.is_set("output.png"))
    deck.fail("output.png", "a picture of samples side by side would be grey and too wide: use output.file");
  if (image.domain[0].size() % channels != 0)
    deck.fail("channels", fmt::format("the rows of the image have {} samples, which is not a multiple of it",
                                      image.domain[0].size()));
  return tessera::app::pipeline_for<std::uint8_t, std::uint16_t, float>(
      image, deck,
      [factor, channels]<class T, int N>(const tessera::Box& domain) {
        return make<T, N>(domain, factor, channels);
      },
      {.least_width = 4 * channels, .least_height = 4});
}

const std::vector<tessera::deck::KeyDeclaration> parameters = {
    {.name = "factor",
     .type = tessera::deck::ValueType::real,
     .group = "Resizing",
     .help = "How many times as wide and as high the result is",
     .default_text = "1.3",
     .minimum = 1,
     .maximum = 16},
    {.name = "channels",
     .type = tessera::deck::ValueType::integer,
     .group = "Resizing",
     .help = "How many samples of a point lie side by side in a row: 3 for an interleaved image of 3 colours",
     .default_text = "1",
     .minimum = 1,
     .maximum = 4}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-resize",
       .summary = "Enlarges an image of uint8, uint16 or float32 by cubic convolution.",
       .parameters = parameters,
       .build = build});
}
