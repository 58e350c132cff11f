// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using tessera::deck::ValueType;

constexpr int most_levels = 10;

/// Returns the pipeline for an image. The filter takes a seventh of the key `alpha`, as Halide's does.
tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  const local_laplacian::Parameters filter{
      .levels = static_cast<int>(deck.get<std::int64_t>("pyramid_levels")),
      .alpha = static_cast<float>(deck.get<double>("alpha")) / (local_laplacian::curves - 1),
      .beta = static_cast<float>(deck.get<double>("beta"))};
  const auto make = [&]<class T, int>(const tessera::Box& domain) {
    return local_laplacian::make_pipeline<T>(domain, filter);
  };
  return tessera::app::pipeline_for<std::uint8_t, std::uint16_t>(image, deck, make, {.planes = 3});
}

const std::vector<tessera::deck::KeyDeclaration> parameters = {
    {.name = "pyramid_levels",
     .type = ValueType::integer,
     .group = "Filter",
     .help = "Levels of the pyramids, each half as wide and high as the one before",
     .default_text = "10",
     .minimum = 2,
     .maximum = most_levels},
    {.name = "alpha",
     .type = ValueType::real,
     .group = "Filter",
     .help = "How much detail is added",
     .default_text = "1",
     .minimum = 0},
    {.name = "beta",
     .type = ValueType::real,
     .group = "Filter",
     .help = "How much of the contrast between large areas is kept",
     .default_text = "1",
     .minimum = 0}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-local-laplacian",
       .summary = "Local Laplacian filter: adds detail to an RGB image of uint8 or uint16, or takes contrast "
                  "from its large areas.",
       .parameters = parameters,
       .build = build});
}
