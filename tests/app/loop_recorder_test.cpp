// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/recorders.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "messages.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::app {
namespace {

struct Half {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x) const {
    return u(x) * 0.5f;
  }
};
struct IsSmall {
  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& residual, Coord) const {
    return select(residual(0) < 1e-6f, 1, 0);
  }
};

struct HalfOfIntegers {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x) const {
    return u(x) >> 1;
  }
};
struct IsZero {
  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& residual, Coord) const {
    return select(residual(0) == 0, 1, 0);
  }
};

Pipeline halving() {
  const Box line{{0, 10}};
  Pipeline pipeline;
  const auto u = pipeline.input<float, 1>("u", line);
  pipeline.repeat("solve", 100, [&](const Pipeline::Loop& loop) {
    const auto next = pipeline.stage<float>("next", Half(), u);
    loop.feed(next, u);
    const auto largest = pipeline.reduce("largest", Maximum<float>(), next, line);
    loop.watch(largest);
    loop.until(pipeline.value<std::uint8_t>("done", IsSmall(), largest));
  });
  pipeline.output(u, line);
  return pipeline;
}

/// Returns a pipeline with a loop whose residual is an integer.
Pipeline counting() {
  const Box line{{0, 10}};
  Pipeline pipeline;
  const auto u = pipeline.input<std::int32_t, 1>("u", line);
  pipeline.repeat("solve", 100, [&](const Pipeline::Loop& loop) {
    const auto next = pipeline.stage<std::int32_t>("next", HalfOfIntegers(), u);
    loop.feed(next, u);
    const auto largest = pipeline.reduce("largest", Maximum<std::int32_t>(), next, line);
    loop.watch(largest);
    loop.until(pipeline.value<std::uint8_t>("done", IsZero(), largest));
  });
  pipeline.output(u, line);
  return pipeline;
}

/// Returns a recorder's line about a run whose turns have these residuals.
std::string line_after(const std::vector<double>& residuals, bool has_converged = false,
                       const Pipeline& pipeline = halving()) {
  Progress silent(0, true);
  LoopRecorder recorder(pipeline, silent, 0);
  Bindings bindings;
  recorder.listen(bindings);
  LoopProgress progress{.loop = 0};
  for (const double residual : residuals) {
    bindings.before_turn(progress);
    ++progress.turns;
    progress.residual = residual;
    bindings.after_turn(progress);
  }
  progress.has_converged = has_converged;
  bindings.after_loop(progress);
  return recorder.unfinished();
}

TEST(LoopRecorder, SaysNothingOfALoopThatConverges) { EXPECT_EQ(line_after({1, 0.1, 1e-7}, true), ""); }

TEST(LoopRecorder, AdvisesMoreTurnsWhereTheResidualFalls) {
  test::expect_message(line_after({1, 0.5, 0.25}), {"'solve' has not converged", "largest 0.25"});
  test::expect_message(line_after({1, 0.5, 4}), {"'solve' has not converged", "largest 4"});
}

TEST(LoopRecorder, DoesNotTakeEveryGrowthForDivergence) {
  for (const std::vector<double>& residuals : {std::vector<double>{0, 1}, {-5, -4}, {-1, 1000}})
    EXPECT_NE(line_after(residuals).find("allow more turns"), std::string::npos) << residuals.back();
  EXPECT_NE(line_after({2, 300}, false, counting()).find("allow more turns"), std::string::npos);
}

TEST(LoopRecorder, TellsThatALoopDiverges) {
  test::expect_message(line_after({1, 0.5, 20, 1e9}), {"'solve' diverges", "from 0.5 to 1e+09"});
}

}  // namespace
}  // namespace tessera::app
