// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "pipeline/interval_sample.hpp"
#include "tessera/pipeline/inference/footprint.hpp"
#include "view/pattern.hpp"

namespace tessera::test {

/// The accessor of a body whose footprint is found by running it. It gives random values of T, NaN and
/// extremes among them, and a note of every point read.
template <class T, int N>
class NotingAccessor {
 public:
  NotingAccessor(Box& touched, std::uint64_t seed) : touched_(&touched), seed_(seed) {}

  template <class... Indices>
  requires(sizeof...(Indices) == N)
  T operator()(const Indices&... indices) const {
    const int at[] = {Coordinate(indices).value...};
    Box here;
    here.dimensions = N;
    Point point;
    for (int d = 0; d < N; ++d) {
      here[d] = {at[d], at[d] + 1};
      point.at[d] = at[d];
    }
    *touched_ = hull(*touched_, here);
    Random random(pattern(point) ^ seed_);
    if constexpr (std::is_floating_point_v<T>)
      if (random.chance(10)) return std::numeric_limits<T>::quiet_NaN();
    return random_number<T>(random);
  }
  T zero() const { return T(0); }

 private:
  Box* touched_;
  std::uint64_t seed_;
};

/// Runs `body` on every point of `box` a few times with other values; returns the hulls of what it read.
template <int N, class... Inputs, class Body, std::size_t... I, std::size_t... D>
std::array<Box, sizeof...(Inputs)> run_noting(const Body& body, const Box& box, int rounds,
                                              std::index_sequence<I...>, std::index_sequence<D...>) {
  std::array<Box, sizeof...(Inputs)> touched;
  for (int round = 0; round < rounds; ++round)
    for_each_point(box, [&](const Point& p) {
      static_cast<void>(body(NotingAccessor<typename Inputs::Value, Inputs::dimensions>(
                                 touched[I], static_cast<std::uint64_t>(round) * 1000 + I)...,
                             Coordinate(static_cast<int>(p[D]))...));
    });
  return touched;
}

enum class Tightness { sound, tight };

/// Random boxes: what `body` reads lies in its footprint; `tight`: the footprint is no larger.
template <int N, class... Inputs, class Body>
void expect_footprint(const Body& body, Tightness tightness) {
  Random random(99);
  for (int i = 0; i < 60; ++i) {
    const Box box = random.box(N, -20, 20, N == 3 ? 4 : 8);
    const auto footprint = infer_footprint<N, Inputs...>(body, box);
    const auto touched =
        run_noting<N, Inputs...>(body, box, tightness == Tightness::tight ? 12 : 4,
                                 std::index_sequence_for<Inputs...>{}, std::make_index_sequence<N>{});
    for (std::size_t k = 0; k < touched.size(); ++k) {
      EXPECT_TRUE(footprint[k].contains(touched[k]))
          << "input " << k << " of " << to_string(box) << ": read " << to_string(touched[k]) << ", inferred "
          << to_string(footprint[k]);
      if (tightness == Tightness::tight && !touched[k].empty()) {
        EXPECT_EQ(footprint[k], touched[k]) << "input " << k << " of " << to_string(box);
      }
    }
  }
}

}  // namespace tessera::test
