// SPDX-License-Identifier: BSD-3-Clause
// Inference of random bodies: every access lies in the footprint, and closed forms are exact.
#include <gtest/gtest.h>

#include "pipeline/grammar_body.hpp"
#include "tessera/pipeline/inference/footprint.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::Generator;
using test::Grammar;
using test::RandomBody;

using Plane = ArrayType<float, 2>;
using Line = ArrayType<std::uint8_t, 1>;
using Volume = ArrayType<std::int16_t, 3>;
using Boxes = std::array<Box, 3>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float float_values[] = {0,      1,     -1,       2.5f,      -3,  7, 100,
                                  -1e20f, 3e38f, infinity, -infinity, NAN, 4, -0.0f};
constexpr int int_values[] = {0, 1, 2, 3, 5, 9, 255, 128, 32767, -32768, -1, -7};

/// Gives any value anywhere, and notes where.
template <class T, int N>
class Noting {
 public:
  Noting(Box& touched, std::uint64_t seed) : touched_(&touched), seed_(seed) {}

  template <class... Indices>
  T operator()(const Indices&... indices) const {
    const int at[] = {Coordinate(indices).value...};
    Point point;
    Box here;
    here.dimensions = N;
    for (int d = 0; d < N; ++d) {
      point[d] = at[d];
      here[d] = {at[d], at[d] + 1};
    }
    *touched_ = hull(*touched_, here);
    const std::uint64_t hash = (test::pattern(point) ^ seed_) * 0x9e3779b97f4a7c15u >> 32;
    if constexpr (std::is_floating_point_v<T>)
      return float_values[hash % std::size(float_values)];
    else
      return static_cast<T>(int_values[hash % std::size(int_values)]);
  }
  T zero() const { return T(0); }

 private:
  Box* touched_;
  std::uint64_t seed_;
};

template <std::size_t... D>
Boxes touched_by(const RandomBody& body, const Box& box, std::index_sequence<D...>, std::uint64_t rounds) {
  Boxes touched;
  for (std::uint64_t round = 0; round < rounds; ++round)
    test::for_each_point(box, [&](const Point& p) {
      body(Noting<float, 2>(touched[0], round), Noting<std::uint8_t, 1>(touched[1], round + 100),
           Noting<std::int16_t, 3>(touched[2], round + 200), Coordinate(static_cast<int>(p[D]))...);
    });
  return touched;
}

template <int N>
Boxes inferred(const RandomBody& body, const Box& box) {
  return infer_footprint<N, Plane, Line, Volume>(body, box);
}

struct Counts {
  int bodies = 0;
  int closed = 0;
  int refused = 0;
};

/// Every access lies in the footprint; `tight`: it is no larger.
template <int N>
void expect_sound(const RandomBody& body, test::Random& random, bool tight) {
  const Box box = random.box(N, -20, 20, N == 3 ? 3 : 6);
  const Boxes touched = touched_by(body, box, std::make_index_sequence<N>{}, 2);
  const Boxes footprint = inferred<N>(body, box);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(footprint[i].contains(touched[i]))
        << "input " << i << " of " << to_string(box) << ": read " << to_string(touched[i]) << ", inferred "
        << to_string(footprint[i]);
    if (tight) {
      EXPECT_EQ(footprint[i].empty(), touched[i].empty());
    }
    if (tight && !touched[i].empty()) {
      EXPECT_EQ(footprint[i], touched[i]) << "input " << i << " of " << to_string(box);
    }
  }
}

/// A box of any size, near the origin, near the limit of closed forms or past it.
template <int N>
Box any_box(test::Random& random) {
  Box box;
  box.dimensions = N;
  for (int d = 0; d < N; ++d) {
    const std::int64_t far[] = {30, 5000, Provenance::limit, Provenance::limit + 3};
    const std::int64_t reach = far[random.small(0, d == 0 ? 3 : 2)];
    const std::int64_t ends[] = {-reach, reach - 1, random.between(-reach, reach - 1)};
    const std::int64_t first = ends[random.small(0, 2)], second = random.between(-reach, reach - 1);
    box[d] = {std::min(first, second),
              (random.chance(20) ? std::min(first, second) : std::max(first, second)) + 1};
  }
  return box;
}

template <int N>
void expect_exact(const RandomBody& body, const Footprint<RandomBody, N, Plane, Line, Volume>& footprint,
                  test::Random& random, int boxes) {
  for (int i = 0; i < boxes; ++i) {
    const Box box = any_box<N>(random);
    Boxes needs;
    footprint.required(box, needs.data());
    const Boxes expected = inferred<N>(body, box);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(needs[k], expected[k]) << "input " << k << " of " << to_string(box);
  }
}

template <int N>
void try_body(Generator& generator, bool tight, Counts& counts) {
  const RandomBody body{generator.body(N)};
  ++counts.bodies;
  try {
    const Footprint<RandomBody, N, Plane, Line, Volume> footprint(body);
    counts.closed += footprint.has_closed_form();
    for (int i = 0; i < 2; ++i) expect_sound<N>(body, generator.random(), tight);
    if (footprint.has_closed_form()) expect_exact<N>(body, footprint, generator.random(), 30);
  } catch (const InternalError&) {
    ++counts.refused;  // too many paths
  }
}

Counts try_bodies(Generator& generator, int bodies, bool tight = false) {
  Counts counts;
  for (int i = 0; i < bodies && !testing::Test::HasFailure(); ++i) {
    try_body<1>(generator, tight, counts);
    try_body<2>(generator, tight, counts);
    try_body<3>(generator, tight, counts);
  }
  return counts;
}

TEST(Grammar, OfAffineBodiesGivesTightFootprintsInClosedForm) {
  Generator generator(Grammar::affine, 1);
  const Counts counts = try_bodies(generator, 2000, true);
  EXPECT_EQ(counts.refused, 0);
  EXPECT_GT(counts.closed, counts.bodies * 3 / 4);
}

TEST(Grammar, WithoutChoicesByCoordinatesGivesClosedForms) {
  Generator generator(Grammar::closed, 2);
  const Counts counts = try_bodies(generator, 4000);
  EXPECT_LT(counts.refused, counts.bodies / 10);
  EXPECT_GT(counts.closed, counts.bodies / 3);
}

TEST(Grammar, OfEverythingGivesSoundFootprints) {
  Generator generator(Grammar::everything, 3);
  const Counts counts = try_bodies(generator, 8000);
  EXPECT_LT(counts.refused, counts.bodies / 10);
  EXPECT_GT(counts.closed, counts.bodies / 20);
  EXPECT_LT(counts.closed, counts.bodies / 2);
  for (std::size_t op = 0; op < generator.produced().size(); ++op)
    EXPECT_GT(generator.produced()[op], 500) << "construct " << op;
}

}  // namespace
