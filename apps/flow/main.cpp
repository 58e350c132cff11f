// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(argc, argv, flow::program());
}
