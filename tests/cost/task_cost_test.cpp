// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/work_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/cost/machine_description.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using cost::TimedRanks;
using test::expect_message;

std::string refusal(const std::function<void()>& call) { return test::message_of<InputError>(call); }

TEST(TaskCost, FollowsAmdahlsLaw) {
  const TaskCost cost = TaskCost::amdahl(8, 0.25);
  EXPECT_DOUBLE_EQ(cost.seconds(1), 8);
  EXPECT_DOUBLE_EQ(cost.seconds(2), 5);
  EXPECT_DOUBLE_EQ(cost.seconds(1.5), 6);
  EXPECT_EQ(cost.lower_bounds(), (std::vector<cost::SharedCost>{{2, 6}}));
  EXPECT_EQ(TaskCost().seconds(7), 0);
  EXPECT_EQ(TaskCost(), TaskCost());
  EXPECT_FALSE(cost == TaskCost::amdahl(8, 0.5));
}

TEST(TaskCost, TablesAreLinearInTheShare) {
  const TaskCost cost = TaskCost::table({{4, 3}, {1, 8}, {2, 5}});
  EXPECT_EQ(cost.seconds(1), 8);
  EXPECT_EQ(cost.seconds(2), 5);
  EXPECT_EQ(cost.seconds(4), 3);
  EXPECT_EQ(cost.seconds(100), 3);
  // 1/3 lies at two thirds of the way from 1/2 to 1/4.
  EXPECT_DOUBLE_EQ(cost.seconds(3), 5 - 2 * 2.0 / 3);
  const TaskCost law = TaskCost::amdahl(3, 0.1);
  const TaskCost same = TaskCost::table({{1, law.seconds(1)}, {4, law.seconds(4)}, {16, law.seconds(16)}});
  for (int ranks = 1; ranks <= 16; ++ranks) EXPECT_NEAR(same.seconds(ranks), law.seconds(ranks), 1e-14);
}

TEST(TaskCost, LowerBoundsAreNowhereAboveTheCost) {
  test::Random random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimedRanks> entries{{1, random.real(0.5, 10)}};
    while (random.chance(80))
      entries.push_back(
          {entries.back().ranks + random.small(1, 20), entries.back().seconds * random.real(0.1, 1)});
    const TaskCost cost = TaskCost::table(entries);
    double closest = 2;
    for (double ranks = 1; ranks < 2000; ranks *= 1.01) {
      double best = 0;
      for (const cost::SharedCost& bound : cost.lower_bounds()) {
        EXPECT_GE(bound.serial, 0);
        EXPECT_GE(bound.parallel, 0);
        best = std::max(best, bound.seconds(ranks));
      }
      EXPECT_LE(best, cost.seconds(ranks) * (1 + 1e-9)) << ranks;
      closest = std::min(closest, cost.seconds(ranks) / best);
    }
    EXPECT_LT(closest, 1.02);
  }
}

TEST(TaskCost, BoundsOfConvexTablesAreTheTable) {
  const TaskCost cost = TaskCost::table({{1, 8}, {2, 5}, {4, 4}, {8, 3.8}});
  for (const double ranks : {1.0, 1.3, 2.0, 3.0, 5.0, 8.0, 20.0}) {
    double best = 0;
    for (const cost::SharedCost& bound : cost.lower_bounds()) best = std::max(best, bound.seconds(ranks));
    EXPECT_EQ(cost.lower_bound(ranks), best);
    EXPECT_NEAR(best, cost.seconds(ranks), 1e-12) << ranks;
  }
}

TEST(TaskCost, RefusesWhatIsNoCost) {
  const double infinite = std::numeric_limits<double>::infinity();
  expect_message(refusal([] { TaskCost::amdahl(-1, 0); }), {"-1 seconds", "finite number"});
  expect_message(refusal([=] { TaskCost::amdahl(infinite, 0); }), {"inf seconds", "finite number"});
  expect_message(refusal([] { TaskCost::amdahl(1, 1.5); }),
                 {"serial fraction", "1.5 is not", "cannot share"});
  expect_message(refusal([] { TaskCost::amdahl(1, std::nan("")); }), {"fraction nan", "cannot share"});
  expect_message(refusal([] { TaskCost::table({{2, 1}, {4, 1}}); }), {"no entry", "add the seconds"});
  expect_message(refusal([] { TaskCost::table({}); }), {"no entry", "add the seconds"});
  expect_message(refusal([] { TaskCost::table({{1, 2}, {2, 3}}); }), {"table before", "cost rises"});
  expect_message(refusal([] { TaskCost::table({{1, 2}, {2, 1}, {2, 1}}); }), {"ranks twice", "them out"});
  expect_message(refusal([] { TaskCost::table({{1, std::nan("")}}); }), {"nan seconds", "finite number"});
  expect_message(refusal([] { TaskCost::table({{1, 1}, {0, 1}}); }), {"1 seconds", "give numbers"});
}

const cost::SharedCost& coefficients_of(const cost::FittedCost& fit) {
  return fit.cost.lower_bounds().front();
}

TEST(FittedCost, FindsTheCoefficients) {
  std::vector<TimedRanks> measured;
  for (const int ranks : {1, 2, 4, 8, 16}) measured.push_back({ranks, 0.5 + 3.0 / ranks});
  const cost::FittedCost fit = cost::fit_task_cost(measured);
  EXPECT_NEAR(coefficients_of(fit).serial, 0.5, 1e-12);
  EXPECT_NEAR(coefficients_of(fit).parallel, 3, 1e-12);
  EXPECT_NEAR(fit.largest_residual, 0, 1e-12);
  EXPECT_NEAR(fit.cost.seconds(32), 0.5 + 3.0 / 32, 1e-12);
}

double squares_of(const std::vector<TimedRanks>& measured, const cost::SharedCost& cost) {
  double sum = 0;
  for (const auto& [ranks, seconds] : measured) sum += std::pow((cost.seconds(ranks) - seconds) / seconds, 2);
  return sum;
}

TEST(FittedCost, NoOtherCoefficientsAreBetter) {
  test::Random random(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<TimedRanks> measured;
    for (int ranks = 1; ranks <= 64; ranks *= 2)
      measured.push_back({ranks, random.real(0.1, 1) + random.real(0, 2) / ranks * (round % 3)});
    const cost::FittedCost fit = cost::fit_task_cost(measured);
    const cost::SharedCost& best = coefficients_of(fit);
    const double least = squares_of(measured, best);
    EXPECT_GE(best.serial, 0);
    EXPECT_GE(best.parallel, 0);
    for (int other = 0; other < 100; ++other) {
      const cost::SharedCost near{std::max(0.0, best.serial + random.real(-0.1, 0.1)),
                                  std::max(0.0, best.parallel + random.real(-0.1, 0.1))};
      EXPECT_GE(squares_of(measured, near), least * (1 - 1e-12));
    }
  }
}

TEST(FittedCost, TellsTheLargestResidual) {
  const std::vector<TimedRanks> measured{{1, 1}, {2, 0.5}, {4, 0.5}, {8, 0.125}};
  const cost::FittedCost fit = cost::fit_task_cost(measured);
  const auto residual = [&](const TimedRanks& at) {
    return (fit.cost.seconds(at.ranks) - at.seconds) / at.seconds;
  };
  EXPECT_NEAR(fit.largest_residual, residual(measured[2]), 1e-12);
  for (const TimedRanks& other : measured)
    EXPECT_LE(std::abs(residual(other)), std::abs(fit.largest_residual) + 1e-12);
}

TEST(FittedCost, RefusesWhatCannotBeFitted) {
  const std::vector<TimedRanks> one{{2, 1}, {2, 1.1}}, zero{{1, 0}, {2, 1}};
  expect_message(refusal([&] { cost::fit_task_cost(one); }), {"two different", "measure on more"});
  expect_message(refusal([&] { cost::fit_task_cost({}); }), {"two different", "measure on more"});
  expect_message(refusal([&] { cost::fit_task_cost(zero); }), {"give finite", "seconds above"});
}

TEST(MeasuredTaskCost, SharesTheSecondsOfOneNumberOfRanks) {
  const std::vector<cost::TimedRanks> once{{2, 0.5}, {2, 0.4}};
  EXPECT_DOUBLE_EQ(cost::measured_task_cost(once).cost.seconds(8), 0.1);
  const std::vector<cost::TimedRanks> line{{1, 1.0}, {2, 0.75}, {4, 0.625}};
  EXPECT_NEAR(cost::measured_task_cost(line).cost.seconds(8), 0.5625, 1e-12);
  EXPECT_THROW(cost::measured_task_cost({}), InputError);
}

TEST(NetworkCost, IsLinearInTheBytes) {
  const cost::NetworkCost network{2e-6, 1e-9};
  EXPECT_DOUBLE_EQ(network.seconds(0), 2e-6);
  EXPECT_DOUBLE_EQ(network.seconds(1e6), 1.002e-3);
}

}  // namespace
