// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

namespace {

tessera::Pipeline generate(const tessera::deck::Deck& deck) {
  const heat3d::Problem problem = heat3d::problem_of(deck);
  return deck.get<std::string>("type") == "float32" ? heat3d::make_pipeline<float>(problem)
                                                    : heat3d::make_pipeline<double>(problem);
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-heat3d",
       .summary = "Diffusion of a sine mode in a cube, by explicit Euler steps, against its closed form.",
       .parameters = heat3d::keys(),
       .turn_limits = {"steps"},
       .generate = generate});
}
