// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "program.hpp"
#include "stages.hpp"

namespace flow {
namespace {

using namespace tessera;
using deck::KeyDeclaration, deck::ValueType;

constexpr const char* group = "Flow";
constexpr int most_levels_of_all = 1000;

const std::vector<std::string> solvers = {"jacobi", "red_black", "chebyshev"};
const std::vector<std::string> penalties = {"quadratic", "charbonnier"};

template <class Enum>
Enum choice(const deck::Deck& deck, const char* key, const std::vector<std::string>& names) {
  return static_cast<Enum>(std::ranges::find(names, deck.get<std::string>(key)) - names.begin());
}

KeyDeclaration real(const char* name, const char* help, const char* value, double least, double greatest) {
  return {.name = name,
          .type = ValueType::real,
          .group = group,
          .help = help,
          .default_text = value,
          .minimum = least,
          .maximum = greatest};
}

KeyDeclaration count(const char* name, const char* help, const char* value) {
  return {.name = name,
          .type = ValueType::integer,
          .group = group,
          .help = help,
          .default_text = value,
          .minimum = 1,
          .maximum = 1000000};
}

}  // namespace

std::vector<KeyDeclaration> level_keys() {
  return {{.name = "scales",
           .type = ValueType::integer,
           .group = group,
           .help = "Levels of the pyramid; without it up to ten, as long as their diagonals have 16 pixels",
           .minimum = 1,
           .maximum = most_levels_of_all},
          real("zoom", "The extents of a level, as a share of those of the finer one", "0.5", 0.1, 0.95),
          {.name = "solver",
           .type = ValueType::choice,
           .group = group,
           .help = "What solves the equations of a warp: Jacobi's method, successive over-relaxation or "
                   "Jacobi's method with Chebyshev's acceleration",
           .default_text = "chebyshev",
           .choices = solvers},
          {.name = "penalty",
           .type = ValueType::choice,
           .group = group,
           .help = "Of differences of grey values and flows: quadratic, or Charbonnier's, which is robust",
           .default_text = "quadratic",
           .choices = penalties}};
}

std::vector<KeyDeclaration> method_keys() {
  std::vector<KeyDeclaration> keys{
      real("alpha", "The weight of smoothness; with the quadratic penalty its square counts", "7", 0.01, 1e6),
      real("presmoothing", "The standard deviation of the Gaussian that smooths the frames, in pixels", "0.8",
           0, 12),
      count("warps", "Warps at each level, at most", "10"),
      real("warp_tolerance",
           "The warps of a level end when one changes the flow by no more, as a root mean square, in pixels; "
           "0 computes all warps",
           "0.0001", 0, 1e6),
      real("relaxation",
           "The factor of over-relaxation, less than 2; Chebyshev's acceleration is set for the same "
           "problems as this factor",
           "1.9", 1, 1.999),
      count("turns", "Turns of the solver in each warp, at most", "150"),
      real("tolerance",
           "The solver ends when a turn changes the flow by no more, as a root mean square, in pixels; 0 "
           "computes all turns",
           "0.0001", 0, 1e6)};
  keys.push_back({.name = "reach",
                  .type = ValueType::real,
                  .group = group,
                  .help = "The largest displacement of a warp, so that ranks need only so much of each "
                          "other's parts of the second frame; without it they need all of it",
                  .unit = "pixels",
                  .minimum = 0,
                  .maximum = 1e6});
  return keys;
}

std::vector<KeyDeclaration> picture_keys(const std::string& help) {
  return {{.name = "picture.scale",
           .type = ValueType::real,
           .group = "Files",
           .help = "The displacement that has the purest colours in a picture; without it the largest one of "
                   "the flow",
           .unit = "pixels",
           .minimum = 1e-6,
           .maximum = 1e9},
          {.name = "picture.blend",
           .type = ValueType::real,
           .group = "Files",
           .help = help,
           .minimum = 0,
           .maximum = 1}};
}

void set_picture(Extras& extras, const deck::Deck& deck, const std::string& outputs) {
  const auto number = [&](const std::string& key) -> std::optional<double> {
    if (!deck.is_set(key)) return std::nullopt;
    if (!extras.has_picture)
      deck.fail(key, fmt::format("there is no picture: give {}, too, or leave it out", outputs));
    return deck.get<double>(key);
  };
  extras.picture_scale = number("picture.scale");
  extras.blend = number("picture.blend");
}

Settings settings_of_levels(const deck::Deck& deck) {
  Settings settings;
  if (deck.is_set("scales")) settings.levels = static_cast<int>(deck.get<std::int64_t>("scales"));
  settings.zoom = deck.get<double>("zoom");
  settings.solver = choice<Solver>(deck, "solver", solvers);
  settings.penalty = choice<Penalty>(deck, "penalty", penalties);
  return settings;
}

Settings settings_of(const deck::Deck& deck, const Box& frame) {
  Settings settings = settings_of_levels(deck);
  if (const int most = most_levels(frame, settings.zoom); settings.levels && *settings.levels > most)
    deck.fail("scales",
              fmt::format("it is {}, but frames of {} x {} pixels have at most {} with the zoom "
                          "{}: give at most {}",
                          *settings.levels, frame[0].size(), frame[1].size(), most, settings.zoom, most));
  settings.alpha = deck.get<double>("alpha");
  settings.presmoothing = deck.get<double>("presmoothing");
  settings.warps = deck.get<std::int64_t>("warps");
  settings.warp_tolerance = deck.get<double>("warp_tolerance");
  settings.relaxation = deck.get<double>("relaxation");
  settings.turns = deck.get<std::int64_t>("turns");
  settings.tolerance = deck.get<double>("tolerance");
  if (deck.is_set("reach")) settings.reach = deck.get<double>("reach");
  return settings;
}

}  // namespace flow
