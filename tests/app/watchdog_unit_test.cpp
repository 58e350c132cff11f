// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "tessera/app/detail/interruptions.hpp"

namespace {

using namespace tessera;
using namespace std::chrono_literals;
using app::Watchdog;

/// A watchdog that bites after 0.2 s, and what it says.
struct Watched {
  explicit Watched(app::WaitLimit wait)
      : watchdog(
            0.2,
            [this](int node, double limit) {
              bitten.set_value({node, limit});
            },
            std::move(wait)) {}

  std::promise<std::pair<int, double>> bitten;
  Watchdog watchdog;
};

TEST(Watchdog, BitesAStepThatTakesTooLong) {
  Watched watched({.seconds = 100});
  watched.watchdog.begin_to_wait(3);
  watched.watchdog.begin(7);
  EXPECT_EQ(watched.bitten.get_future().get(), std::pair(7, 0.2));
  Watched before_steps({.seconds = 100});
  EXPECT_EQ(before_steps.bitten.get_future().get(), std::pair(-1, 0.2));
}

TEST(Watchdog, BitesARankThatWaitsIfOthersStandStill) {
  std::atomic<std::int64_t> steps = 0;
  Watched watched({0.4, [&steps] { return steps.load(); }});
  watched.watchdog.begin_to_wait(3);
  auto bitten = watched.bitten.get_future();
  for (int i = 0; i < 100; ++i) {
    ++steps;
    ASSERT_EQ(bitten.wait_for(10ms), std::future_status::timeout);
  }
  EXPECT_EQ(bitten.get(), std::pair(3, 0.4));
}

TEST(Watchdog, AWaitGivesNoTimeToTheStepAfterIt) {
  Watched watched({.seconds = 100});
  auto bitten = watched.bitten.get_future();
  for (int i = 0; i < 3; ++i) {
    watched.watchdog.begin_to_wait(2 * i);
    ASSERT_EQ(bitten.wait_for(300ms), std::future_status::timeout);
    watched.watchdog.begin(2 * i + 1);
  }
  EXPECT_EQ(bitten.get(), std::pair(5, 0.2));
}

}  // namespace
