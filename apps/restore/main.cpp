// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;

restore::Parameters parameters_of(const deck::Deck& deck) {
  return {.alpha = deck.get<double>("alpha"),
          .beta = deck.get<double>("beta"),
          .tolerance = deck.get<double>("tolerance"),
          .cycles = deck.get<std::int64_t>("cycles")};
}

/// Returns the points of an image. Throws InputError if its type or its planes are not what the program
/// takes.
const Box& checked_domain(const io::ImageInfo& image, const deck::Deck& deck) {
  app::check_image(image, deck, {.types = {ElementType::uint8}, .planes = 0});
  return image.domain;
}

Pipeline build(const io::ImageInfo& image, const deck::Deck& deck) {
  return restore::make_pipeline(checked_domain(image, deck), parameters_of(deck), deck.is_set("clean.file"));
}

Pipeline build_detection(const io::ImageInfo& image, const deck::Deck& deck) {
  return restore::make_detection(checked_domain(image, deck));
}

Pipeline build_restoration(const io::ImageInfo& image, const deck::Deck& deck) {
  return restore::make_restoration(checked_domain(image, deck), parameters_of(deck));
}

std::vector<deck::KeyDeclaration> keys() {
  const auto real = [](const char* name, const char* help, const char* value) {
    return deck::KeyDeclaration{.name = name,
                                .type = deck::ValueType::real,
                                .group = "Restoration",
                                .help = help,
                                .default_text = value,
                                .minimum = 0};
  };
  auto alpha = real("alpha", "The exponent of differences between neighbours", "1.3");
  alpha.minimum = restore::Minimiser::least_alpha;
  alpha.maximum = restore::Minimiser::greatest_alpha;
  auto beta = real("beta", "The weight of differences between neighbours", "5");
  beta.maximum = restore::Minimiser::greatest_beta;
  return {alpha, beta, real("tolerance", "The relative change of the residual that ends the loop", "0.1"),
          deck::KeyDeclaration{.name = "cycles",
                               .type = deck::ValueType::integer,
                               .group = "Restoration",
                               .help = "How many turns at most",
                               .default_text = "200",
                               .minimum = 1}};
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-restore",
       .summary = "Restores a grey image of uint8 with salt-and-pepper noise.",
       .further_images = {{"clean", "The image without noise, to compare with"}},
       .parameters = keys(),
       .turn_limits = {"cycles"},
       .build = build,
       .parts = {{"detect", "weight", build_detection}, {"restore", "restored", build_restoration}}});
}
