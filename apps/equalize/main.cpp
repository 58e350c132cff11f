// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_image_application<std::uint8_t, std::uint16_t>(
      argc, argv,
      {.program = "tessera-equalize",
       .summary = "Histogram equalisation of an image of uint8 or uint16; its channels share a histogram."},
      []<class T, int N>(const tessera::Box& image) { return equalize::make_pipeline<T, N>(image); });
}
