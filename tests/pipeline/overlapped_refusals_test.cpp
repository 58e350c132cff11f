// SPDX-License-Identifier: BSD-3-Clause
// Loops that cannot overlap their tests, and why.
#include <gtest/gtest.h>

#include "pipeline/overlapped_sample.hpp"

namespace tessera::test::overlapped {
namespace {

struct FirstPoint {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord i) const {
    return u(i, i);
  }
};

/// The reason, as messages say it.
std::string only_waits(const std::string& reason) { return reason + ": only 'waits' is legal"; }

/// Returns why an inner loop cannot overlap its test. This must not depend on whether its turns run one by
/// one or in rounds. The function `declare` declares the test of the inner loop, and `after` declares what
/// the outer loop computes behind the inner one.
template <class Declare, class After>
std::string refusal_with(const Declare& declare, const After& after) {
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("outer", 2, [&](const Pipeline::Loop& outer) {
    Numbers scaled_once{};
    p.repeat("inner", 9, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      const auto most = p.reduce("most", Maximum<Number>(), next, image);
      declare(sample, loop, Numbers(next), Numbers(scaled), most);
      loop.feed(Numbers(next), sample.u);
      scaled_once = scaled;
    });
    after(sample, outer, scaled_once);
  });
  sample.end();
  const std::string refused = sample.refusal(overlaps);
  EXPECT_EQ(sample.refusal(overlapped_rounds.front()), refused);
  return refused;
}
const auto ends_right = [](Sample& s, const auto& loop, auto, auto, auto most) {
  loop.until(s.pipeline.template value<std::uint8_t>("done", IsAtLeast{5}, most));
};
const auto adds_up = [](Sample& s, const auto& outer, auto) {
  outer.feed(s.pipeline.template stage<Number>("sum", Add(), s.w, s.u), s.w);
};

TEST(Overlapped, WhatReadsOfATurnMoreIsRefused) {
  EXPECT_EQ(refusal_with(ends_right, adds_up), "nothing was thrown");
  EXPECT_EQ(
      refusal_with(ends_right, [](Sample& s, const auto& outer, auto scaled) { outer.feed(scaled, s.w); }),
      only_waits("the loop 'outer' takes 'scaled', which would be that of a turn more"));
  EXPECT_EQ(refusal_with(ends_right,
                         [](Sample& s, const auto& outer, auto scaled) {
                           outer.feed(s.pipeline.template stage<Number>("sum", Add(), s.w, scaled), s.w);
                         }),
            only_waits("'sum' reads 'scaled' after the loop, where it is that of a turn more"));
}

TEST(Overlapped, WhatNeedsWhatTheRanksAgreeOnIsRefused) {
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto, auto most) {
                  const auto twice = s.pipeline.value<Number>("twice", Twice(), most);
                  const auto again = s.pipeline.reduce("again", Maximum<Number>(), twice, Box{{0, 1}});
                  loop.until(s.pipeline.value<std::uint8_t>("done", IsAtLeast{8}, again));
                },
                adds_up),
            only_waits("'again' reads 'twice': the next turn needs it"));
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto scaled, auto most) {
                  const auto first = s.pipeline.value<Number>("first", FirstPoint(), scaled);
                  loop.until(s.pipeline.value<std::uint8_t>("done", BothAreAtLeast{5, 5}, most, first));
                },
                adds_up),
            only_waits("'done' reads 'first', which the next turn changes"));
}

TEST(Overlapped, LoopsWithoutATestOfReductionsAreRefused) {
  EXPECT_EQ(refusal_with([](Sample&, const auto&, auto, auto, auto) {}, adds_up),
            only_waits("the loop 'inner' has neither condition nor residual"));
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto scaled, auto) {
                  loop.until(s.pipeline.value<std::uint8_t>(
                      "done", IsAtLeast{5}, s.pipeline.value<Number>("first", FirstPoint(), scaled)));
                },
                adds_up),
            only_waits("'done' does not follow from a reduction"));
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("inner", 3, [&](const Pipeline::Loop& outer) {
    p.repeat("in it", 3, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      loop.feed(Numbers(next), sample.u);
    });
    outer.watch(p.reduce("most", Maximum<Number>(), sample.u, image));
    outer.feed(p.stage<Number>("sum", Add(), sample.w, sample.u), sample.w);
  });
  sample.end();
  EXPECT_EQ(sample.refusal(overlaps), only_waits("the loop 'inner' has the loop 'in it' in it"));
  EXPECT_EQ(sample.refusal(overlapped_rounds.front()),
            "the loop 'inner' has the loop 'in it' in it: its turns run one by one");
}

}  // namespace
}  // namespace tessera::test::overlapped
