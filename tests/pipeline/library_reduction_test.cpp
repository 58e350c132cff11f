// SPDX-License-Identifier: BSD-3-Clause
// Reductions that take in whole boxes of several arrays with parameters, against plain loops.
#include <gtest/gtest.h>

#include <string>

#include "messages.hpp"
#include "pipeline/reduction_runs.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace {

using namespace tessera;
using test::Point;

/// The sum of the numbers of a picture, each times the weight of its row and a factor, and the number of
/// points. Stands for a library.
struct WeightedSum {
  using Element = std::int64_t;
  struct Value {
    std::int64_t sum = 0, points = 0;
  };
  /// A number of points that is refused.
  std::int64_t refused = -1;

  Box footprint(int input, const Box& box) const {
    if (input == 0) return box;
    return input == 1 ? Box{box[1]} : Box{{0, 1}};
  }
  std::int64_t value_bytes() const { return sizeof(Value); }
  void init(std::byte* value) const { *reinterpret_cast<Value*>(value) = {}; }
  void add(std::byte* value, const Box& box, const LibraryBlock<const std::int32_t>& picture,
           const LibraryBlock<const std::int32_t>& weights,
           const LibraryBlock<const std::int32_t>& factor) const {
    Value& to = *reinterpret_cast<Value*>(value);
    for (std::int64_t y = 0; y < box[1].size(); ++y)
      for (std::int64_t x = 0; x < box[0].size(); ++x, ++to.points)
        to.sum += std::int64_t{picture.data[x + y * picture.strides[1]]} * weights.data[y] * factor.data[0];
  }
  static void join(std::byte* into, const std::byte* other) {
    Value& to = *reinterpret_cast<Value*>(into);
    const Value& from = *reinterpret_cast<const Value*>(other);
    to.sum += from.sum;
    to.points += from.points;
  }
  void store(const std::byte* value, Element* result) const {
    const Value& from = *reinterpret_cast<const Value*>(value);
    if (from.points == refused) throw InputError(std::to_string(refused) + " points are refused");
    result[0] = from.sum;
    result[1] = from.points;
  }
  std::int64_t scratch_bytes(const Box& box) const { return 1000 * box[1].size(); }
};

struct Left {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y);
  }
};
/// The sum of a value and 1.
struct NextFactor {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord i) const {
    return in(i) + 1;
  }
};
struct FirstFactor {
  template <class Coord>
  KOKKOS_FUNCTION int operator()(Coord) const {
    return 2;
  }
};
struct LessPoints {
  template <class In, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sums& sums, Coord x, Coord y) const {
    return in(x, y) - cast<int>(sums(1));
  }
};

/// Random numbers, weights and boxes.
struct Sample {
  Box box, over;
  Pipeline pipeline;
  test::WholeArray<std::int32_t> image, weights, less;
  std::vector<std::int64_t> sums;

  explicit Sample(test::Random& random, std::int64_t refused = -1)
      : box(random.box(2, -4, 3, 30)), over(random.box_in(box)), image(box), weights(Box{box[1]}), less(box) {
    for (auto* array : {&image, &weights})
      for (std::int32_t& value : array->values) value = random.small(-1000, 1000);
    const auto in = pipeline.input<std::int32_t, 2>("in", box, Boundary::clamp);
    const auto rows = pipeline.input<std::int32_t, 1>("weights", Box{box[1]}, Boundary::clamp);
    const auto left = pipeline.stage<std::int32_t>("left", Left{}, in);
    const auto factor = pipeline.value<std::int32_t>("factor", NextFactor(),
                                                     pipeline.value<std::int32_t>("first", FirstFactor()));
    const auto sum = pipeline.library_reduction<2>("sums", WeightedSum{refused}, 2, over, left, rows, factor);
    pipeline.output(sum);
    pipeline.output(pipeline.stage<std::int32_t>("less", LessPoints{}, in, sum), box);
    sums = {0, over.size()};
    test::for_each_point(over, [&](const Point& p) {
      sums[0] += std::int64_t{image.clamped({{p[0] - 1, p[1], 0, 0}})} * weights.at({{p[1], 0, 0, 0}}) * 3;
    });
    for (std::size_t i = 0; i < less.values.size(); ++i)
      less.values[i] = image.values[i] - static_cast<std::int32_t>(over.size());
  }
};

/// The sources and sinks of a sample.
struct Found {
  test::ArraySource<std::int32_t> image, weights;
  test::ArraySink<std::int32_t> less;
  test::ArraySink<std::int64_t> sums{Box{{0, 2}}};

  explicit Found(const Sample& sample) : image(sample.image), weights(sample.weights), less(sample.box) {}
  Bindings bindings() {
    return {{{"in", &image}, {"weights", &weights}}, {{"less", &less}, {"sums", &sums}}};
  }
  void expect_results(const Sample& sample, const std::string& text) const {
    EXPECT_EQ(sums.array.values, sample.sums) << text;
  }
};

TEST(LibraryReduction, AnyScheduleGivesTheSameBits) {
  test::expect_results_by_any_schedule<Sample, Found>(test::Random(3331));
}

TEST(LibraryReduction, RanksJoinTheirValues) {
  test::expect_results_on_ranks<Sample, Found>(test::Random(3332));
}

TEST(LibraryReduction, AResultThatIsRefusedEndsTheRun) {
  test::Random random(3333), same(3333);
  const std::int64_t points = Sample(random).over.size();
  const Sample sample(same, points);
  for (const int ranks : {1, 3}) {
    Found found(sample);
    Rehearsal rehearsal(sample.pipeline, make_plans(sample.pipeline, {}, {}, ranks));
    EXPECT_EQ(test::message_of<InputError>([&] { rehearsal.run(found.bindings()); }),
              std::to_string(points) + " points are refused");
  }
}

TEST(LibraryReduction, PlansCountTheMemoryOfCalls) {
  test::Random random(3334);
  const Sample sample(random);
  Target target;
  target.device = false;
  const Plan plan = make_plan(sample.pipeline, {}, target, 1, 0);
  EXPECT_GT(plan.library_bytes, 0);
  EXPECT_LE(plan.library_bytes, 1000 * sample.over[1].size());
}

TEST(LibraryReduction, NeedsABoxOfItsDimensions) {
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("in", Box{{0, 4}, {0, 4}});
  const auto rows = pipeline.input<std::int32_t, 1>("rows", Box{{0, 4}});
  const auto message_of = [&](const Box& over) {
    return test::message_of<InternalError>(
        [&] { pipeline.library_reduction<2>("sums", WeightedSum(), 2, over, in, rows, rows); });
  };
  test::expect_message(message_of({}), {"'sums'", "know over", "give a box"});
  test::expect_message(message_of({{0, 4}}), {"'sums'", "array of 2", "dimensions is over"});
}

}  // namespace
