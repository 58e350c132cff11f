// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  tessera::app::check_image(image, deck, {.types = {tessera::ElementType::float32}, .planes = 4});
  return interpolate::make_pipeline(image.domain);
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      tessera::app::with_names_of(
          interpolate::make_pipeline({{0, 8}, {0, 8}, {0, 4}}),
          {.program = "tessera-interpolate",
           .summary = "Fills the transparent points of an image of float32, with planes for red, green, blue "
                      "and alpha, from the opaque ones.",
           .build = build}));
}
