// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/colour.hpp"

#include "tessera/domain/text.hpp"
#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/pipeline/body/table.hpp"

namespace tessera::operators {
namespace {

using detail::NewStage, detail::add_stage, detail::typed, detail::with_image_type;

/// The greatest number of channels that colour_matrix takes and makes.
constexpr int most_channels = 4;

/// A stage body: one channel.
struct OneChannel {
  int index;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord) const {
    return in(x, y, index);
  }
};

/// A stage body: the points of three images.
struct Merged {
  template <class A, class B, class C, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, const C& c, Coord x, Coord y) const {
    return pack(a(x, y), b(x, y), c(x, y));
  }
};

/// The weights of sums of channels. Column `most_channels` has the number that is added to the sum.
using ChannelWeights = Table<float, most_channels + 1, most_channels>;

/// A stage body: the weighted sum of channels.
template <class T>
struct WeightedChannels {
  int channels;
  ChannelWeights weights;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto term = [&](int m) { return weights(m, c) * tessera::cast<float>(in(x, y, m)); };
    auto sum = weights(most_channels, c) + term(0);
    for (int m = 1; m < channels; ++m) sum = sum + term(m);
    return tessera::rounded<T>(sum);
  }
};

/// Returns the sum of three channels with the weights of a row, as an element of T.
template <class T, class In, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto sum_of_three(const ChannelWeights& weights, int row, const In& in, Coord x,
                                              Coord y) {
  const auto term = [&](int m) { return weights(m, row) * tessera::cast<float>(in(x, y, m)); };
  return tessera::rounded<T>(weights(most_channels, row) + term(0) + term(1) + term(2));
}
/// A stage body: a weighted sum of three channels, which compilers vectorise.
template <class T>
struct OneSumOfThree {
  ChannelWeights weights;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord) const {
    return sum_of_three<T>(weights, 0, in, x, y);
  }
};
/// A stage body: three weighted sums of three channels, which are read once.
template <class T>
struct ThreeSumsOfThree {
  ChannelWeights weights;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(sum_of_three<T>(weights, 0, in, x, y), sum_of_three<T>(weights, 1, in, x, y),
                sum_of_three<T>(weights, 2, in, x, y));
  }
};

/// A stage body: the coordinates L*, a* and b* of a point of sRGB.
struct LabOfPoint {
  /// The reciprocal of the greatest value of the image.
  float unit;

  /// Returns the linear share of a value of sRGB (IEC 61966-2-1).
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto linear(const V& value) const {
    const auto share = tessera::cast<float>(value) * unit;
    return detail::either(share > 0.04045f, detail::power((share + 0.055f) * (1 / 1.055f), 2.4f),
                          share * (1 / 12.92f));
  }
  /// Returns the cube root, which is replaced by a line near 0 (CIE 1976).
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static auto root(const V& value) {
    return detail::either(value > 0.008856452f, detail::cube_root(value), value * 7.787037f + 16.0f / 116);
  }
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto r = linear(in(x, y, 0)), g = linear(in(x, y, 1)), b = linear(in(x, y, 2));
    // The weights turn linear values into X, Y and Z (ITU-R BT.709), which are divided by those of the white
    // point.
    const auto fx = root((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) * (1 / 0.95047f));
    const auto fy = root(0.2126729f * r + 0.7151522f * g + 0.0721750f * b);
    const auto fz = root((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) * (1 / 1.08883f));
    return pack(116.0f * fy - 16.0f, 500.0f * (fx - fy), 200.0f * (fy - fz));
  }
};

/// Throws OperandError unless `image`, the first operand, has three channels.
void check_colour(const NewStage& stage, const Image& image) {
  if (image.channels() != 3)
    throw OperandError("'" + stage.pipeline[image.id].name + "' has " + counted(image.channels(), "channel") +
                           ": the operator takes images of red, green and blue",
                       0);
}

Image build_channel(const Call<Channel>& p) {
  const Image& image = p.images[0];
  if (p.index >= image.channels())
    throw ParameterError("index is " + std::to_string(p.index) + ", but the image has " +
                             counted(image.channels(), "channel") + ", counted from 0",
                         "index");
  const int first = image.dimensions() == 3 ? static_cast<int>(image.domain[2].begin) : 0;
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, OneChannel{first + p.index}, {image.domain[0], image.domain[1]}, typed<T>(image));
  });
}

Image build_merge(const Call<NoParameters>& p) {
  if (p.images[0].dimensions() != 2)
    throw OperandError("'" + p.pipeline[p.images[0].id].name + "' has channels: merge takes images of (x, y)",
                       0);
  const Box domain{p.images[0].domain[0], p.images[0].domain[1], {0, 3}};
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const auto plane = [&](std::size_t i) { return p.images[i].as<T, 2>(); };
    const auto merged = p.pipeline.planes<T, 3, 3>(p.name, Merged{}, plane(0), plane(1), plane(2));
    return image_of(p.pipeline, merged, domain);
  });
}

/// The value that stands for no chroma in an image of T.
template <class T>
constexpr double middle = std::is_floating_point_v<T> ? 0.5 : (detail::white<T> + 1) / 2;

/// Adds sums of channels. `chroma` tells whether the numbers that are added are multiples of the value that
/// stands for no chroma.
Image add_matrix(const NewStage& stage, const Image& image, const Matrix& matrix, bool chroma) {
  const auto channels = static_cast<std::size_t>(image.channels());
  std::array<float, most_channels*(most_channels + 1)> weights{};
  Box domain = image.domain;
  if (matrix.size() == 1)
    domain = {domain[0], domain[1]};
  else
    domain = {domain[0], domain[1], {0, static_cast<std::int64_t>(matrix.size())}};
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t row = 0; row < matrix.size(); ++row) {
      const std::size_t begin = row * (most_channels + 1);
      for (std::size_t m = 0; m < channels; ++m) weights[begin + m] = static_cast<float>(matrix[row][m]);
      if (matrix[row].size() > channels)
        weights[begin + most_channels] =
            static_cast<float>(matrix[row][channels] * (chroma ? middle<T> : 1.0));
    }
    const ChannelWeights table(weights);
    const bool has_three = channels == 3 && image.domain[2].begin == 0;
    if (has_three && matrix.size() == 1)
      return add_stage<T>(stage, OneSumOfThree<T>{table}, domain, typed<T>(image));
    if (has_three && matrix.size() == 3)
      return image_of(
          stage.pipeline,
          stage.pipeline.planes<T, 3, 3>(stage.name, ThreeSumsOfThree<T>{table}, image.as<T, 3>()), domain);
    return add_stage<T>(stage, WeightedChannels<T>{static_cast<int>(channels), table}, domain,
                        typed<T>(image));
  });
}

Image build_matrix(const Call<ColourMatrix>& p) {
  const auto channels = static_cast<std::size_t>(p.images[0].channels());
  if (channels > most_channels) throw OperandError("the image has more than 4 channels", 0);
  if (p.matrix.size() > most_channels) throw ParameterError("matrix has more than 4 rows", "matrix");
  for (const auto& row : p.matrix)
    if (row.size() != channels && row.size() != channels + 1)
      throw ParameterError("matrix has a row of " + std::to_string(row.size()) + " numbers: the image has " +
                               counted(p.images[0].channels(), "channel") +
                               ", and each row as many weights, or one more",
                           "matrix");
  return add_matrix(p, p.images[0], p.matrix, false);
}

/// Returns the function of an operator that computes sums of channels with these weights.
detail::Entry<NoParameters>::Build build_sums(const Matrix& matrix) {
  return [matrix](const Call<NoParameters>& p) {
    check_colour(p, p.images[0]);
    return add_matrix(p, p.images[0], matrix, true);
  };
}

Image build_lab(const Call<NoParameters>& p) {
  check_colour(p, p.images[0]);
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const auto lab = p.pipeline.planes<float, 3, 3>(
        p.name, LabOfPoint{static_cast<float>(1 / detail::white<T>)}, p.images[0].as<T, 3>());
    return image_of(p.pipeline, lab, {p.images[0].domain[0], p.images[0].domain[1], {0, 3}});
  });
}

}  // namespace

std::vector<Operator> detail::colour_operators() {
  return {
      Entry<Channel>("channel", "One channel of an image, as an image of (x, y).", "{channel: a, index: 1}",
                     build_channel)
          .parameter("index", &Channel::index, "The number of the channel, counted from 0.",
                     {.least = 0, .greatest = 1 << 20}),
      Entry<NoParameters>("merge", "An image of (x, y, channel) whose channels are three images of (x, y).",
                          "{merge: [red, green, blue]}", build_merge)
          .inputs({"first", "second", "third"}, 3),
      Entry<ColourMatrix>(
          "colour_matrix",
          "Makes each channel of the result a weighted sum of the channels of the image. A matrix of one row "
          "makes an image of (x, y). There are at most 4 channels.",
          "{colour_matrix: a, matrix: [[0.2, 0.7, 0.1]]}", build_matrix)
          .parameter("matrix", &ColourMatrix::matrix,
                     "A row for each channel of the result, with a weight for each channel of the "
                     "image, and possibly a number that is added.",
                     {.required = true}),
      Entry<NoParameters>(
          "grey",
          "The grey image of an image in colour, as an image of (x, y): 0.299 red + 0.587 green + "
          "0.114 blue, as in OpenCV; scikit-image has other weights.",
          "{grey: a}", build_sums({{0.299, 0.587, 0.114}})),
      Entry<NoParameters>(
          "ycbcr",
          "Luma and chroma of an image in colour, with the full range of the type, as in JPEG "
          "files. OpenCV's YCrCb has Cr before Cb, and weights of chroma with three digits.",
          "{ycbcr: a}",
          build_sums({{0.299, 0.587, 0.114, 0},
                      {-0.168735892, -0.331264108, 0.5, 1},
                      {0.5, -0.418687589, -0.081312411, 1}})),
      Entry<NoParameters>("from_ycbcr",
                          "The image in colour that has the luma and chroma of an image (see ycbcr).",
                          "{from_ycbcr: a}",
                          build_sums({{1, 0, 1.402, -1.402},
                                      {1, -0.344136286, -0.714136286, 0.344136286 + 0.714136286},
                                      {1, 1.772, 0, -1.772}})),
      Entry<NoParameters>(
          "lab",
          "The lightness L* and the coordinates a* and b* of an image in colour (CIE 1976, white point D65), "
          "from colours of sRGB, as scikit-image's rgb2lab, whose weights have six digits. OpenCV's Lab of "
          "uint8 is scaled to bytes.",
          "{lab: a}", build_lab)
          .types(always(ElementType::float32))};
}

}  // namespace tessera::operators
