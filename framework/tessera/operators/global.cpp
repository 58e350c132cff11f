// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/global.hpp"

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::operators {
namespace {

using detail::NewStage, detail::add_stage, detail::typed, detail::with_image_type;

/// Adds a global reduction of the points of an image.
template <class T, class Reduction>
auto add_reduction(const NewStage& stage, const Image& image, const Reduction& reduction) {
  if (image.dimensions() == 2)
    return stage.pipeline.reduce(stage.name, reduction, image.as<T, 2>(), image.domain);
  return stage.pipeline.reduce(stage.name, reduction, image.as<T, 3>(), image.domain);
}

/// Returns an array of one dimension with `count` values as an image.
template <class T>
Image values_of(Array<T, 1> array, std::int64_t count) {
  return {array.id, element_type_of<T>(), {{0, count}}};
}

/// The number of different values that an element of T can have; 0 for floats.
template <class T>
constexpr int value_count = std::is_floating_point_v<T> ? 0 : static_cast<int>(detail::white<T>) + 1;

template <class T>
Array<std::uint64_t, 1> add_histogram(const NewStage& stage, const Image& image) {
  return add_reduction<T>(stage, image, Histogram<T, value_count<T>>{});
}

/// Calls use(std::type_identity<T>()) for an image of integers of T.
template <class Use>
auto with_integer_type(ElementType type, const Use& use) {
  if (type == ElementType::uint8) return use(std::type_identity<std::uint8_t>());
  return use(std::type_identity<std::uint16_t>());
}

/// The body of a column stage: the value that replaces each value, from the histogram.
template <class T>
struct EqualisedValues {
  template <class Line, class Counts, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const Counts& counts, Coord) const {
    auto total = counts.zero(), count_of_darkest = counts.zero();
    for (int value = 0; value < value_count<T>; ++value) {
      const auto count = counts(value);
      count_of_darkest = select(total == 0, count, count_of_darkest);
      total = total + count;
    }
    const auto rest = tessera::cast<double>(total - count_of_darkest);
    auto count_so_far = counts.zero();
    for (int value = 0; value < value_count<T>; ++value) {
      count_so_far = count_so_far + counts(value);
      const auto above = tessera::cast<double>(
          select(count_so_far > count_of_darkest, count_so_far - count_of_darkest, counts.zero()));
      const auto stretched = tessera::rounded<T>(above / max(rest, 1.0) * detail::white<T>);
      line(value) = tessera::cast<T>(select(rest == 0.0, T(value), stretched));
    }
  }
};
/// A stage body: each point is replaced by the element of `line` with its value as the index.
struct LookedUpInLine {
  template <class In, class Line, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Line& line, Coord x, Coord y, Coord c) const {
    const auto index = tessera::cast<int>(in(x, y, c));
    // A Lookup lets hosts look up all bytes of a row together.
    if constexpr (std::is_same_v<decltype(line(Coordinate(0), Coordinate(0))), const std::uint8_t&>)
      return Lookup<std::uint8_t, 256>{&line(Coordinate(0), Coordinate(0)), index};
    else
      return line(index, 0);
  }
};

/// The body of a value: the threshold that divides a histogram into two classes with the greatest variance
/// between them (N. Otsu, A threshold selection method from gray-level histograms, IEEE Transactions on
/// Systems, Man, and Cybernetics, 1979). The first of several thresholds is taken.
template <class T>
struct OtsuThreshold {
  template <class Counts, class Coord>
  KOKKOS_FUNCTION auto operator()(const Counts& counts, Coord) const {
    auto total = tessera::cast<double>(counts.zero()), sum = total;
    for (int value = 0; value < value_count<T>; ++value) {
      const auto count = tessera::cast<double>(counts(value));
      total = total + count;
      sum = sum + count * double(value);
    }
    auto below = tessera::cast<double>(counts.zero()), sum_below = below, greatest = below;
    auto threshold = tessera::cast<int>(below);
    for (int value = 0; value < value_count<T>; ++value) {
      const auto count = tessera::cast<double>(counts(value));
      below = below + count;
      sum_below = sum_below + count * double(value);
      const auto above = total - below;
      const auto distance = sum_below / max(below, 1.0) - (sum - sum_below) / max(above, 1.0);
      const auto variance = below * above * (distance * distance);
      threshold = select(variance > greatest, value, threshold);
      greatest = max(variance, greatest);
    }
    return tessera::cast<T>(threshold);
  }
};
/// A stage body: whether a point is above a threshold.
template <class T>
struct AboveValue {
  template <class In, class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Value& threshold, Coord x, Coord y, Coord c) const {
    return tessera::cast<T>(select(in(x, y, c) > threshold(0), T(detail::white<T>), T(0)));
  }
};

/// A stage body: each point, stretched from the range of the image to the range of T.
template <class T>
struct Stretched {
  template <class In, class Least, class Greatest, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Least& least, const Greatest& greatest, Coord x,
                                  Coord y, Coord c) const {
    const auto low = tessera::cast<float>(least(0)), range = tessera::cast<float>(greatest(0)) - low;
    const auto above = tessera::cast<float>(in(x, y, c)) - low;
    const auto divisor = select(range > 0.0f, range, 1.0f);
    return tessera::rounded<T>(above / divisor * static_cast<float>(detail::white<T>));
  }
};

/// A stage body: the absolute difference of two points, or its square.
struct AbsoluteDifference {
  bool squared;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    const auto difference =
        tessera::abs(tessera::cast<double>(a(x, y, c)) - tessera::cast<double>(b(x, y, c)));
    return select(squared, difference * difference, difference);
  }
};
/// The body of a value: the metric that the mean of the differences leads to, which is its root, or the peak
/// signal-to-noise ratio.
struct MetricFromMean {
  Metric metric;
  double white;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& mean, Coord) const {
    const auto value = mean(0);
    constexpr double decibels_per_e = 4.342944819032518;  // 10 / ln(10)
    const auto decibels = decibels_per_e * log(white * white / value);
    return select(metric == Metric::psnr, decibels, select(metric == Metric::root, sqrt(value), value));
  }
};

Image build_histogram(const Call<NoParameters>& p) {
  return with_integer_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return values_of(add_histogram<T>(p, p.images[0]), value_count<T>);
  });
}
template <template <class> class Reduction>
Image build_reduction(const Call<NoParameters>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return values_of(add_reduction<T>(p, p.images[0], Reduction<T>{}), 1);
  });
}
Image build_equalise(const Call<NoParameters>& p) {
  return with_integer_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const auto counts = add_histogram<T>(p + "_counts", p.images[0]);
    const auto values =
        p.pipeline.columns<T, 2, 0>(p.name + "_values", EqualisedValues<T>{}, value_count<T>, counts);
    return add_stage<T>(p, LookedUpInLine{}, p.images[0].domain, typed<T>(p.images[0]), values);
  });
}
Image build_otsu(const Call<NoParameters>& p) {
  return with_integer_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const auto counts = add_histogram<T>(p + "_counts", p.images[0]);
    const auto threshold = p.pipeline.value<T>(p.name + "_threshold", OtsuThreshold<T>{}, counts);
    return add_stage<T>(p, AboveValue<T>{}, p.images[0].domain, typed<T>(p.images[0]), threshold);
  });
}
Image build_stretch(const Call<NoParameters>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const auto least = add_reduction<T>(p + "_least", p.images[0], Minimum<T>{});
    const auto greatest = add_reduction<T>(p + "_greatest", p.images[0], Maximum<T>{});
    return add_stage<T>(p, Stretched<T>{}, p.images[0].domain, typed<T>(p.images[0]), least, greatest);
  });
}
Image build_distance(const Call<Distance>& p) {
  const bool squared = p.metric != Metric::mean_absolute && p.metric != Metric::greatest;
  const bool is_mean = p.metric != Metric::root && p.metric != Metric::psnr;
  double white = 0;
  const Image differences = with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    white = detail::white<T>;
    return add_stage<double>(p + "_differences", AbsoluteDifference{squared}, p.images[0].domain,
                             typed<T>(p.images[0]), typed<T>(p.images[1]));
  });
  if (p.metric == Metric::greatest)
    return values_of(add_reduction<double>(p, differences, Maximum<double>{}), 1);
  const auto mean = add_reduction<double>(p + (is_mean ? "" : "_mean"), differences, Mean<double>{});
  if (is_mean) return values_of(mean, 1);
  return values_of(p.pipeline.value<double>(p.name, MetricFromMean{p.metric, white}, mean), 1);
}

std::vector<TypeRule> integers_become(const std::string& result) {
  return {{ElementType::uint8, result}, {ElementType::uint16, result}};
}

}  // namespace

std::vector<Operator> detail::global_operators() {
  return {Entry<NoParameters>("histogram", "The number of points of each value, of all channels together.",
                              "{histogram: a}", build_histogram)
              .types(integers_become("a list of numbers of uint64, one for each value")),
          Entry<NoParameters>(
              "mean", "The mean of all points. The sum of float32 is exact, and rounded once to float32.",
              "{mean: a}", build_reduction<Mean>)
              .types(always(ElementType::float64)),
          Entry<NoParameters>(
              "least",
              "The least value of all points. NaN is ignored, and if all points are NaN, it is infinity.",
              "{least: a}", build_reduction<Minimum>),
          Entry<NoParameters>(
              "greatest",
              "The greatest value of all points. NaN is ignored, and if all points are NaN, it is minus "
              "infinity.",
              "{greatest: a}", build_reduction<Maximum>),
          Entry<NoParameters>(
              "equalise",
              "Equalises the histogram (reduction <name>_counts, stage <name>_values): the share of the "
              "points that are not brighter than a value, without the darkest value, is stretched to "
              "the range of the type, as in OpenCV. An image of one value stays as it is. Channels "
              "share one histogram.",
              "{equalise: a}", build_equalise)
              .types(same_integer_type()),
          Entry<NoParameters>("stretch",
                              "Stretches an image so that its least value (reduction <name>_least) becomes "
                              "0, and its greatest value (<name>_greatest) becomes the greatest value of the "
                              "type, 1 for float32. An image of one value becomes 0.",
                              "{stretch: a}", build_stretch),
          Entry<NoParameters>("otsu",
                              "Makes an image of two values: the greatest value of the type above Otsu's "
                              "threshold (value <name>_threshold, from the reduction <name>_counts), and 0 "
                              "elsewhere. The threshold of an image of one value is 0.",
                              "{otsu: a}", build_otsu)
              .types(same_integer_type()),
          Entry<Distance>("distance", "The distance of two images, as one number.",
                          "{distance: [a, b], metric: psnr}", build_distance)
              .inputs({"image", "other"}, 2)
              .types(always(ElementType::float64))
              .parameter("metric", &Distance::metric,
                         "The mean of the absolute or of the squared differences, the root of the mean of "
                         "squares, the greatest absolute difference, or the peak signal-to-noise ratio in "
                         "dB. The greatest difference ignores NaN; the other metrics become NaN.",
                         {.choices = {"mean_absolute", "mean_square", "root", "greatest", "psnr"}})};
}

}  // namespace tessera::operators
