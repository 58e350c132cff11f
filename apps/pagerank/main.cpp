// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_iteration_application(
      argc, argv,
      {.program = "tessera-pagerank",
       .summary = "Ranks the vertices of a graph by the links that lead to them.",
       .keys = pagerank::keys(),
       .loop = "rank",
       .residual = "change",
       .turn_limits = {"tolerance"},
       .make = pagerank::make_program});
}
