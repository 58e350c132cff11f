// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using tessera::deck::ValueType;

/// Returns the smallest range_sigma that this many bins allow.
constexpr double range_sigma_of(int bins) { return 1.0 / (bins - 1); }

tessera::Pipeline build(const tessera::io::ImageInfo& image, const tessera::deck::Deck& deck) {
  tessera::app::check_image(image, deck, {.types = {tessera::ElementType::float32}, .planes = 0});
  using namespace bilateral_grid;
  const double range_sigma = deck.get<double>("range_sigma");
  const auto make = range_sigma >= range_sigma_of(fewest_bins) ? &make_pipeline<fewest_bins>
                    : range_sigma >= range_sigma_of(more_bins) ? &make_pipeline<more_bins>
                                                               : &make_pipeline<most_bins>;
  return make(image.domain, static_cast<float>(range_sigma));
}

const std::vector<tessera::deck::KeyDeclaration> parameters = {
    {.name = "range_sigma",
     .type = ValueType::real,
     .group = "Smoothing",
     .help = "How different values may be that are smoothed together",
     .default_text = "0.1",
     .minimum = range_sigma_of(bilateral_grid::most_bins),
     .maximum = 1}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-bilateral-grid",
       .summary = "Smooths an image of float32, from 0 to 1, and keeps its edges, by a bilateral grid.",
       .parameters = parameters,
       .build = build});
}
