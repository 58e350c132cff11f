// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_graph_application(
      argc, argv,
      {.program = "tessera-stitch",
       .summary = "Stitches the overlapping tiles of a microscope to one image.",
       .keys = stitch::keys(),
       .graphs = stitch::graph_names(),
       .make = stitch::make_program});
}
