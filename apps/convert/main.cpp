// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;

/// Returns the words that the key `type` can have: "same", and then all real types in their order.
std::vector<std::string> types() {
  std::vector<std::string> names{"same"};
  for (int i = 0; i <= static_cast<int>(ElementType::float64); ++i)
    names.emplace_back(name_of(static_cast<ElementType>(i)));
  return names;
}

/// Returns the element type of the result.
ElementType type_of(const io::ImageInfo& image, const deck::Deck& deck) {
  const std::vector<std::string> names = types();
  const auto place = std::ranges::find(names, deck.get<std::string>("type")) - names.begin();
  return place == 0 ? image.type : static_cast<ElementType>(place - 1);
}

/// Returns the pipeline for an image of N dimensions.
template <int N>
Pipeline build_with(const io::ImageInfo& image, ElementType type, double scale) {
  if (is_complex(image.type)) {
    if (type == ElementType::complex64) return convert::make_copy<Kokkos::complex<float>, N>(image.domain);
    return convert::make_copy<Kokkos::complex<double>, N>(image.domain);
  }
  // Doubles do not hold all numbers of 64-bit integers, which are therefore copied.
  if (type == image.type && scale == 1) {
    if (type == ElementType::int64) return convert::make_copy<std::int64_t, N>(image.domain);
    if (type == ElementType::uint64) return convert::make_copy<std::uint64_t, N>(image.domain);
  }
  return convert::make_pipeline<N>(image.domain, image.type, type, scale);
}

Pipeline build(const io::ImageInfo& image, const deck::Deck& deck) {
  const ElementType type = type_of(image, deck);
  const double scale = deck.get<double>("scale");
  if (is_complex(image.type) && (type != image.type || scale != 1))
    deck.fail(scale == 1 ? "type" : "scale",
              fmt::format("numbers of {} are copied, and not converted: leave it out", name_of(image.type)));
  switch (image.domain.dimensions) {
    case 2:
      return build_with<2>(image, type, scale);
    case 3:
      return build_with<3>(image, type, scale);
    default:
      return build_with<4>(image, type, scale);
  }
}

/// Returns the pipeline of images that are not copied.
std::vector<Pipeline> samples(const io::ImageInfo&, const deck::Deck&) {
  std::vector<Pipeline> pipelines;
  pipelines.push_back(
      convert::make_pipeline<2>(Box{{0, 8}, {0, 8}}, ElementType::uint8, ElementType::float32, 1));
  return pipelines;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-convert",
       .summary = "Converts an image to another format, or to another type of its numbers.",
       .parameters = {{.name = "type",
                       .type = deck::ValueType::choice,
                       .group = "Conversion",
                       .help = "The type of the result: integers are rounded, and end at the type's limits",
                       .default_text = "same",
                       .choices = types()},
                      {.name = "scale",
                       .type = deck::ValueType::real,
                       .group = "Conversion",
                       .help = "The factor of every number; 257 spreads uint8 over uint16",
                       .default_text = "1"}},
       .samples = samples,
       .build = build});
}
