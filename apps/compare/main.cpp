// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <limits>
#include <map>
#include <string>

#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using namespace tessera;

/// Returns the range of the values of an integer type, and 1 for floats.
template <class T>
double peak_of() {
  if constexpr (std::is_floating_point_v<T>) return 1;
  return static_cast<double>(std::numeric_limits<T>::max()) -
         static_cast<double>(std::numeric_limits<T>::lowest());
}

Pipeline build(const io::ImageInfo& image, const deck::Deck& deck) {
  const auto build_with = [&]<class T, int N>() {
    const double peak = deck.is_set("peak") ? deck.get<double>("peak") : peak_of<T>();
    return compare::make_pipeline<T, N>(image.domain, peak, app::has_output(deck));
  };
  if (is_complex(image.type))
    deck.fail("input.file",
              fmt::format("images of real numbers are compared, not of {}", name_of(image.type)));
  return with_element_type(image.type, [&]<class T>(std::type_identity<T>) {
    switch (image.domain.dimensions) {
      case 2:
        return build_with.template operator()<T, 2>();
      case 3:
        return build_with.template operator()<T, 3>();
      default:
        return build_with.template operator()<T, 4>();
    }
  });
}

/// A number that a deck may limit.
struct Tolerance {
  const char* number;
  const char* key;
  const char* what;
  bool is_least;
};
constexpr Tolerance tolerances[] = {
    {"maximum", "tolerance.maximum", "the greatest difference", false},
    {"mean", "tolerance.mean", "the mean difference", false},
    {"psnr", "tolerance.psnr", "the peak signal-to-noise ratio", true},
    {"differing", "tolerance.differing", "the number of points that differ", false}};

/// Returns which numbers are beyond their tolerances, or an empty text if none is.
std::string verdict(const std::map<std::string, double>& numbers, const deck::Deck& deck) {
  std::string text;
  for (const auto& [number, key, what, is_least] : tolerances) {
    if (!deck.is_set(key)) continue;
    const double value = numbers.at(number), limit = deck.get<double>(key);
    if (is_least ? value >= limit : value <= limit) continue;
    text += fmt::format("{}{} is {:.9g}, {} than {} allows: {:.9g}", text.empty() ? "" : "; ", what, value,
                        is_least ? "less" : "more", key, limit);
  }
  return text;
}

std::vector<deck::KeyDeclaration> keys() {
  const auto real = [](const char* name, const char* group, const char* help, const char* unit = "") {
    return deck::KeyDeclaration{.name = name,
                                .type = deck::ValueType::real,
                                .group = group,
                                .help = help,
                                .unit = unit,
                                .minimum = 0};
  };
  const char* tolerance = "Tolerances: beyond one of them the exit status is 1";
  auto psnr = real("tolerance.psnr", tolerance, "The least peak signal-to-noise ratio", "dB");
  psnr.minimum.reset();
  return {real("tolerance.maximum", tolerance, "The greatest absolute difference of a point"),
          real("tolerance.mean", tolerance, "The greatest mean absolute difference"), psnr,
          real("tolerance.differing", tolerance, "How many points may differ at all"),
          real("peak", "Comparison",
               "The greatest signal, for the ratio; by default the range of an integer type, and 1 for "
               "floats")};
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-compare",
       .summary =
           "Says how far two images of the same type and size are apart; status 1 if beyond a tolerance.",
       .output_is_optional = true,
       .verdict = verdict,
       .further_images = {{.name = "other", .help = "The image to compare with", .required = true}},
       .parameters = keys(),
       .build = build});
}
