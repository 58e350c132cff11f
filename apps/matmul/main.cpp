// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_graph_application(
      argc, argv,
      {.program = "tessera-matmul",
       .summary = "Multiplies matrices that are larger than memory: C = alpha A B + beta C.",
       .keys = matmul::keys(),
       .graphs = matmul::graph_names(),
       .default_window = "as many as the pools have buffers",
       .default_memory = "half of the memory of the machine node, shared by the ranks on it",
       .make = matmul::make_program});
}
