// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/global.hpp"

#include <algorithm>

#include "operators/operator_run.hpp"

namespace tessera::test {
namespace {

template <class T>
std::vector<double> counts_of(const WholeArray<T>& a) {
  std::vector<double> counts(static_cast<std::size_t>(white_of<T>()) + 1);
  for (const T value : a.values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

/// Calls test(std::type_identity<T>(), box) for all integer types and boxes. There are fewer boxes for
/// uint16, whose histograms are large.
template <class Test>
void for_integers(const Test& test) {
  for (const Box& box : operator_boxes()) test(std::type_identity<std::uint8_t>(), box);
  test(std::type_identity<std::uint16_t>(), Box{{0, 1}, {0, 1}});
  test(std::type_identity<std::uint16_t>(), Box{{0, 19}, {0, 11}, {0, 3}});
}

/// Makes the numbers of a list the points of an image of float, so that the runs of operators serve.
struct AsFloat {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord) const {
    return cast<float>(in(x));
  }
};

template <class Out, class In>
void expect_numbers(Random& random, const std::string& name, const operators::ParameterValues& values,
                    const std::vector<WholeArray<In>>& inputs, const std::vector<double>& expected,
                    double tolerance) {
  Pipeline pipeline;
  std::vector<operators::Image> images;
  std::vector<std::string> names;
  for (const WholeArray<In>& input : inputs) {
    names.push_back("input" + std::to_string(names.size()));
    images.push_back(input.box.dimensions == 2
                         ? operators::image_of(pipeline, pipeline.input<In, 2>(names.back(), input.box))
                         : operators::image_of(pipeline, pipeline.input<In, 3>(names.back(), input.box)));
  }
  const auto result = operators::find_operator(name).apply(pipeline, images, values, "result");
  ASSERT_EQ(result.type, element_type_of<Out>());
  const Box line{{0, static_cast<std::int64_t>(expected.size())}, {0, 1}};
  ASSERT_EQ(result.domain, Box{line[0]});
  const auto shown = pipeline.stage<float, 2>("shown", AsFloat{}, Array<Out, 1>{result.id});
  const auto output = operators::image_of(pipeline, shown, line);
  operators::output(pipeline, output);
  for (const Scheduling run : {Scheduling::plain, Scheduling::random}) {
    const OperatorRun<In, float> made(random, pipeline, names, inputs, output, run);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(made.result.values[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << name << " " << i;
  }
}

TEST(GlobalOperators, Numbers) {
  Random random(1);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box), b = random_pixels<T>(random, box);
    const auto n = static_cast<double>(box.size());
    double sum = 0, absolute = 0, square = 0, most = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      const double difference = std::abs(double(a.values[i]) - double(b.values[i]));
      sum += static_cast<double>(a.values[i]);
      absolute += difference;
      square += difference * difference;
      most = std::max(most, difference);
    }
    expect_numbers<double>(random, "mean", {}, std::vector{a}, {sum / n}, 1e-6);
    expect_numbers<T>(random, "least", {}, std::vector{a},
                      {double(*std::min_element(a.values.begin(), a.values.end()))}, 0);
    expect_numbers<T>(random, "greatest", {}, std::vector{a},
                      {double(*std::max_element(a.values.begin(), a.values.end()))}, 0);
    const auto expect = [&](const std::string& metric, double expected) {
      expect_numbers<double>(random, "distance", {{"metric", metric}}, std::vector{a, b}, {expected}, 1e-6);
    };
    expect("mean_absolute", absolute / n);
    expect("mean_square", square / n);
    expect("root", std::sqrt(square / n));
    expect("greatest", most);
    if (square > 0) expect("psnr", 10 * std::log10(white_of<T>() * white_of<T>() / (square / n)));
  });
}

TEST(GlobalOperators, Histogram) {
  Random random(2);
  for_integers([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    expect_numbers<std::uint64_t>(random, "histogram", {}, std::vector{a}, counts_of(a), 0);
  });
}

TEST(GlobalOperators, Equalise) {
  Random random(3);
  for_integers([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const auto counts = counts_of(a);
    const double darkest =
        *std::find_if(counts.begin(), counts.end(), [](double count) { return count > 0; });
    const double rest = static_cast<double>(box.size()) - darkest;
    std::vector<T> values;
    double so_far = 0;
    for (const double count : counts) {
      so_far += count;
      values.push_back(rest == 0 ? static_cast<T>(values.size())
                                 : stored<T>(std::max(0.0, so_far - darkest) / rest * white_of<T>()));
    }
    expect_operator<T, T>(random, "equalise", {}, {a},
                          computed<T>(box, [&](const Point& p) { return values[a.at(p)]; }));
  });
}

TEST(GlobalOperators, Otsu) {
  Random random(4);
  for_integers([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    // Only thresholds that are values of the image divide it in new ways.
    double best = 0;
    T threshold = 0;
    std::vector<T> candidates = a.values;
    std::sort(candidates.begin(), candidates.end());
    for (const T candidate : candidates) {
      double n0 = 0, n1 = 0, s0 = 0, s1 = 0;
      for (const T value : a.values)
        (value > candidate ? n1 : n0) += 1, (value > candidate ? s1 : s0) += value;
      if (n1 == 0) continue;
      const double between = n0 * n1 * (s0 / n0 - s1 / n1) * (s0 / n0 - s1 / n1);
      if (between > best * (1 + 1e-12)) best = between, threshold = candidate;
    }
    // Nothing divides an image of one value, and the threshold stays 0.
    const bool one_value = best == 0;
    expect_operator<T, T>(random, "otsu", {}, {a}, computed<T>(box, [&](const Point& p) {
                            return a.at(p) > (one_value ? T(0) : threshold) ? white_of<T>() : 0;
                          }));
  });
}

TEST(GlobalOperators, Stretch) {
  Random random(5);
  for_all_images([&]<class T>(std::type_identity<T>, const Box& box) {
    const auto a = random_pixels<T>(random, box);
    const double low = double(*std::min_element(a.values.begin(), a.values.end()));
    const double high = double(*std::max_element(a.values.begin(), a.values.end()));
    expect_near<T, T>(
        random, "stretch", {}, {a},
        computed<double>(
            box,
            [&](const Point& p) { return high == low ? 0 : (a.at(p) - low) / (high - low) * white_of<T>(); }),
        float_error<T>());
  });
}

}  // namespace
}  // namespace tessera::test
