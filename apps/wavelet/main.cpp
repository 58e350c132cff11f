// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  tessera::app::check_image(image, deck,
                            {.types = {tessera::ElementType::float32}, .planes = 0, .least_width = 2});
  return wavelet::make_pipeline(image.domain);
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-wavelet",
       .summary = "The low and the high band of Daubechies' wavelet D4 along x, of an image of float32.",
       .build = build});
}
