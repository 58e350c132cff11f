// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace heat3d {
namespace {

using tessera::deck::Deck;
using tessera::deck::KeyDeclaration;
using tessera::deck::ValueType;

constexpr std::array<const char*, 3> dimension_names = {"x", "y", "z"};
constexpr std::int64_t most_steps = 1'000'000'000;

/// Returns the number of a key. Throws InputError unless it is more than 0.
double positive(const Deck& deck, const char* key) {
  const double value = deck.get<double>(key);
  if (!(value > 0)) deck.fail(key, "give more than 0");
  return value;
}

/// Returns the sum of 1 / h^2 over the dimensions, where the distance h of points is 1 / intervals.
double sum_of_squares(const Problem& problem) {
  double sum = 0;
  for (const std::int64_t n : problem.intervals) sum += static_cast<double>(n) * static_cast<double>(n);
  return sum;
}

/// Returns the number of half waves along a dimension. Throws InputError if the border or the number of
/// intervals does not permit it.
std::int64_t mode_of(const Deck& deck, const std::string& dimension, const Problem& problem,
                     std::int64_t intervals) {
  const std::string key = "mode." + dimension;
  const std::int64_t mode =
      deck.is_set(key) ? deck.get<std::int64_t>(key) : std::int64_t(problem.is_periodic ? 2 : 1);
  if (problem.is_periodic && mode % 2 != 0)
    deck.fail(key, "a periodic border needs an even number of half waves");
  if (mode >= intervals)
    deck.fail(
        key, fmt::format(
                 "{} half waves need more than {} intervals: give fewer half waves, or increase intervals.{}",
                 mode, intervals, dimension));
  return mode;
}

/// Returns a number rounded down to six digits, so that a limit is itself permitted when a message tells it.
double rounded_down(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 5);
  return std::floor(number / unit) * unit;
}

/// Sets the length of a step by `time_step` or `courant`, and the number of steps by `steps`. Without
/// `steps`, the number follows from `time`, and steps become a little shorter, so that the last one ends
/// there. Throws InputError if steps are unstable or too many.
void set_steps(const Deck& deck, Problem& problem) {
  // The longest stable step.
  const double limit = 0.5 / (problem.kappa * sum_of_squares(problem));
  if (deck.is_set("time_step")) {
    problem.time_step = positive(deck, "time_step");
    if (problem.time_step > limit)
      deck.fail("time_step", fmt::format("explicit steps of this length are unstable: give at most {:.6g}, "
                                         "which is 0.5 / (kappa (1/hx^2 + 1/hy^2 + 1/hz^2))",
                                         rounded_down(limit)));
  } else {
    const double courant = positive(deck, "courant");
    if (courant > 0.5)
      deck.fail("courant", "explicit steps are unstable if the sum over the dimensions is more than 0.5");
    problem.time_step = courant * 2 * limit;
  }
  if (deck.is_set("steps")) {
    problem.steps = deck.get<std::int64_t>("steps");
    return;
  }
  const double time = positive(deck, "time");
  // The factor keeps a quotient that exceeds a whole number by rounding only from being rounded up.
  const double steps = std::max(1.0, std::ceil(time / problem.time_step * (1 - 1e-12)));
  if (!(steps <= static_cast<double>(most_steps)))
    deck.fail("time", fmt::format("this takes {:.3g} steps of {:.3g}, but {} at most are legal", steps,
                                  problem.time_step, most_steps));
  problem.steps = static_cast<std::int64_t>(steps);
  problem.time_step = time / steps;
}

void add_keys_of_dimensions(std::vector<KeyDeclaration>& keys) {
  for (const std::string dimension : dimension_names) {
    keys.push_back({.name = "intervals." + dimension,
                    .type = ValueType::integer,
                    .help = "Intervals along " + dimension,
                    .default_text = "64",
                    .minimum = 2,
                    .maximum = 65536});
    keys.push_back({.name = "mode." + dimension,
                    .type = ValueType::integer,
                    .help = "Half waves of the initial sine along " + dimension +
                            ", fewer than the intervals; by default 1, or 2 with a periodic border",
                    .minimum = 1});
  }
}

std::vector<KeyDeclaration> keys_of_steps() {
  std::vector<KeyDeclaration> keys{
      {.name = "time",
       .type = ValueType::real,
       .help = "The time of the result, unless `steps` is given; steps are made a little "
               "shorter, so that the last one ends there",
       .default_text = "0.1"},
      {.name = "steps",
       .type = ValueType::integer,
       .help = "How many steps, whatever `time` says; with a tolerance, how many at most",
       .minimum = 1,
       .maximum = static_cast<double>(most_steps)},
      {.name = "courant",
       .type = ValueType::real,
       .help = "kappa time_step (1/hx^2 + 1/hy^2 + 1/hz^2), up to 0.5",
       .default_text = "0.4"},
      {.name = "time_step", .type = ValueType::real, .help = "The length of a step, whatever `courant` says"},
      {.name = "tolerance",
       .type = ValueType::real,
       .help = "Ends when no point changes by more than this in a step, as in a steady state",
       .minimum = 0}};
  for (KeyDeclaration& key : keys) key.group = "Steps";
  return keys;
}

}  // namespace

std::array<double, 3> Problem::ratios() const {
  std::array<double, 3> ratios{};
  for (std::size_t d = 0; d < 3; ++d)
    ratios[d] = kappa * time_step * static_cast<double>(intervals[d]) * static_cast<double>(intervals[d]);
  return ratios;
}

double Problem::rate() const {
  double sum = 0;
  for (const std::int64_t m : mode) sum += static_cast<double>(m) * static_cast<double>(m);
  return kappa * std::numbers::pi * std::numbers::pi * sum;
}

double Problem::factor() const {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double sine =
        std::sin(static_cast<double>(mode[d]) * std::numbers::pi / (2 * static_cast<double>(intervals[d])));
    sum += ratios()[d] * sine * sine;
  }
  return 1 - 4 * sum;
}

tessera::Box Problem::unknowns() const {
  const std::int64_t first = is_periodic ? 0 : 1;
  return {{first, intervals[0]}, {first, intervals[1]}, {first, intervals[2]}};
}

tessera::Box Problem::points() const {
  const std::int64_t more = is_periodic ? 0 : 1;
  return {{0, intervals[0] + more}, {0, intervals[1] + more}, {0, intervals[2] + more}};
}

std::vector<KeyDeclaration> keys() {
  std::vector<KeyDeclaration> keys;
  add_keys_of_dimensions(keys);
  keys.push_back(
      {.name = "kappa", .type = ValueType::real, .help = "How well heat is conducted", .default_text = "1"});
  keys.push_back({.name = "border",
                  .type = ValueType::choice,
                  .help = "0 on all faces (fixed), or a cube that repeats (periodic)",
                  .default_text = "fixed",
                  .choices = {"fixed", "periodic"}});
  keys.push_back({.name = "type",
                  .type = ValueType::choice,
                  .help = "The numbers that are computed with",
                  .default_text = "float64",
                  .choices = {"float32", "float64"}});
  for (KeyDeclaration& key : keys) key.group = "Problem";
  for (KeyDeclaration& key : keys_of_steps()) keys.push_back(std::move(key));
  return keys;
}

Problem problem_of(const Deck& deck) {
  Problem problem;
  problem.is_periodic = deck.get<std::string>("border") == "periodic";
  problem.kappa = positive(deck, "kappa");
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string dimension = dimension_names[d];
    problem.intervals[d] = deck.get<std::int64_t>("intervals." + dimension);
    problem.mode[d] = mode_of(deck, dimension, problem, problem.intervals[d]);
  }
  if (deck.is_set("tolerance")) problem.tolerance = deck.get<double>("tolerance");
  set_steps(deck, problem);
  return problem;
}

}  // namespace heat3d
