// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "stages.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace {

template <class T>
tessera::Pipeline pipeline_of(const tessera::Box& image) {
  return image.dimensions == 2 ? blur::make_pipeline<T, 2>(image, image, tessera::Boundary::clamp)
                               : blur::make_pipeline<T, 3>(image, image, tessera::Boundary::clamp);
}

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck&) {
  switch (image.type) {
    case tessera::ElementType::uint8:
      return pipeline_of<std::uint8_t>(image.domain);
    case tessera::ElementType::uint16:
      return pipeline_of<std::uint16_t>(image.domain);
    case tessera::ElementType::float32:
      return pipeline_of<float>(image.domain);
    default:
      throw tessera::InputError(fmt::format(
          "the image holds {}: tessera-blur takes uint8, uint16 and float32", name_of(image.type)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-blur",
       .summary = "Box blur, 3x3 with replicated border, of an image of uint8, uint16 or float32.",
       .stages = {"bh"},
       .output = "bv",
       .build = build});
}
