// SPDX-License-Identifier: BSD-3-Clause
#include "apps/resize/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

constexpr float factor = 1.3f;

template <class T, int N>
PipelineCase case_of(Size size) {
  return {"resize", std::string(short_name<T>()) + (N == 3 ? "x3" : ""), "resize",
          resize::make_pipeline<T, N>(N == 2 ? box_of(size) : box_of(size, 3), factor),
          filled<T>(synthetic<T>)};
}

/// Three channels, a point's samples side by side.
PipelineCase interleaved_case(Size size) {
  using Pixel = std::uint8_t;
  const tessera::Box image{{0, 3 * size.width}, {0, size.height}};
  return {"resize", "u8x3i", "resize", resize::make_pipeline<Pixel, 2, 3>(image, factor),
          filled<Pixel>([](int x, int y, int) { return synthetic<Pixel>(x / 3, y, x % 3); })};
}

}  // namespace

Cases resize_cases(Size size) {
  if (size.width < 4 || size.height < 4)
    throw tessera::InputError("resize takes images of 4x4 or more, not " + size.text());
  return {case_of<float, 2>(size), case_of<float, 3>(size), case_of<std::uint8_t, 2>(size),
          interleaved_case(size)};
}

}  // namespace bench
