// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

using helmholtz::Problem;
using helmholtz::Solver;
using tessera::deck::Deck;
using tessera::deck::KeyDeclaration;
using tessera::deck::ValueType;

/// The words of decks for the enumerators of Solver, in their order.
const std::vector<std::string> solvers = {"jacobi", "weighted_jacobi", "red_black", "chebyshev"};

/// Returns the relaxation that a deck gives. Throws InputError if the solver does not have one, or may not
/// converge with it.
double relaxation_of(const Deck& deck, Solver solver) {
  const auto relaxation = deck.get<double>("relaxation");
  if (solver != Solver::weighted_jacobi && solver != Solver::red_black)
    deck.fail("relaxation", "only weighted_jacobi and red_black have a relaxation: leave it out");
  if (solver == Solver::weighted_jacobi && relaxation > 1)
    deck.fail("relaxation",
              "weighted_jacobi is sure to converge up to 1 only: give at most 1, or take red_black");
  return relaxation;
}

Problem problem_of(const Deck& deck) {
  const std::string& solver = deck.get<std::string>("solver");
  Problem problem{.intervals_x = deck.get<std::int64_t>("intervals.x"),
                  .intervals_y = deck.get<std::int64_t>("intervals.y"),
                  .alpha = deck.get<double>("alpha"),
                  .solver = static_cast<Solver>(std::ranges::find(solvers, solver) - solvers.begin()),
                  .relaxation = 1,
                  .turns = deck.get<std::int64_t>("turns")};
  if (problem.solver == Solver::weighted_jacobi) problem.relaxation = 0.8;
  if (deck.is_set("relaxation")) problem.relaxation = relaxation_of(deck, problem.solver);
  if (deck.is_set("tolerance")) problem.tolerance = deck.get<double>("tolerance");
  if (deck.get<std::string>("norm") != "maximum") problem.norm = helmholtz::Norm::root_mean_square;
  return problem;
}

tessera::Pipeline generate(const Deck& deck) {
  return deck.get<std::string>("type") == "float32" ? helmholtz::make_pipeline<float>(problem_of(deck))
                                                    : helmholtz::make_pipeline<double>(problem_of(deck));
}

KeyDeclaration intervals_key(const std::string& name, const std::string& along) {
  return {.name = name,
          .type = ValueType::integer,
          .group = "Problem",
          .help = "Intervals along " + along,
          .default_text = "64",
          .minimum = 2,
          .maximum = (1 << 30) - 1};
}

const std::vector<KeyDeclaration> parameters = {
    intervals_key("intervals.x", "x"),
    intervals_key("intervals.y", "y"),
    {.name = "alpha",
     .type = ValueType::real,
     .group = "Problem",
     .help = "The factor of u in u_xx + u_yy - alpha u = f",
     .default_text = "0.8",
     .minimum = 0},
    {.name = "type",
     .type = ValueType::choice,
     .group = "Problem",
     .help = "The type of the numbers that are computed",
     .default_text = "float64",
     .choices = {"float32", "float64"}},
    {.name = "solver",
     .type = ValueType::choice,
     .group = "Solver",
     .help = "Jacobi, weighted Jacobi, red-black Gauss-Seidel or Jacobi with Chebyshev's acceleration",
     .default_text = "jacobi",
     .choices = solvers},
    {.name = "relaxation",
     .type = ValueType::real,
     .group = "Solver",
     .help = "How far a step goes towards the value that solves a point's equation: for weighted_jacobi at "
             "most 1, by default 0.8; for red_black less than 2, by default 1",
     .minimum = 0.001,
     .maximum = 1.999},
    {.name = "tolerance",
     .type = ValueType::real,
     .group = "Solver",
     .help = "The solver ends when a turn changes the iterate by no more than this; without it, after all "
             "turns",
     .minimum = 0},
    {.name = "norm",
     .type = ValueType::choice,
     .group = "Solver",
     .help = "The change of a turn: the largest change of a point, or the root of the mean of the squares of "
             "all changes",
     .default_text = "maximum",
     .choices = {"maximum", "root_mean_square"}},
    {.name = "turns",
     .type = ValueType::integer,
     .group = "Solver",
     .help = "How many turns at most",
     .default_text = "100000",
     .minimum = 1}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-helmholtz",
       .summary = "Solves Helmholtz's equation on a square, iterating until it converges.",
       .parameters = parameters,
       .turn_limits = {"turns"},
       .generate = generate});
}
