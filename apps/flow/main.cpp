// SPDX-License-Identifier: BSD-3-Clause
#include "graph_program.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  if (flow::asks_for_graph({argv + 1, argv + argc}))
    return tessera::app::run_graph_application(argc, argv, flow::graph_program());
  return tessera::app::run_pipeline_application(argc, argv, flow::program());
}
