// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  return tessera::app::pipeline_for<std::uint8_t, std::uint16_t, float>(
      image, deck,
      []<class T, int>(const tessera::Box& domain) { return interpolate::make_pipeline<T>(domain); },
      {.planes = 4});
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-interpolate",
       .summary = "Fills the transparent points of an RGBA image of uint8, uint16 or float32 from the opaque "
                  "ones.",
       .build = build});
}
