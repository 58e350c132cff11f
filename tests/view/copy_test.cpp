// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/box_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/view/block_io.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/halo_exchange.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::Point;

/// An array of T on a box whose memory is full of one byte.
template <class T>
struct SmallArray {
  BlockLayout layout;
  Kokkos::View<T*, compat::HostPinnedSpace> memory;

  SmallArray(const Box& box, bool padded, int fill)
      : layout(padded ? padded_layout(box, box[0].begin + 1, sizeof(T)) : dense_layout(box, sizeof(T))),
        memory("array", static_cast<std::size_t>(layout.bytes) / sizeof(T) + 64) {
    std::memset(memory.data(), fill, memory.size() * sizeof(T));
  }
  ArrayReference reference() { return layout.reference(reinterpret_cast<std::byte*>(memory.data())); }
  T& at(const Point& point) { return test::element<T>(reference(), point); }
  void fill_with_pattern(const Box& box) {
    test::for_each_point(box, [&](const Point& p) { at(p) = static_cast<T>(test::pattern(p)); });
  }
};

/// A box of up to 40000 bytes, so that copies with and without a kernel launch are tried.
Box random_box(test::Random& random) {
  Box box = random.box(random.small(1, 4), -9, 9, 6);
  box[0].end = box[0].begin + random.between(1, random.chance(10) ? 1500 : 30);
  return box;
}

Point nearest(Point point, const Box& domain) {
  for (int d = 0; d < domain.dimensions; ++d)
    point.at[d] = std::clamp(point.at[d], domain[d].begin, domain[d].end - 1);
  return point;
}

TEST(CopyPoints, CopiesTheBoxAndNothingElse) {
  test::Random random(41);
  const ExecutionSpace execution;
  for (int i = 0; i < 100; ++i) {
    const Box from_box = random_box(random);
    const Box box = random.box_in(from_box);
    Box to_box = box;
    for (int d = 0; d < box.dimensions; ++d) to_box[d].end += random.between(0, 3);
    test::for_each_element_size([&]<class T>(T) {
      SmallArray<T> from(from_box, random.chance(50), 0x11), to(to_box, random.chance(50), 0x77);
      const T untouched = to.memory(0);
      from.fill_with_pattern(from_box);
      copy_points(execution, from.reference(), to.reference(), box, sizeof(T));
      execution.fence();
      std::int64_t wrong = 0, changed = 0;
      test::for_each_point(box,
                           [&](const Point& p) { wrong += to.at(p) != static_cast<T>(test::pattern(p)); });
      EXPECT_EQ(wrong, 0) << to_string(box);
      test::for_each_point(box, [&](const Point& p) { to.at(p) = untouched; });
      for (std::size_t k = 0; k < to.memory.size(); ++k) changed += to.memory(k) != untouched;
      EXPECT_EQ(changed, 0) << to_string(box) << " into " << to_string(to_box);
    });
  }
}

TEST(CopyPoints, OfAnEmptyBoxDoesNothing) {
  copy_points(ExecutionSpace(), {}, {}, Box{{3, 3}, {0, 5}}, 4);
  SUCCEED() << "null pointers were not followed";
}

/// A domain, and a box that sticks out of it or lies wholly outside.
struct BoundaryCase {
  Box domain;
  Box box;
};

BoundaryCase random_boundary(test::Random& random) {
  BoundaryCase sample;
  const int dimensions = random.small(1, 4);
  sample.domain = random.box(dimensions, -4, 4, random.chance(30) ? 1 : 6);
  if (random.chance(3)) sample.domain[0].end += 1500;
  sample.box = sample.domain;
  for (int d = 0; d < dimensions; ++d) {
    sample.box[d].begin += random.between(-6, 6);
    sample.box[d].end = std::max(sample.box[d].begin + 1, sample.box[d].end + random.between(-6, 6));
  }
  sample.box = with_boundary_sources(sample.box, sample.domain, Boundary::clamp);
  return sample;
}

TEST(FillBoundary, GivesEveryPointOutsideTheNearestValue) {
  test::Random random(42);
  const ExecutionSpace execution;
  for (int i = 0; i < 250; ++i) {
    const auto [domain, box] = random_boundary(random);
    test::for_each_element_size([&, &domain = domain, &box = box]<class T>(T) {
      SmallArray<T> array(box, random.chance(50), 0x55);
      array.fill_with_pattern(intersection(box, domain));
      fill_boundary(execution, array.reference(), box, domain, Boundary::clamp, sizeof(T));
      execution.fence();
      std::int64_t wrong = 0;
      test::for_each_point(box, [&](const Point& p) {
        wrong += array.at(p) != static_cast<T>(test::pattern(nearest(p, domain)));
      });
      EXPECT_EQ(wrong, 0) << to_string(box) << " around " << to_string(domain);
    });
  }
}

// There are enough rows for all threads, whatever is on the rows' sides.
TEST(FillBoundary, FillsTheRowsOfTallArrays) {
  constexpr int height = 5000, value = 77;
  const Box domain{{0, 3}, {0, height}}, box{{-2, 5}, {-1, height + 1}};
  const auto source = [](std::int64_t x, Boundary side) -> std::int64_t {
    if (side == Boundary::clamp) return std::clamp<std::int64_t>(x, 0, 2);
    return x < 0 ? -1 - x : x > 2 ? 5 - x : x;
  };
  for (Boundary side : {Boundary::clamp, Boundary::mirror, Boundary::constant}) {
    BoundaryConditions conditions = BoundaryConditions::of_constant(std::uint16_t{value});
    conditions.side[0] = {side, side};
    conditions.side[1] = {Boundary::clamp, Boundary::clamp};
    SmallArray<std::uint16_t> array(box, true, 0x55);
    array.fill_with_pattern(domain);
    fill_boundary(ExecutionSpace(), array.reference(), box, domain, conditions, 2);
    ExecutionSpace().fence();
    std::int64_t wrong = 0;
    test::for_each_point(box, [&](const Point& p) {
      const Point from{{source(p[0], side), std::clamp<std::int64_t>(p[1], 0, height - 1), 0, 0}};
      const bool is_constant = side == Boundary::constant && (p[0] < 0 || p[0] > 2);
      wrong += array.at(p) != (is_constant ? value : static_cast<std::uint16_t>(test::pattern(from)));
    });
    EXPECT_EQ(wrong, 0) << static_cast<int>(side);
  }
}

TEST(FillBoundary, SpreadsAOnePixelDomainOverItsCorners) {
  SmallArray<std::uint16_t> array(Box{{-2, 4}, {-3, 2}}, false, 0);
  array.at({{0, 0, 0, 0}}) = 41;
  fill_boundary(ExecutionSpace(), array.reference(), Box{{-2, 4}, {-3, 2}}, Box{{0, 1}, {0, 1}},
                Boundary::clamp, 2);
  ExecutionSpace().fence();
  test::for_each_point(Box{{-2, 4}, {-3, 2}}, [&](const Point& p) { EXPECT_EQ(array.at(p), 41); });
}

TEST(WithBoundarySources, IsTheSmallestBoxWithThePointsCopiedFrom) {
  test::Random random(43);
  int outside = 0;
  for (int i = 0; i < 1000; ++i) {
    const int dimensions = random.small(1, 3);
    const Box domain = random.box(dimensions, -4, 4, 6), box = random.box(dimensions, -12, 12, 5);
    Box expected = box;
    test::for_each_point(box, [&](const Point& p) {
      Box source = box;
      const Point q = nearest(p, domain);
      for (int d = 0; d < dimensions; ++d) source[d] = {q[d], q[d] + 1};
      expected = hull(expected, source);
    });
    EXPECT_EQ(with_boundary_sources(box, domain, Boundary::clamp), expected)
        << to_string(box) << " on " << to_string(domain);
    outside += intersection(box, domain).empty();
  }
  EXPECT_GT(outside, 300);
  EXPECT_TRUE(with_boundary_sources(Box{{2, 2}}, Box{{0, 5}}, Boundary::clamp).empty());
}

/// A block of `box` of int32. The value of each point tells its coordinates.
struct Numbered {
  explicit Numbered(const Box& box)
      : memory(static_cast<std::size_t>(box.size()) * 4),
        block(packed_block(memory.data(), ElementType::int32, box)) {}

  /// Calls use(value, value that tells the coordinates) for all points.
  template <class Use>
  void for_each(const Use& use) {
    std::size_t at = 0;
    const Range planes = block.box.dimensions == 3 ? block.box[2] : Range{0, 1};
    for (std::int64_t z = planes.begin; z < planes.end; ++z)
      for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y)
        for (std::int64_t x = block.box[0].begin; x < block.box[0].end; ++x, at += 4) {
          std::int32_t value = 0;
          std::memcpy(&value, &memory[at], 4);
          use(value, static_cast<std::int32_t>(10000 * z + 100 * y + x), x, y);
          std::memcpy(&memory[at], &value, 4);
        }
  }
  std::vector<std::byte> memory;
  HostBlock block;
};

TEST(HostCopy, CopiesAPartOfABlockAndNothingElse) {
  for (const int dimensions : {2, 3}) {
    Box inner{{3, 12}, {-2, 5}}, outer{{0, 9}, {-4, 9}};
    if (dimensions == 3) inner = {{3, 12}, {-2, 5}, {0, 3}}, outer = {{0, 9}, {-4, 9}, {1, 2}};
    Numbered from(inner), to(outer);
    from.for_each([](std::int32_t& value, std::int32_t number, auto...) { value = number; });
    to.for_each([](std::int32_t& value, auto...) { value = -1; });
    copy_part(from.block, to.block, intersection(inner, outer));
    to.for_each([&](std::int32_t value, std::int32_t number, std::int64_t x, std::int64_t y) {
      const bool is_copied = x >= 3 && y >= -2 && y < 5;
      EXPECT_EQ(value, is_copied ? number : -1);
    });
  }
}

TEST(HostCopy, CopiesNothingOfAnEmptyPart) {
  Numbered to(Box{{4, 8}, {0, 4}});
  to.for_each([](std::int32_t& value, auto...) { value = 7; });
  const HostBlock empty = packed_block(nullptr, ElementType::int32, Box{{0, 0}, {0, 4}});
  copy_part(empty, to.block, empty.box);
  copy_part(to.block, empty, empty.box);
  to.for_each([](std::int32_t value, auto...) { EXPECT_EQ(value, 7); });
}

}  // namespace
