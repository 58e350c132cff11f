// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"
#include "tessera/app/image_application.hpp"

int main(int argc, char** argv) {
  return tessera::app::run_image_application<std::uint8_t, std::uint16_t, float>(
      argc, argv,
      {.program = "tessera-sobel", .summary = "Edges by Sobel's operators, of uint8, uint16 or float32."},
      []<class T, int N>(const tessera::Box& image) { return sobel::make_pipeline<T, N>(image); });
}
