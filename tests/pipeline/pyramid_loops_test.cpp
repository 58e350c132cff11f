// SPDX-License-Identifier: BSD-3-Clause
// Loops that seed each other, level by level of a pyramid, against plain loops over all points.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "pipeline/random_run.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;

const BoundaryConditions zero = BoundaryConditions::of_constant(std::int32_t(0));

/// Four points as one.
struct Restrict {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x, 2 * y) + in(2 * x + 1, 2 * y) + in(2 * x, 2 * y + 1) + in(2 * x + 1, 2 * y + 1);
  }
};
struct Prolong {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x / 2, y / 2);
  }
};
/// Jacobi's method for Poisson's equation, in whole numbers, and how much a point changes.
struct Jacobi {
  template <class U, class F, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const F& f, Coord x, Coord y) const {
    const auto next = (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) + f(x, y)) / 4;
    return pack(next, abs(next - u(x, y)));
  }
};
struct IsAtMost {
  std::int32_t limit;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord) const {
    return select(in(0) <= limit, 1, 0);
  }
};

/// A Poisson problem on levels, the finest first; the solution of each starts the one before.
struct Pyramid {
  static constexpr std::size_t levels = 3;
  std::vector<Box> boxes;
  std::vector<std::int64_t> most;
  std::vector<std::int32_t> limits;
  Image f;
  Pipeline pipeline;

  explicit Pyramid(test::Random& random) {
    const Box box{{0, random.between(1, 24)}, {0, random.between(1, 24)}};
    f = test::random_image(random, box);
    for (std::size_t l = 0; l < levels; ++l) {
      const Box& finer = l == 0 ? box : boxes.back();
      boxes.push_back(l == 0 ? box : Box{{0, (finer[0].end + 1) / 2}, {0, (finer[1].end + 1) / 2}});
      most.push_back(random.between(1, 12));
      limits.push_back(random.small(0, 60));
    }
    declare();
  }

  void declare() {
    std::vector<Array<std::int32_t, 2>> right = {pipeline.input<std::int32_t, 2>("f0", boxes[0], zero)};
    for (std::size_t l = 1; l < levels; ++l)
      right.push_back(pipeline.stage<std::int32_t>(fmt::format("f{}", l), Restrict(), right.back()));
    Array<std::int32_t, 2> coarser{};
    for (std::size_t l = levels; l-- > 0;) {
      const Array<std::int32_t, 2> u = l + 1 == levels ? Array<std::int32_t, 2>(pipeline.stage<std::int32_t>(
                                                             fmt::format("u{}", l), Restrict(), right[l]))
                                                       : Array<std::int32_t, 2>(pipeline.stage<std::int32_t>(
                                                             fmt::format("u{}", l), Prolong(), coarser));
      pipeline.bound(u, boxes[l], zero);
      solve(l, u, right[l]);
      coarser = u;
      pipeline.output(u);
    }
  }

  void solve(std::size_t l, Array<std::int32_t, 2> u, Array<std::int32_t, 2> right) {
    pipeline.repeat(fmt::format("level{}", l), most[l], [&](const Pipeline::Loop& loop) {
      const auto [next, difference] = pipeline.stages<TypeList<std::int32_t, std::int32_t>>(
          {fmt::format("next{}", l), fmt::format("difference{}", l)}, Jacobi(), u, right);
      const auto change =
          pipeline.reduce(fmt::format("change{}", l), Maximum<std::int32_t>(), difference, boxes[l]);
      loop.feed(next, u);
      loop.watch(change);
      loop.until(pipeline.value<std::uint8_t>(fmt::format("done{}", l), IsAtMost{limits[l]}, change));
    });
  }

  static Image restricted(const Image& image, const Box& box) {
    return test::made(box, [&](const Point& p) {
      const Point first = {{2 * p[0], 2 * p[1], 0, 0}};
      return image.bounded(zero, first) + image.bounded(zero, test::moved(first, 1, 0)) +
             image.bounded(zero, test::moved(first, 0, 1)) + image.bounded(zero, test::moved(first, 1, 1));
    });
  }

  /// Returns the number of turns.
  static std::int64_t solved(Image& u, const Image& right, std::int64_t most, std::int32_t limit) {
    for (std::int64_t turn = 1;; ++turn) {
      std::int32_t change = 0;
      const Image next = test::made(u.box, [&](const Point& p) {
        const auto at = [&](int dx, int dy) { return u.bounded(zero, test::moved(p, dx, dy)); };
        const std::int32_t value = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + right.at(p)) / 4;
        change = std::max(change, std::abs(value - u.at(p)));
        return value;
      });
      u = next;
      if (turn == most || change <= limit) return turn;
    }
  }

  /// The solutions, the finest first, and the turns of the loops in the order in which they run.
  std::vector<Image> expected(std::vector<std::int64_t>& turns) const {
    std::vector<Image> right = {f}, u(levels);
    for (std::size_t l = 1; l < levels; ++l) right.push_back(restricted(right.back(), boxes[l]));
    for (std::size_t l = levels; l-- > 0;) {
      u[l] = l + 1 == levels ? restricted(right[l], boxes[l]) : test::made(boxes[l], [&](const Point& p) {
        return u[l + 1].at({{p[0] / 2, p[1] / 2, 0, 0}});
      });
      turns.push_back(solved(u[l], right[l], most[l], limits[l]));
    }
    return u;
  }
};

TEST(PyramidLoops, EachLevelSeedsTheNext) {
  test::Random random(641);
  int ended_early = 0;
  for (int i = 0; i < 60; ++i) {
    const Pyramid pyramid(random);
    std::vector<std::int64_t> turns;
    const std::vector<Image> expected = pyramid.expected(turns);
    const test::RandomRun run(random, pyramid.pipeline, {{"f0", pyramid.f}});
    for (std::size_t l = 0; l < Pyramid::levels; ++l) run.expect(fmt::format("u{}", l), expected[l]);
    EXPECT_EQ(run.turns, turns) << run.text;
    ended_early += turns.back() < pyramid.most.front() ? 1 : 0;
  }
  EXPECT_GT(ended_early, 5);
  EXPECT_LT(ended_early, 55);
}

}  // namespace
