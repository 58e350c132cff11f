// SPDX-License-Identifier: BSD-3-Clause
// Loops over views, their reductions, and views on the host.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tessera/view/mpi_objects.hpp"
#include "tessera/view/reduce.hpp"
#include "view/exchange_sample.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::Point;

/// The value of a point: any function of global coordinates.
template <class T>
struct Value {
  KOKKOS_FUNCTION T operator()(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<T>((x * 7919 + y * 104729 + z * 31) % 1009) / static_cast<T>(8) - static_cast<T>(50);
  }
};

template <class T, int N>
struct SetValue {
  Accessor<T, N> array;
  KOKKOS_FUNCTION void operator()(int x) const { array(x) = Value<T>()(x, 0, 0); }
  KOKKOS_FUNCTION void operator()(int x, int y) const { array(x, y) = Value<T>()(x, y, 0); }
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const { array(x, y, z) = Value<T>()(x, y, z); }
  KOKKOS_FUNCTION void operator()(int x, int y, int z, int) const { array(x, y, z, 0) = Value<T>()(x, y, z); }
};

template <class T, int N>
DistributedView<T, N> view_of(const Box& box, const ProcessorGrid& grid, int rank) {
  const DistributedView<T, N> view("view", BlockDistribution(box, box, grid, Slicing::balanced), rank);
  for_each(view, SetValue<T, N>{Accessor<T, N>(view.block().reference())});
  return view;
}

TEST(ForEach, VisitsEveryOwnedPointOnce) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(101);
  for (int i = 0; i < 50; ++i) {
    Box box = random.box(3, -5, 5, 12);
    if (random.chance(20)) box[0].end += 9000;
    const auto view =
        view_of<double, 3>(box, test::random_grid(random, 3, communicator.size()), communicator.rank());
    const HostView<double, 3> host = view.host();
    std::int64_t wrong = 0;
    test::for_each_point(view.owned(), [&](const Point& p) {
      wrong += host.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1]), static_cast<int>(p[2])) !=
               Value<double>()(p[0], p[1], p[2]);
    });
    EXPECT_EQ(wrong, 0) << to_string(box);
  }
}

TEST(Fill, GivesGhostsTheValueToo) {
  const Box box{{0, 30}, {0, 20}};
  const DistributedView<std::int16_t, 2> view("view", BlockDistribution(box, box, {1, {3, 1, 1, 1}}), 1,
                                              Halo(2, Boundary::clamp));
  fill(view, std::int16_t{-9});
  const HostView<std::int16_t, 2> host = view.host();
  EXPECT_EQ(host.box(), (Box{{8, 22}, {-2, 22}}));
  test::for_each_point(host.box(), [&](const Point& p) {
    EXPECT_EQ(host.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1])), -9);
  });
}

TEST(HostView, WritesReachTheView) {
  const Box box{{0, 8}};
  const DistributedView<float, 1> view("view", BlockDistribution(box, box, {1, {1, 1, 1, 1}}), 0);
  fill(view, 1.0f);
  const HostView<float, 1> host = view.host();
  host.accessor()(3) = 5.0f;
  host.copy_to_device();
  EXPECT_EQ(reduce(view, Sum<float>(), MPI_COMM_SELF), 12.0f);
}

/// The bits of all reductions of a view on these ranks.
template <class T>
std::vector<double> reduced(const Box& box, const ProcessorGrid& grid, const Communicator& communicator) {
  const auto view = view_of<T, 3>(box, grid, communicator.rank());
  const auto least = reduce(view, MinimumLocation<T>(), communicator.handle());
  const auto greatest = reduce(view, MaximumLocation<T>(), communicator.handle());
  std::vector<double> results = {static_cast<double>(reduce(view, Sum<T>(), communicator.handle())),
                                 static_cast<double>(reduce(view, Minimum<T>(), communicator.handle())),
                                 static_cast<double>(reduce(view, Maximum<T>(), communicator.handle())),
                                 static_cast<double>(least.value), static_cast<double>(greatest.value)};
  for (const Point& point : std::array{least.point, greatest.point})
    for (int d = 0; d < 3; ++d) results.push_back(static_cast<double>(point[d]));
  return results;
}

template <class T>
std::vector<double> brute_force(const Box& box) {
  double sum = 0;  // exact: multiples of 1/8
  T least = Value<T>()(box[0].begin, box[1].begin, box[2].begin), greatest = least;
  Point least_at, greatest_at;
  for (int d = 0; d < 3; ++d) least_at[d] = greatest_at[d] = box[d].begin;
  test::for_each_point(box, [&](const Point& p) {
    const T value = Value<T>()(p[0], p[1], p[2]);
    sum += value;
    if (value < least) least = value, least_at = p;
    if (value > greatest) greatest = value, greatest_at = p;
  });
  std::vector<double> results = {static_cast<double>(static_cast<T>(sum)), static_cast<double>(least),
                                 static_cast<double>(greatest), static_cast<double>(least),
                                 static_cast<double>(greatest)};
  for (const Point& point : {least_at, greatest_at})
    for (int d = 0; d < 3; ++d) results.push_back(static_cast<double>(point[d]));
  return results;
}

template <class T>
void expect_reductions() {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(102);
  for (int i = 0; i < 40; ++i) {
    Box box = random.box(3, -5, 5, 20);
    if (random.chance(20)) box[0].end += 9000;
    const std::vector<double> expected = brute_force<T>(box);
    // Any grid, and all of it on one rank.
    EXPECT_EQ(reduced<T>(box, test::random_grid(random, 3, communicator.size()), communicator), expected)
        << to_string(box);
    EXPECT_EQ(reduced<T>(box, {1, {1, 1, 1, 1}}, Communicator(MPI_COMM_SELF)), expected) << to_string(box);
  }
}

TEST(Reduce, OfFloatsIsTheSameOnAnyGrid) { expect_reductions<float>(); }
TEST(Reduce, OfDoublesIsTheSameOnAnyGrid) { expect_reductions<double>(); }
TEST(Reduce, OfIntegersIsTheSameOnAnyGrid) { expect_reductions<std::int32_t>(); }

TEST(Reduce, SumsBytesBeyondTheirRange) {
  const Box box{{0, 300}, {0, 300}};
  const DistributedView<std::uint8_t, 2> view("bytes", BlockDistribution(box, box, {1, {1, 1, 1, 1}}), 0);
  fill(view, std::uint8_t{255});
  EXPECT_EQ(reduce(view, Sum<std::uint8_t>(), MPI_COMM_SELF), 300u * 300u * 255u);
}

TEST(Reduce, DropsNanAndTellsZerosApart) {
  const Box box{{0, 4}};
  const DistributedView<float, 1> view("view", BlockDistribution(box, box, {1, {1, 1, 1, 1}}), 0);
  const HostView<float, 1> host = view.host();
  const float values[] = {0.0f, NAN, -0.0f, -0.0f};
  for (int x = 0; x < 4; ++x) host.accessor()(x) = values[x];
  host.copy_to_device();
  const auto least = reduce(view, MinimumLocation<float>(), MPI_COMM_SELF);
  EXPECT_TRUE(std::signbit(least.value));
  EXPECT_EQ(least.point[0], 2) << "the first of equal ones";
  EXPECT_FALSE(std::signbit(reduce(view, Maximum<float>(), MPI_COMM_SELF)));
  fill(view, NAN);
  EXPECT_EQ(reduce(view, Minimum<float>(), MPI_COMM_SELF), INFINITY);
  EXPECT_FALSE(reduce(view, MinimumLocation<float>(), MPI_COMM_SELF).found);
}

/// A user's own: how many points are odd, and the exclusive or of all.
struct CountOdd {
  struct Value {
    std::int64_t odd;
    std::uint32_t bits;
  };
  KOKKOS_FUNCTION void init(Value& value) const { value = {0, 0}; }
  KOKKOS_FUNCTION void add(Value& value, const std::uint32_t& element, const Point&) const {
    join(value, {element % 2, element});
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value = {value.odd + other.odd, value.bits ^ other.bits};
  }
  Value result(const Value& value) const { return value; }
};

TEST(Reduce, TakesAUsersReduction) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 100}, {0, 31}};
  const DistributedView<std::uint32_t, 2> view(
      "view", BlockDistribution(box, box, {2, {1, communicator.size(), 1, 1}}), communicator.rank());
  const HostView<std::uint32_t, 2> host = view.host();
  CountOdd::Value expected{0, 0};
  test::for_each_point(box, [&](const Point& p) {
    const auto value = static_cast<std::uint32_t>(test::pattern(p));
    expected = {expected.odd + value % 2, expected.bits ^ value};
    if (view.owned().contains(p)) host.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1])) = value;
  });
  host.copy_to_device();
  const CountOdd::Value actual = reduce(view, CountOdd(), communicator.handle());
  EXPECT_EQ(actual.odd, expected.odd);
  EXPECT_EQ(actual.bits, expected.bits);
}

TEST(Reduce, OfAnEmptyBlockAddsNothing) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 1}};  // one point: all ranks but one have none
  const DistributedView<double, 1> view(
      "view", BlockDistribution(box, box, {1, {communicator.size(), 1, 1, 1}}), communicator.rank());
  fill(view, 2.5);
  EXPECT_EQ(reduce(view, Sum<double>(), communicator.handle()), 2.5);
  EXPECT_EQ(reduce(view, Minimum<double>(), communicator.handle()), 2.5);
}

#ifdef TESSERA_CHECKS
TEST(ViewDeathTest, AnIndexOutsideNamesViewIndexAndBox) {
  const Box box{{0, 30}, {0, 20}};
  const DistributedView<float, 2> view("sky", BlockDistribution(box, box, {1, {1, 1, 1, 1}}), 0);
  EXPECT_DEATH(
      view.accessor()(4, 20) = 1,
      "index \\(4, 20\\) of the view 'sky' lies outside its box \\[0, 30\\) x \\[0, 20\\) in dimension 1");
}
#endif

}  // namespace
