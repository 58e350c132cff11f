// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using tessera::deck::ValueType;

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  tessera::app::check_image(image, deck, {.types = {tessera::ElementType::float32}, .planes = 0});
  return bilateral_grid::make_pipeline(image.domain, static_cast<float>(deck.get<double>("range_sigma")));
}

const std::vector<tessera::deck::KeyDeclaration> parameters = {
    {.name = "range_sigma",
     .type = ValueType::real,
     .group = "Smoothing",
     .help = "How different the values of points may be that are smoothed together",
     .default_text = "0.1",
     .minimum = 0.1,
     .maximum = 1}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      tessera::app::with_names_of(
          bilateral_grid::make_pipeline({{0, 8}, {0, 8}}, 0.1f),
          {.program = "tessera-bilateral-grid",
           .summary = "Smooths an image of float32, from 0 to 1, but for its edges, by a bilateral grid.",
           .parameters = parameters,
           .build = build}));
}
