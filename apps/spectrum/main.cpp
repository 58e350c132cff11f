// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;

const std::vector<std::string> results = {"power", "amplitude", "complex", "image"};
const std::vector<std::string> shapes = {"ideal", "gaussian", "butterworth"};

/// The enumerator that is called so.
template <class Choice>
Choice choice_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Choice>(std::ranges::find(names, name) - names.begin());
}

double number_of(const deck::Deck& deck, const std::string& key) {
  return deck.is_set(key) ? deck.get<double>(key) : 0.0;
}

spectrum::Filter filter_of(const deck::Deck& deck) {
  spectrum::Filter filter{.lowest = number_of(deck, "filter.lowest"),
                          .highest = number_of(deck, "filter.highest"),
                          .notch_x = number_of(deck, "filter.notch.x"),
                          .notch_y = number_of(deck, "filter.notch.y"),
                          .shape = choice_of<spectrum::Shape>(shapes, deck.get<std::string>("filter.shape")),
                          .order = static_cast<int>(deck.get<std::int64_t>("filter.order"))};
  if (filter.lowest > 0 && filter.highest > 0 && filter.lowest >= filter.highest)
    deck.fail("filter.lowest", "nothing lies between it and 'filter.highest': make it less than that");
  if (deck.is_set("filter.notch.x") != deck.is_set("filter.notch.y"))
    deck.fail(deck.is_set("filter.notch.x") ? "filter.notch.x" : "filter.notch.y",
              "a notch needs x and y: give both 'filter.notch.x' and 'filter.notch.y'");
  if (deck.is_set("filter.notch.x")) filter.notch_width = deck.get<double>("filter.notch.width");
  return filter;
}

Pipeline build(const io::ImageInfo& image, const deck::Deck& deck) {
  const auto result = choice_of<spectrum::Result>(results, deck.get<std::string>("result"));
  const spectrum::Filter filter = filter_of(deck);
  return app::pipeline_for<std::uint8_t, std::uint16_t, float, double>(
      image, deck, [&]<class In, int N>(const Box& domain) {
        using T = std::conditional_t<std::is_same_v<In, double>, double, float>;
        return spectrum::make_pipeline<In, T, N>(domain, result, filter);
      });
}

deck::KeyDeclaration frequency(const char* name, const char* help, double minimum) {
  return {.name = name,
          .type = deck::ValueType::real,
          .group = "Spectrum",
          .help = help,
          .minimum = minimum,
          .maximum = 1};
}

std::vector<deck::KeyDeclaration> keys() {
  auto width = frequency("filter.notch.width",
                         "The distance from the notch at which a half of the amplitude passes", 1e-6);
  width.default_text = "0.01";
  return {
      {.name = "result",
       .type = deck::ValueType::choice,
       .group = "Spectrum",
       .help = "The power or amplitude of all frequencies, 0 in the middle; the complex half spectrum; or "
               "the image "
               "of the filtered spectrum",
       .default_text = "power",
       .choices = results},
      frequency("filter.lowest",
                "The frequency in cycles per pixel below which little passes; without it, all low ones pass",
                1e-6),
      frequency("filter.highest",
                "The frequency in cycles per pixel above which little passes; without it, all high ones pass",
                1e-6),
      frequency("filter.notch.x",
                "The frequency along x, in cycles per pixel, of a pattern that is taken out", -1),
      frequency("filter.notch.y", "The frequency along y of this pattern", -1),
      width,
      {.name = "filter.shape",
       .type = deck::ValueType::choice,
       .group = "Spectrum",
       .help = "How the filter ends; each shape passes a half of the amplitude at its limits, but ideal ones "
               "end there",
       .default_text = "butterworth",
       .choices = shapes},
      {.name = "filter.order",
       .type = deck::ValueType::integer,
       .group = "Spectrum",
       .help = "The order of butterworth: the higher, the steeper",
       .default_text = "2",
       .minimum = 1,
       .maximum = 16}};
}

}  // namespace

int main(int argc, char** argv) {
  app::PipelineApplication application{
      .program = "tessera-spectrum",
      .summary = "The Fourier spectrum of an image, or the image of its filtered spectrum.",
      .parameters = keys(),
      .build = build};
  for (const auto result : {spectrum::Result::power, spectrum::Result::image, spectrum::Result::complex})
    for (const double highest : {0.0, 0.1})
      application = app::with_names_of(
          spectrum::make_pipeline<std::uint8_t, float, 2>({{0, 8}, {0, 8}}, result, {.highest = highest}),
          std::move(application));
  return app::run_pipeline_application(argc, argv, application);
}
