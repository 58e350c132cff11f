// SPDX-License-Identifier: BSD-3-Clause
// Loops that cannot overlap their tests, and why.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/overlapped_sample.hpp"

namespace tessera::test::overlapped {
namespace {

using test::expect_message;

struct FirstPoint {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord i) const {
    return u(i, i);
  }
};

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
  expect_message(
      refusal_with(ends_right, [](Sample& s, const auto& outer, auto scaled) { outer.feed(scaled, s.w); }),
      {"'outer'", "takes 'scaled'", "turn more"});
  expect_message(refusal_with(ends_right,
                              [](Sample& s, const auto& outer, auto scaled) {
                                outer.feed(s.pipeline.template stage<Number>("sum", Add(), s.w, scaled), s.w);
                              }),
                 {"'sum'", "reads 'scaled'", "turn more"});
}

TEST(Overlapped, WhatNeedsWhatTheRanksAgreeOnIsRefused) {
  expect_message(refusal_with(
                     [](Sample& s, const auto& loop, auto, auto, auto most) {
                       const auto twice = s.pipeline.value<Number>("twice", Twice(), most);
                       const auto again = s.pipeline.reduce("again", Maximum<Number>(), twice, Box{{0, 1}});
                       loop.until(s.pipeline.value<std::uint8_t>("done", IsAtLeast{8}, again));
                     },
                     adds_up),
                 {"'again'", "reads 'twice'", "next turn"});
  expect_message(refusal_with(
                     [](Sample& s, const auto& loop, auto, auto scaled, auto most) {
                       const auto first = s.pipeline.value<Number>("first", FirstPoint(), scaled);
                       loop.until(s.pipeline.value<std::uint8_t>("done", BothAreAtLeast{5, 5}, most, first));
                     },
                     adds_up),
                 {"'done'", "reads 'first'", "turn changes"});
}

TEST(Overlapped, LoopsWithoutATestOfReductionsAreRefused) {
  expect_message(refusal_with([](Sample&, const auto&, auto, auto, auto) {}, adds_up),
                 {"'inner'", "neither condition", "nor residual"});
  expect_message(refusal_with(
                     [](Sample& s, const auto& loop, auto, auto scaled, auto) {
                       loop.until(s.pipeline.value<std::uint8_t>(
                           "done", IsAtLeast{5}, s.pipeline.value<Number>("first", FirstPoint(), scaled)));
                     },
                     adds_up),
                 {"'done'", "not follow", "reduction"});
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
  expect_message(sample.refusal(overlaps), {"'inner'", "loop 'in it'"});
  expect_message(sample.refusal(overlapped_rounds.front()), {"'inner'", "loop 'in it'", "turns run"});
}

}  // namespace
}  // namespace tessera::test::overlapped
