// SPDX-License-Identifier: BSD-3-Clause
// The bilateral grid against its definition, in double precision.
#include "apps/bilateral_grid/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<float>;

const Box image_box{{0, 37}, {0, 29}};

/// The sum of values in a cell of the grid, and their number.
struct Cell {
  double sum = 0, count = 0;
};

/// The bilateral grid of an image that goes on beyond its edges. Cells are numbered along x, y and intensity.
class PlainGrid {
 public:
  PlainGrid(const Image& image, double range_sigma) : image_(image), range_sigma_(range_sigma) {}

  double smoothed(int x, int y) {
    const double height = value(x, y) / range_sigma_;
    Cell mean;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) {
          const int cx = x / 8 + i, cy = y / 8 + j, cz = static_cast<int>(height) + k;
          const double weight =
              (1 - std::abs(x / 8.0 - cx)) * (1 - std::abs(y / 8.0 - cy)) * (1 - std::abs(height - cz));
          const Cell cell = blurred(cx, cy, cz);
          mean.sum += weight * cell.sum;
          mean.count += weight * cell.count;
        }
    return mean.sum / mean.count;
  }

 private:
  double value(int x, int y) const {
    const auto last = [&](int d) { return static_cast<int>(image_.box[d].end - 1); };
    return std::clamp(double(image_.at({std::clamp(x, 0, last(0)), std::clamp(y, 0, last(1))})), 0.0, 1.0);
  }

  /// Returns the cells of all intensities at one place.
  const std::map<int, Cell>& column(int cx, int cy) {
    const auto [found, is_new] = columns_.try_emplace({cx, cy});
    if (is_new)
      for (int y = 8 * cy - 4; y < 8 * cy + 4; ++y)
        for (int x = 8 * cx - 4; x < 8 * cx + 4; ++x) {
          Cell& cell = found->second[static_cast<int>(std::floor(value(x, y) / range_sigma_ + 0.5))];
          cell.sum += value(x, y);
          cell.count += 1;
        }
    return found->second;
  }

  Cell blurred(int cx, int cy, int cz) {
    constexpr double weights[] = {1, 4, 6, 4, 1};
    Cell result;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        for (const auto& [z, cell] : column(cx + i, cy + j)) {
          if (std::abs(z - cz) > 2) continue;
          const double weight = weights[i + 2] * weights[j + 2] * weights[z - cz + 2];
          result.sum += weight * cell.sum;
          result.count += weight * cell.count;
        }
    return result;
  }

  const Image& image_;
  double range_sigma_;
  std::map<std::pair<int, int>, std::map<int, Cell>> columns_;
};

template <int bins>
void expect_definition(float range_sigma) {
  test::Random random(3);
  Image image(image_box);
  for (float& value : image.values) value = static_cast<float>(random.small(-50, 1050)) / 1000.0f;
  const Pipeline pipeline = bilateral_grid::make_pipeline<bins>(image_box, range_sigma);
  PlainGrid grid(image, range_sigma);
  for (const int ranks : {1, 4}) {
    test::ArraySource<float> source(image);
    test::ArraySink<float> sink(image_box);
    Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks))
        .run({{{"input", &source}}, {{"smoothed", &sink}}});
    test::for_each_point(image_box, [&](const Point& p) {
      ASSERT_NEAR(sink.array.at(p), grid.smoothed(static_cast<int>(p[0]), static_cast<int>(p[1])), 1e-5)
          << p[0] << ", " << p[1] << " with " << range_sigma;
    });
  }
}

TEST(BilateralGrid, IsItsDefinitionForEveryNumberOfBins) {
  using namespace bilateral_grid;
  expect_definition<fewest_bins>(0.13f);
  expect_definition<fewest_bins>(0.5f);
  expect_definition<more_bins>(0.0625f);
  expect_definition<most_bins>(0.03125f);
}

}  // namespace
