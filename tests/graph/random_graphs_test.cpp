// SPDX-License-Identifier: BSD-3-Clause
// Graphs of random shapes give what a plain recursion gives, in whatever order their bodies run.
#include "random_graphs.hpp"

#include <gtest/gtest.h>

namespace tessera::graph_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

constexpr int shapes = 50;

Shape shape_of(int number) {
  std::mt19937_64 random(static_cast<Number>(number) + 1);
  return random_shape(random, 1 + number % 3, true);
}

TEST(RandomGraphs, RehearsalsGiveTheSameBits) {
  constexpr int items = 10, seeds = is_sanitized ? 20 : 200;
  for (int number = 0; number < shapes; ++number) {
    const Shape shape = shape_of(number);
    const std::vector<Number> expected = plain_results(shape, items);
    ShapedGraph shaped(shape, items);
    for (int seed = 0; seed < seeds; ++seed) {
      shaped.graph().configure({.window = 1 + (number + seed) % 6});
      shaped.graph().rehearse(static_cast<std::uint64_t>(seed));
      ASSERT_EQ(shaped.take_results(), expected) << "shape " << number << ", seed " << seed;
    }
  }
}

TEST(RandomGraphs, WorkersGiveTheSameBits) {
  const int items = is_sanitized ? 100 : 500;
  for (int number = 0; number < shapes; ++number) {
    const Shape shape = shape_of(number);
    const std::vector<Number> expected = plain_results(shape, items);
    for (const int workers : {1, 2, 4}) {
      ShapedGraph shaped(shape, items);
      shaped.graph().configure({.window = 1 + (number * workers) % 13});
      shaped.graph().run({.workers = workers}).wait();
      ASSERT_EQ(shaped.take_results(), expected) << "shape " << number << ", " << workers << " workers";
    }
  }
}

TEST(RandomGraphs, AMillionItemsPassThroughTinyPools) {
  constexpr int graphs = 20;
  const int items = is_sanitized ? 500 : 1000000 / graphs;
  for (int number = 0; number < graphs; ++number) {
    std::mt19937_64 random(static_cast<Number>(number) + 1000);
    const Shape shape = random_shape(random, 1 + number % 2, true);
    ShapedGraph shaped(shape, items);
    shaped.graph().run({.workers = 4}).wait();
    ASSERT_EQ(shaped.take_results(), plain_results(shape, items)) << "shape " << number;
  }
}

}  // namespace
}  // namespace tessera::graph_test
