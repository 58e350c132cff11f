// SPDX-License-Identifier: BSD-3-Clause
#include "operators/operator_run.hpp"
#include "tessera/operators/convolution.hpp"

namespace tessera::test {
namespace {

/// An image with a step, whose gradient is the same in each row.
WholeArray<std::uint8_t> step(int edge) {
  return computed<std::uint8_t>({{0, 20}, {0, 9}}, [&](const Point& p) { return p[0] < edge ? 10 : 200; });
}

TEST(EdgeOperators, AStepIsOneLine) {
  Random random(1);
  for (const int edge : {5, 10, 14}) {
    const auto a = step(edge);
    for (const Scheduling run : {Scheduling::plain, Scheduling::random}) {
      Pipeline pipeline;
      const auto input =
          operators::image_of(pipeline, pipeline.input<std::uint8_t, 2>("input", a.box, Boundary::clamp));
      const auto edges = operators::thin_edges(pipeline, input, {.sigma = 1, .low = 20});
      operators::output(pipeline, edges);
      const OperatorRun<std::uint8_t, float> made(random, pipeline, {"input"}, {a}, edges, run);
      for (std::int64_t y = 0; y < 9; ++y) {
        int lines = 0;
        for (std::int64_t x = 0; x < 20; ++x)
          if (made.result.at({{x, y}}) > 0) {
            ++lines;
            EXPECT_TRUE(x == edge - 1 || x == edge) << x;
          }
        EXPECT_EQ(lines, 1) << "row " << y << ", " << made.text;
      }
    }
  }
}

/// The thin edges by their definition, from the derivatives of the smoothed image.
TEST(EdgeOperators, AreGradientsThatAreGreatestAlongTheirDirection) {
  Random random(2);
  const double sigma = 0.9;
  double total = 0;
  const auto bell = [&](int i) { return std::exp(-i * i / (2 * sigma * sigma)); };
  for (int i = -4; i <= 4; ++i) total += bell(i);
  for (const Box& box : operator_boxes()) {
    const auto a = random_pixels<std::uint16_t>(random, box);
    const auto smooth = computed<float>(box, [&](const Point& p) {
      double sum = 0;
      for (int j = -4; j <= 4; ++j)
        for (int i = -4; i <= 4; ++i) sum += bell(i) * bell(j) * a.clamped({{p[0] + i, p[1] + j, p[2]}});
      return sum / (total * total);
    });
    const auto derivative = [&](const Point& p, bool along_x) {
      double sum = 0;
      for (int k = -1; k <= 1; ++k)
        for (int s = -1; s <= 1; s += 2) {
          const Point q = along_x ? Point{{p[0] + s, p[1] + k, p[2]}} : Point{{p[0] + k, p[1] + s, p[2]}};
          sum += s * (k == 0 ? 2 : 1) * smooth.clamped(q);
        }
      return sum;
    };
    const auto size = [&](const Point& p) {
      return box.contains(p) ? std::hypot(derivative(p, true), derivative(p, false)) : 0;
    };
    Pipeline pipeline;
    const auto input = box.dimensions == 2
                           ? operators::image_of(pipeline, pipeline.input<std::uint16_t, 2>("input", box))
                           : operators::image_of(pipeline, pipeline.input<std::uint16_t, 3>("input", box));
    const auto edges = operators::thin_edges(pipeline, input, {.sigma = sigma, .low = 100});
    operators::output(pipeline, edges);
    const OperatorRun<std::uint16_t, float> made(random, pipeline, {"input"}, {a}, edges, Scheduling::random);
    int close = 0;
    for_each_point(box, [&](const Point& p) {
      const double dx = derivative(p, true), dy = derivative(p, false), here = size(p);
      int i = 0, j = 0;
      const double angle = std::atan2(dy, dx) * 4 / std::acos(-1.0);  // in units of 45 degrees
      const int sector = (static_cast<int>(std::lround(angle)) + 8) % 4;
      i = sector == 2 ? 0 : sector == 3 ? -1 : 1;
      j = sector == 0 ? 0 : 1;
      const double before = size({{p[0] - i, p[1] - j, p[2]}}), after = size({{p[0] + i, p[1] + j, p[2]}});
      // Rounding may decide what is nearly equal, or nearly between two directions.
      const double margin = 0.05 + 1e-4 * here;
      const bool unclear = std::abs(angle - std::round(angle)) > 0.499 || std::abs(here - before) < margin ||
                           std::abs(here - after) < margin || std::abs(here - 100) < margin;
      if (unclear) return;
      ++close;
      const double expected = here > before && here > after && here >= 100 ? here : 0;
      EXPECT_NEAR(made.result.at(p), expected, margin) << made.text;
    });
    EXPECT_TRUE(close > 0 || box.size() == 1);
  }
}

}  // namespace
}  // namespace tessera::test
