// SPDX-License-Identifier: BSD-3-Clause
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace generate {
namespace {

using tessera::deck::Deck;
using tessera::deck::KeyDeclaration;
using tessera::deck::ValueType;

constexpr int longest_side = 1 << 30;

KeyDeclaration integer(const char* name, const char* group, const char* help, const char* value, double least,
                       double most) {
  return {.name = name,
          .type = ValueType::integer,
          .group = group,
          .help = help,
          .default_text = value,
          .minimum = least,
          .maximum = most};
}
KeyDeclaration real(const char* name, const char* group, const char* help, const char* value, double least,
                    double most) {
  KeyDeclaration key = integer(name, group, help, value, least, most);
  key.type = ValueType::real;
  return key;
}
KeyDeclaration choice(const char* name, const char* help, std::vector<std::string> choices) {
  return {.name = name,
          .type = ValueType::choice,
          .group = "Image",
          .help = help,
          .default_text = choices.front(),
          .choices = choices};
}
KeyDeclaration in_points(KeyDeclaration key) {
  key.unit = "points";
  return key;
}

/// Returns the mean variance of value noise in a square of `length` points whose corners are in [-1, 1).
double variance(std::int64_t length) {
  const std::int64_t samples = std::min<std::int64_t>(length, 4096);
  double mean = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const double right = PowerLawNoise::step(static_cast<double>(i) / static_cast<double>(samples));
    mean += (right * right + (1 - right) * (1 - right)) / static_cast<double>(samples);
  }
  return mean * mean / 3;
}

std::uint64_t seed_of(const Deck& deck) { return static_cast<std::uint64_t>(deck.get<std::int64_t>("seed")); }

}  // namespace

std::vector<KeyDeclaration> keys() {
  auto period =
      in_points(integer("zone_plate.period", "Zone plate",
                        "How far from the middle there is one wave per point; without it, the longer side",
                        "1", 1, 2.0 * longest_side));
  period.default_text.reset();
  return {
      choice("kind", "What is drawn", {"stars", "zone_plate", "noise", "checkerboard"}),
      in_points(integer("width", "Image", "Columns", "512", 1, longest_side)),
      in_points(integer("height", "Image", "Rows", "512", 1, longest_side)),
      integer("channels", "Image", "Planes of the image; with 0, the image has two dimensions", "0", 0, 4096),
      choice("type", "The type of the result: integers spread 0 to 1 over their range",
             {"uint8", "uint16", "float32"}),
      integer("seed", "Image", "Chooses the stars and the noise", "1", 0, 1e15),
      in_points(integer("checkerboard.size", "Checkerboard", "The side of a square", "32", 1, longest_side)),
      period,
      real("noise.exponent", "Noise", "The power spectral density falls with this power of the frequency",
           "1", 0, 4),
      in_points(integer("noise.longest", "Noise", "The longest wavelength, a power of 2", "256", 1, 1 << 20)),
      real("noise.deviation", "Noise", "The standard deviation; the mean is 1/2", "0.15", 0, 1000),
      in_points(
          integer("stars.spacing", "Stars", "The side of a square that holds one star", "32", 1, 65536)),
      in_points(real("stars.width", "Stars", "Sigma of the Gaussian profiles of stars, which end at 5 sigma",
                     "1.5", 0.1, 10000)),
      real("stars.faintest", "Stars", "The brightness of the faintest stars; the brightest have 1", "0.01", 0,
           1),
      real("stars.slope", "Stars",
           "The number of stars brighter than b is proportional to b to the power of minus this", "1", 0.1,
           10),
      real("stars.sky", "Stars", "The brightness of the sky", "0.02", 0, 1),
      real("stars.noise", "Stars", "The standard deviation of each point's noise", "0.005", 0, 1)};
}

tessera::Box image_of(const Deck& deck) {
  tessera::Box image{{0, deck.get<std::int64_t>("width")}, {0, deck.get<std::int64_t>("height")}};
  if (const std::int64_t channels = deck.get<std::int64_t>("channels"); channels > 0)
    image = {image[0], image[1], {0, channels}};
  return image;
}

Checkerboard checkerboard_of(const Deck& deck) {
  return {static_cast<int>(deck.get<std::int64_t>("checkerboard.size"))};
}

ZonePlate zone_plate_of(const Deck& deck) {
  ZonePlate plate{.width = deck.get<std::int64_t>("width"), .height = deck.get<std::int64_t>("height")};
  plate.period = deck.is_set("zone_plate.period") ? deck.get<std::int64_t>("zone_plate.period")
                                                  : std::max(plate.width, plate.height);
  return plate;
}

PowerLawNoise noise_of(const Deck& deck) {
  const std::int64_t longest = deck.get<std::int64_t>("noise.longest");
  if ((longest & (longest - 1)) != 0) deck.fail("noise.longest", "give a power of 2");
  PowerLawNoise noise{.seed = seed_of(deck), .octaves = 1};
  while (std::int64_t(1) << (noise.octaves - 1) < longest) ++noise.octaves;
  // The density of an octave is even up to the frequency of its wavelength, and falls beyond it. Its power
  // thus lies on an area of frequencies that shrinks with the square of the wavelength, which explains the
  // -2. The shortest octave also has the power of all shorter ones, whose densities would be even, too:
  // without it, the density would fall too fast.
  const double exponent = deck.get<double>("noise.exponent");
  double sum = 0;
  for (int i = 0; i < noise.octaves; ++i) {
    double power = std::exp2((exponent - 2) * i);
    if (exponent == 0)
      power = i == 0 ? 1 : 0;
    else if (i == 0)
      power /= 1 - std::exp2(-exponent);
    noise.amplitudes[i] = std::sqrt(power);
    sum += power * variance(std::int64_t(1) << i);
  }
  const double factor = deck.get<double>("noise.deviation") / std::sqrt(sum);
  for (double& amplitude : noise.amplitudes) amplitude *= factor;
  return noise;
}

StarField stars_of(const Deck& deck) {
  StarField stars{.seed = seed_of(deck),
                  .spacing = deck.get<std::int64_t>("stars.spacing"),
                  .width = deck.get<double>("stars.width"),
                  .faintest = deck.get<double>("stars.faintest"),
                  .slope = deck.get<double>("stars.slope"),
                  .sky = deck.get<double>("stars.sky"),
                  .noise = deck.get<double>("stars.noise")};
  if (StarField::cut * stars.width > static_cast<double>(stars.spacing))
    deck.fail("stars.width", fmt::format("a star would reach beyond the next square: give at most {:g}, a "
                                         "fifth of stars.spacing",
                                         static_cast<double>(stars.spacing) / StarField::cut));
  return stars;
}

}  // namespace generate
