// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_graph_application(
      argc, argv,
      {.program = "tessera-matmul",
       .summary = "Multiplies matrices that are larger than memory: C = alpha A B + beta C.",
       .keys = matmul::keys(),
       .graphs = matmul::graph_names(),
       .make = matmul::make_program});
}
