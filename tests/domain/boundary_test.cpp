// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/boundary.hpp"

#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using test::Point;
using Kind = BoundarySource::Kind;

std::int64_t modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

/// The closed form of a condition that holds on both sides of [0, n).
std::int64_t closed_form(std::int64_t p, std::int64_t n, Boundary boundary) {
  switch (boundary) {
    case Boundary::clamp:
      return std::clamp<std::int64_t>(p, 0, n - 1);
    case Boundary::mirror: {
      const std::int64_t m = modulo(p, 2 * n);
      return m < n ? m : 2 * n - 1 - m;
    }
    case Boundary::mirror_interior: {
      if (n == 1) return 0;
      const std::int64_t m = modulo(p, 2 * (n - 1));
      return m < n ? m : 2 * (n - 1) - m;
    }
    default:
      return modulo(p, n);
  }
}

TEST(BoundarySource, IsTheClosedFormOfEachCondition) {
  for (const Boundary boundary :
       {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior, Boundary::periodic})
    for (std::int64_t n = 1; n <= 12; ++n)
      for (std::int64_t p = -50; p <= 50; ++p)
        for (const std::int64_t origin : {-7, 0, 3}) {
          const BoundarySource source = boundary_source(p + origin, {origin, origin + n}, boundary, boundary);
          EXPECT_EQ(source.kind, Kind::point);
          EXPECT_EQ(source.point, closed_form(p, n, boundary) + origin)
              << static_cast<int>(boundary) << ": " << p << " of " << n;
        }
}

TEST(BoundarySource, FollowsTheSideThatAPointIsBeyond) {
  const Range domain{0, 4};
  EXPECT_EQ(boundary_source(-2, domain, Boundary::mirror, Boundary::clamp).point, 1);
  EXPECT_EQ(boundary_source(-2, domain, Boundary::mirror_interior, Boundary::clamp).point, 2);
  EXPECT_EQ(boundary_source(6, domain, Boundary::mirror, Boundary::clamp).point, 3);
  EXPECT_EQ(boundary_source(4, domain, Boundary::none, Boundary::mirror_interior).point, 2);
  EXPECT_EQ(boundary_source(-1, domain, Boundary::none, Boundary::clamp).kind, Kind::nowhere);
  EXPECT_EQ(boundary_source(-1, domain, Boundary::constant, Boundary::clamp).kind, Kind::constant);
  EXPECT_EQ(boundary_source(9, domain, Boundary::constant, Boundary::clamp).kind, Kind::point);
}

TEST(BoundarySource, GoesOnFromAMirrorImageThatIsBeyondTheOtherSide) {
  const Range domain{0, 2};
  // -6 is the image of 5, which lies above.
  EXPECT_EQ(boundary_source(-6, domain, Boundary::mirror, Boundary::clamp).point, 1);
  EXPECT_EQ(boundary_source(-6, domain, Boundary::mirror, Boundary::constant).kind, Kind::constant);
  EXPECT_EQ(boundary_source(-6, domain, Boundary::mirror, Boundary::none).kind, Kind::nowhere);
}

TEST(BoundarySource, FarMirrorImagesAreThoseOfTheNextPeriods) {
  for (const Boundary below : {Boundary::mirror, Boundary::mirror_interior})
    for (const Boundary above : {Boundary::mirror, Boundary::mirror_interior})
      for (std::int64_t extent = 1; extent < 6; ++extent) {
        const Range domain{-1, extent - 1};
        const std::int64_t period = extent == 1 ? 1
                                                : 2 * extent - (below == Boundary::mirror_interior ? 1 : 0) -
                                                      (above == Boundary::mirror_interior ? 1 : 0);
        for (std::int64_t p = -3 * extent; p < 3 * extent; ++p)
          for (const std::int64_t far : {std::int64_t{1000}, std::int64_t{1} << 55})
            for (const std::int64_t sign : {-1, 1})
              EXPECT_EQ(boundary_source(p + sign * far * period, domain, below, above).point,
                        boundary_source(p, domain, below, above).point);
      }
}

TEST(BoundaryConditions, SourcesOfFarPointsAreFoundAtOnce) {
  const Box domain{{0, 3}};
  for (const Boundary border : {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior}) {
    const Box far{{std::int64_t{1} << 50, (std::int64_t{1} << 50) + 7}};
    EXPECT_EQ(with_boundary_sources(far, domain, border).range[0].end, far[0].end);
    EXPECT_EQ(with_boundary_sources(far, domain, border).range[0].begin, border == Boundary::clamp ? 2 : 0);
  }
}

TEST(BoundaryConditions, PeriodicOnOneSideOnlyIsAnError) {
  BoundaryConditions conditions(Boundary::clamp);
  EXPECT_NO_THROW(check_boundary(conditions, 4));
  conditions.side[1] = {Boundary::periodic, Boundary::clamp};
  test::expect_message(test::message_of<InputError>([&] { check_boundary(conditions, 2); }),
                       {"make both", "sides periodic"});
  EXPECT_NO_THROW(check_boundary(conditions, 1));
}

BoundaryConditions some_periodic(test::Random& random) {
  BoundaryConditions conditions(Boundary::clamp);
  for (auto& side : conditions.side)
    if (random.chance(60)) side = {Boundary::periodic, Boundary::periodic};
  return conditions;
}

TEST(PeriodicPieces, ArePointsThatRepeatTheDomainOnce) {
  test::Random random(71);
  for (int i = 0; i < 500; ++i) {
    const int dimensions = random.small(1, 3);
    const Box domain = random.box(dimensions, -4, 4, 6), box = random.box(dimensions, -15, 15, 9);
    const BoundaryConditions conditions = some_periodic(random);
    const auto pieces = periodic_pieces(box, domain, conditions);
    test::for_each_point(box, [&](const Point& p) {
      bool reachable = true;
      Point source = p;
      for (int d = 0; d < dimensions; ++d) {
        if (conditions.is_periodic(d))
          source[d] = domain[d].begin + modulo(p[d] - domain[d].begin, domain[d].size());
        reachable = reachable && domain[d].contains(source[d]);
      }
      int holders = 0;
      for (const PeriodicPiece& piece : pieces) {
        if (!piece.box.contains(p)) continue;
        ++holders;
        for (int d = 0; d < dimensions; ++d) EXPECT_EQ(p[d] + piece.shift[d], source[d]);
      }
      EXPECT_EQ(holders, reachable ? 1 : 0) << to_string(box) << " on " << to_string(domain);
    });
  }
}

TEST(PeriodicTouches, SaysWhetherSomePieceDoes) {
  test::Random random(72);
  int touching = 0;
  for (int i = 0; i < 5000; ++i) {
    const int dimensions = random.small(1, 3);
    const Box domain = random.box(dimensions, -4, 4, 9), box = random.box(dimensions, -25, 25, 7, 0);
    const Box target = random.box_in(domain);
    const BoundaryConditions conditions = some_periodic(random);
    bool expected = false;
    for (const PeriodicPiece& piece : periodic_pieces(box, domain, conditions))
      expected = expected || !intersection(shifted(piece.box, piece.shift), target).empty();
    EXPECT_EQ(periodic_touches(box, target, domain, conditions), expected)
        << to_string(box) << " to " << to_string(target) << " of " << to_string(domain);
    touching += expected;
  }
  EXPECT_GT(touching, 500);
}

TEST(WithBoundarySources, HoldsAllThatIsCopiedFrom) {
  test::Random random(73);
  const std::vector kinds = {Boundary::none, Boundary::clamp, Boundary::mirror, Boundary::mirror_interior,
                             Boundary::constant};
  for (int i = 0; i < 2000; ++i) {
    const int dimensions = random.small(1, 3);
    const Box domain = random.box(dimensions, -4, 4, 6), box = random.box(dimensions, -12, 12, 7);
    BoundaryConditions conditions;
    for (auto& side : conditions.side) side = {random.one_of(kinds), random.one_of(kinds)};
    const Box held = with_boundary_sources(box, domain, conditions);
    EXPECT_EQ(with_boundary_sources(held, domain, conditions), held);
    EXPECT_TRUE(held.contains(box));
    for (int d = 0; d < dimensions; ++d) {
      const auto& side = conditions.side[static_cast<std::size_t>(d)];
      Range smallest = box[d];
      // Points between the box and its sources have sources, too.
      for (Range range{0, 0}; !(range == smallest);) {
        range = smallest;
        for (std::int64_t p = range.begin; p < range.end; ++p) {
          const BoundarySource source = boundary_source(p, domain[d], side[0], side[1]);
          if (source.kind != Kind::point) continue;
          smallest = {std::min(smallest.begin, source.point), std::max(smallest.end, source.point + 1)};
        }
      }
      EXPECT_EQ(held[d], smallest) << to_string(box) << " on " << to_string(domain);
    }
  }
}

}  // namespace
