// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "parameters.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;

template <class T>
Pipeline generate_as(const deck::Deck& deck) {
  const Box image = generate::image_of(deck);
  const std::string& kind = deck.get<std::string>("kind");
  if (kind == "checkerboard") return generate::make_pipeline<T>(image, generate::checkerboard_of(deck));
  if (kind == "zone_plate") return generate::make_pipeline<T>(image, generate::zone_plate_of(deck));
  if (kind == "noise") return generate::make_pipeline<T>(image, generate::noise_of(deck));
  return generate::make_pipeline<T>(image, generate::stars_of(deck));
}

Pipeline generate_image(const deck::Deck& deck) {
  const std::string& type = deck.get<std::string>("type");
  if (type == "uint8") return generate_as<std::uint8_t>(deck);
  if (type == "uint16") return generate_as<std::uint16_t>(deck);
  return generate_as<float>(deck);
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-generate",
       .summary = "Draws a star field, a zone plate, noise or a checkerboard.",
       .generates_images = true,
       .parameters = generate::keys(),
       .generate = generate_image});
}
