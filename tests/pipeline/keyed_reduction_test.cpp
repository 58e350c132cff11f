// SPDX-License-Identifier: BSD-3-Clause
// Reductions of several arrays, and of points that have the same key, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "messages.hpp"
#include "pipeline/reduction_runs.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::expect_message;
using test::Point;

struct Left {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y);
  }
};
struct LessOne {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return cast<int>(in(x, y)) - 1;
  }
};
/// A mark, and the number in the row below.
struct MarkAndNumber {
  template <class Marks, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Marks& marks, const In& in, Coord x, Coord y) const {
    return pack(marks(x, y), in(x, y + 1));
  }
};
/// A number less the sum of its group, or of the nearest group if the point belongs to none.
struct LessSum {
  int count;
  template <class In, class Keys, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Keys& keys, const Sums& sums, Coord x, Coord y) const {
    return in(x, y) - sums(clamp(keys(x, y), 0, count - 1));
  }
};

/// The sum of products of a float and a byte, which are exact as doubles, and the first point.
struct SumOfProducts {
  struct Value {
    ExactSum<double> sum;
    std::int64_t least_x;
  };
  KOKKOS_FUNCTION void init(Value& value) const { value = {{}, 1000}; }
  KOKKOS_FUNCTION void add(Value& value, float number, std::uint8_t mark, const tessera::Point& at) const {
    value.sum.add(static_cast<double>(number) * mark);
    value.least_x = at[0] < value.least_x ? at[0] : value.least_x;
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value.sum.merge(other.sum);
    value.least_x = other.least_x < value.least_x ? other.least_x : value.least_x;
  }
  std::array<double, 2> result(const Value& value) const {
    return {value.sum.value(), static_cast<double>(value.least_x)};
  }
};

/// Numbers with 24 bits and exponents that differ by up to 20, whose sums are integers of 64 bits, and marks.
/// Some marks are beyond the groups, and some groups are empty.
struct Sample {
  Box box, over;
  int count;
  Pipeline pipeline;
  test::WholeArray<float> image, less;
  test::WholeArray<std::uint8_t> marks;
  std::vector<float> sums, below;
  std::vector<std::uint64_t> counts;
  std::vector<double> products, grouped, columns;

  explicit Sample(test::Random& random)
      : box(random.box(2, -4, 3, 30)),
        over(random.box_in(box)),
        count(random.small(1, 9)),
        image(box),
        less(box),
        marks(box) {
    for (float& value : image.values)
      value = static_cast<float>(random.between(-0xffffff, 0xffffff) << random.small(0, 20));
    for (std::uint8_t& mark : marks.values) mark = static_cast<std::uint8_t>(random.small(0, 7));
    declare();
    compute();
  }

  void declare() {
    const auto in = pipeline.input<float, 2>("in", box, Boundary::clamp);
    const auto mark = pipeline.input<std::uint8_t, 2>("marks", box, Boundary::clamp);
    const auto left = pipeline.stage<float>("left", Left{}, in);
    const auto keys = pipeline.stage<std::int32_t>("keys", LessOne{}, mark);
    const auto by_key = pipeline.reduce_by_key("sums", Sum<float>(), count, over, keys, left);
    pipeline.output(by_key);
    pipeline.output(pipeline.reduce_by_key("counts", Count<std::int32_t>(), count, over, keys));
    const auto [pair_mark, pair_number] = pipeline.stages<TypeList<std::uint8_t, float>>(
        {"pair_mark", "pair_number"}, MarkAndNumber{}, mark, in);
    pipeline.output(pipeline.reduce_by_key("below", Sum<float>(), count, over, pair_mark, pair_number));
    pipeline.output(pipeline.reduce("products", SumOfProducts(), over, in, mark));
    pipeline.output(pipeline.reduce_along<1>("columns", SumOfProducts(), over, in, mark));
    pipeline.output(pipeline.reduce_by_key("grouped", SumOfProducts(), count, over, keys, in, mark));
    pipeline.output(pipeline.stage<float>("less", LessSum{count}, left, keys, by_key), box);
  }

  /// The sum as an integer is exact, and is rounded once.
  struct Group {
    std::int64_t sum = 0, below = 0, product = 0, least_x = 1000;
    std::uint64_t count = 0;
  };

  void compute() {
    Group all;
    std::vector<Group> groups(static_cast<std::size_t>(count));
    std::vector<std::int64_t> in_columns(static_cast<std::size_t>(over[0].size()), 0);
    test::for_each_point(over, [&](const Point& p) {
      const auto number = static_cast<std::int64_t>(image.at(p)), product = number * marks.at(p);
      all.product += product;
      in_columns[static_cast<std::size_t>(p[0] - over[0].begin)] += product;
      all.least_x = std::min(all.least_x, p[0]);
      const int mark = marks.at(p);
      if (mark < count)
        groups[static_cast<std::size_t>(mark)].below +=
            static_cast<std::int64_t>(image.clamped({{p[0], p[1] + 1, 0, 0}}));
      if (mark < 1 || mark > count) return;
      Group& group = groups[static_cast<std::size_t>(mark - 1)];
      group.sum += static_cast<std::int64_t>(image.clamped({{p[0] - 1, p[1], 0, 0}}));
      group.product += product;
      group.least_x = std::min(group.least_x, p[0]);
      ++group.count;
    });
    products = {static_cast<double>(all.product), static_cast<double>(all.least_x)};
    for (std::size_t i = 0; i < in_columns.size(); ++i) {
      columns.push_back(static_cast<double>(in_columns[i]));
      columns.push_back(static_cast<double>(over[0].begin + static_cast<std::int64_t>(i)));
    }
    for (const Group& group : groups) {
      sums.push_back(static_cast<float>(group.sum));
      below.push_back(static_cast<float>(group.below));
      counts.push_back(group.count);
      grouped.push_back(static_cast<double>(group.product));
      grouped.push_back(static_cast<double>(group.least_x));
    }
    test::for_each_point(box, [&](const Point& p) {
      const int group = std::clamp(marks.at(p) - 1, 0, count - 1);
      less.at(p) = image.clamped({{p[0] - 1, p[1], 0, 0}}) - sums[static_cast<std::size_t>(group)];
    });
  }
};

/// The sources and sinks of a sample.
struct Found {
  test::ArraySource<float> image;
  test::ArraySource<std::uint8_t> marks;
  test::ArraySink<float> sums, below, less;
  test::ArraySink<std::uint64_t> counts;
  test::ArraySink<double> products, grouped, columns;

  explicit Found(const Sample& sample)
      : image(sample.image),
        marks(sample.marks),
        sums(Box{{0, sample.count}}),
        below(Box{{0, sample.count}}),
        less(sample.box),
        counts(Box{{0, sample.count}}),
        products(Box{{0, 2}}),
        grouped(Box{{0, 2 * sample.count}}),
        columns(Box{{0, 2 * sample.over[0].size()}}) {}
  Bindings bindings() {
    return {{{"in", &image}, {"marks", &marks}},
            {{"sums", &sums},
             {"below", &below},
             {"less", &less},
             {"counts", &counts},
             {"products", &products},
             {"grouped", &grouped},
             {"columns", &columns}}};
  }
  void expect_results(const Sample& sample, const std::string& text) const {
    EXPECT_EQ(sums.array.values, sample.sums) << text;
    EXPECT_EQ(below.array.values, sample.below) << text;
    EXPECT_EQ(counts.array.values, sample.counts) << text;
    EXPECT_EQ(products.array.values, sample.products) << text;
    EXPECT_EQ(grouped.array.values, sample.grouped) << text;
    EXPECT_EQ(columns.array.values, sample.columns) << text;
  }
};

TEST(KeyedReduction, AnyScheduleGivesTheSameBits) {
  test::expect_results_by_any_schedule<Sample, Found>(test::Random(2931));
}

TEST(KeyedReduction, RanksJoinTheirGroups) {
  test::expect_results_on_ranks<Sample, Found>(test::Random(2932));
}

/// The compute steps that contribute to a reduction, by the names of their stages, and whether the outputs of
/// each stage have no memory.
std::vector<std::pair<std::string, bool>> contributors(const Pipeline& pipeline,
                                                       const std::string& reduction) {
  Target target;
  target.device = false;
  const Plan plan = make_plan(pipeline, {}, target, 1, 0);
  std::vector<std::pair<std::string, bool>> found;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr) return;
    const bool has_no_memory = plan.stages[step->stage].written_buffer == no_buffer;
    for (const plan::Contribution& contribution : step->contributions)
      if (pipeline[contribution.stage].name == reduction)
        found.emplace_back(pipeline[step->stage].name, has_no_memory);
  });
  return found;
}

TEST(KeyedReduction, AStageContributesWhileItComputesItsOutputs) {
  test::Random random(2933);
  const Sample sample(random);
  using Found = std::vector<std::pair<std::string, bool>>;
  EXPECT_EQ(contributors(sample.pipeline, "below"), (Found{{"pair_mark", true}}));
  EXPECT_EQ(contributors(sample.pipeline, "counts"), (Found{{"keys", false}}));
  // The inputs of these are copied, tile by tile.
  EXPECT_EQ(contributors(sample.pipeline, "sums"), (Found{{"sums_inputs", true}}));
  EXPECT_EQ(contributors(sample.pipeline, "grouped"), (Found{{"grouped_inputs", true}}));
}

/// The kernels that devices run, on the calling thread.
TEST(KeyedReduction, KernelsForDevicesAddEachPointToItsGroup) {
  test::Random random(2934);
  for (int i = 0; i < 30; ++i) {
    const Sample sample(random);
    const auto in_box = [&](auto& values) {
      ArrayReference reference;
      const std::int64_t width = sample.box[0].size();
      reference.origin =
          reinterpret_cast<std::byte*>(values.data() - sample.box[0].begin - sample.box[1].begin * width);
      reference.strides[1] = width;
      return reference;
    };
    std::vector<float> numbers = sample.image.values;
    std::vector<std::uint8_t> marks = sample.marks.values;
    const ArrayReference keys = in_box(marks);
    const detail::ReducedArrays<2, float> arrays{{in_box(numbers)}};
    const detail::KeyGroups<std::uint8_t, 2> groups(sample.count);
    const int shares = random.small(1, 5);
    std::vector<ExactSum<float>> found(static_cast<std::size_t>(shares * sample.count));
    const auto kernel = groups.kernel<Sum<float>>(&keys, arrays, sample.over, shares, found.data());
    for (int index = 0; index < shares * sample.count; ++index) kernel(index);
    std::vector<ExactSum<float>> expected(static_cast<std::size_t>(sample.count));
    test::for_each_point(sample.over, [&](const Point& p) {
      if (sample.marks.at(p) < sample.count) expected[sample.marks.at(p)].add(sample.image.at(p));
    });
    const int left = random.small(1, shares);
    for (int index = 0; index < left * sample.count; ++index)
      detail::JoinShares<Sum<float>>{found.data(), shares * sample.count, left * sample.count}(index);
    for (int group = 0; group < sample.count; ++group) {
      ExactSum<float> total;
      for (int share = 0; share < left; ++share)
        total.merge(found[static_cast<std::size_t>(share * sample.count + group)]);
      EXPECT_EQ(total.value(), expected[static_cast<std::size_t>(group)].value()) << group;
    }
  }
}

TEST(KeyedReduction, NeedsGroupsAndABox) {
  Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", Box{{0, 4}, {0, 4}}, Boundary::clamp);
  const auto marks = pipeline.input<std::uint8_t, 2>("marks", Box{{0, 4}, {0, 4}}, Boundary::clamp);
  const auto keys = pipeline.stage<std::int32_t>("keys", LessOne{}, marks);
  const auto message_of = [](const auto& declare) {
    return test::message_of<InternalError>([&] { declare(); });
  };
  expect_message(message_of([&] {
                   pipeline.reduce_by_key("a", Sum<float>(), 0, Box{{0, 4}, {0, 4}}, keys, in);
                 }),
                 {"reduction", "'a'", "0 groups"});
  expect_message(message_of([&] { pipeline.reduce_by_key("b", Sum<float>(), 3, Box{}, keys, in); }),
                 {"'b'", "know over", "give a box"});
  expect_message(message_of([&] {
                   pipeline.reduce("c", SumOfProducts(), Box{{0, 4}}, in, marks);
                 }),
                 {"'c'", "array of 2", "dimensions is over"});
  expect_message(message_of([&] {
                   pipeline.reduce_by_key("d", Sum<float>(), 1 << 30, Box{{0, 4}, {0, 4}}, keys, in);
                 }),
                 {"'d'", "partial values", "reduce fewer"});
}

}  // namespace
