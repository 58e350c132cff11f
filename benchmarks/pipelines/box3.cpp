// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

/// The mean of 3x3 points: rounded for integers.
template <class T>
struct Mean3x3 {
  static constexpr int rows_together = 4;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    // The least type that holds the sum.
    using Number = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::uint16_t,
                                      std::conditional_t<std::is_same_v<T, float>, float, std::uint32_t>>;
    const auto row = [&](int j) {
      const auto at = [&](int i) { return tessera::cast<Number>(in(x + i, y + j)); };
      return tessera::cast<Number>(at(-1) + at(0) + at(1));
    };
    const auto sum = tessera::cast<Number>(row(-1) + row(0) + row(1));
    if constexpr (std::is_same_v<T, float>)
      return sum * (1.0f / 9);
    else
      return tessera::cast<T>(tessera::cast<Number>(sum + 4) / Number(9));
  }
};

template <class T>
PipelineCase case_of(Size size) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, 2>("input", box_of(size), tessera::Boundary::clamp);
  pipeline.output(pipeline.stage<T>("mean", Mean3x3<T>{}, input));
  return {"box3", short_name<T>(), "", std::move(pipeline), filled<T>(synthetic<T>)};
}

}  // namespace

Cases box3_cases(Size size) {
  return {case_of<std::uint8_t>(size), case_of<std::uint16_t>(size), case_of<float>(size)};
}

}  // namespace bench
