// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tessera/cost/machine_description.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::cost {
namespace {

std::vector<MeasuredPoint> points_on(double intercept, double slope) {
  std::vector<MeasuredPoint> points;
  for (double x = 8; x <= 4 << 20; x *= 2) points.push_back({x, intercept + slope * x});
  return points;
}

TEST(LineFitTest, FindsALineThroughPointsOfAnySize) {
  const LineFit line = fit_line(points_on(2e-6, 1e-10));
  EXPECT_NEAR(line.intercept, 2e-6, 1e-15);
  EXPECT_NEAR(line.slope, 1e-10, 1e-19);
  EXPECT_NEAR(line.relative_error, 0, 1e-9);
  EXPECT_NEAR(line.at(1000), 2.1e-6, 1e-15);
}

// With weights 1 / y^2, the line through (1, 1), (1, 2) and (3, 4) goes through (1, 1.2), where
// ((v - 1) / 1)^2 + ((v - 2) / 2)^2 is least, and through (3, 4).
TEST(LineFitTest, MakesRelativeDeviationsSmall) {
  const LineFit line = fit_line({{1, 1}, {1, 2}, {3, 4}});
  EXPECT_NEAR(line.at(1), 1.2, 1e-12);
  EXPECT_NEAR(line.at(3), 4, 1e-12);
  EXPECT_NEAR(line.relative_error, std::sqrt((0.2 * 0.2 + 0.4 * 0.4) / 3), 1e-12);
}

TEST(LineFitTest, CostsAreNeverNegative) {
  const std::vector<MeasuredPoint> steep = {{1, 1}, {2, 3}, {4, 7}}, falling = {{1, 2}, {2, 1}};
  EXPECT_LT(fit_line(steep).intercept, 0);
  EXPECT_EQ(fit_cost(steep).intercept, 0);
  // The slope s minimises (s - 1)^2 + (2 s / 3 - 1)^2 + (4 s / 7 - 1)^2.
  EXPECT_NEAR(fit_cost(steep).slope, (1 + 2.0 / 3 + 4.0 / 7) / (1 + 4.0 / 9 + 16.0 / 49), 1e-12);
  EXPECT_EQ(fit_cost(falling).slope, 0);
  EXPECT_NEAR(fit_cost(falling).intercept, (1 / 2.0 + 1) / (1 / 4.0 + 1), 1e-12);
  EXPECT_EQ(fit_cost(points_on(1, 1)).slope, fit_line(points_on(1, 1)).slope);
}

TEST(LineFitTest, RefusesWhatGivesNoLine) {
  EXPECT_THROW(fit_line({}), InternalError);
  EXPECT_THROW(fit_line({{1, 1}}), InternalError);
  EXPECT_THROW(fit_line({{1, 1}, {1, 2}}), InternalError);
  EXPECT_THROW(fit_line({{1, 1}, {2, 0}}), InternalError);
}

TEST(NetworkCostTest, IsALatencyAndATimeForEachByte) {
  EXPECT_DOUBLE_EQ((NetworkCost{2e-6, 1e-9}.seconds(3000)), 5e-6);
}

}  // namespace
}  // namespace tessera::cost
