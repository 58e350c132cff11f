// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/geometry.hpp"

#include <algorithm>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/detail/resampling.hpp"

namespace tessera::operators {
namespace detail {

Resampling Resampling::of(Range from, int to, Interpolation method) {
  Resampling made{static_cast<int>(from.begin), static_cast<int>(from.size()), to, method, 1};
  if (method == Interpolation::linear) made.taps = 2;
  if (method == Interpolation::cubic) made.taps = 4;
  if (method == Interpolation::area) made.taps = (made.source + to - 1) / to + 1;
  return made;
}

}  // namespace detail

namespace {

using detail::NewStage, detail::add_plane_stage, detail::add_stage, detail::typed, detail::with_border,
    detail::with_extents, detail::with_image_type;

/// Returns a coordinate plus `by`, or `by` minus the coordinate if the image is mirrored.
template <bool mirrors, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto moved(Coord coordinate, int by) {
  if constexpr (mirrors)
    return by - coordinate;
  else
    return coordinate + by;
}
/// A stage body: a point of a moved or mirrored image.
template <bool mirrors_x, bool mirrors_y>
struct Moved {
  int x;
  int y;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(moved<mirrors_x>(column, x), moved<mirrors_y>(row, y), c);
  }
};
/// A stage body: a point of an image that is turned by a quarter.
template <bool clockwise>
struct Turned {
  static constexpr bool transposes = true;
  int x;
  int y;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(moved<!clockwise>(row, x), moved<clockwise>(column, y), c);
  }
};

/// Adds a stage whose body copies points of an image to other places.
template <class Body>
Image add_moved(const NewStage& stage, const Body& body, const Image& image, const Box& domain) {
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(stage, body, domain, typed<T>(image));
  });
}

int begin_of(const Image& image, int d) { return static_cast<int>(image.domain[d].begin); }
int last_of(const Image& image, int d) { return static_cast<int>(image.domain[d].end) - 1; }

/// Returns a shift of at most `extent` points with the same result as `by`. There is one, because the values
/// beyond a border repeat, or stay the same.
int folded_shift(int by, std::int64_t extent, Boundary border) {
  if (border == Boundary::clamp || border == Boundary::constant)
    return static_cast<int>(std::clamp<std::int64_t>(by, -extent, extent));
  const std::int64_t period = border == Boundary::periodic ? extent
                              : border == Boundary::mirror ? 2 * extent
                                                           : std::max<std::int64_t>(2 * extent - 2, 1);
  const std::int64_t rest = by % period;
  return static_cast<int>(rest > extent ? rest - period : rest < -extent ? rest + period : rest);
}

Image build_shift(const Call<Shift>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  return add_moved(p,
                   Moved<false, false>{-folded_shift(p.by[0], image.domain[0].size(), p.border),
                                       -folded_shift(p.by[1], image.domain[1].size(), p.border)},
                   image, image.domain);
}

Image build_flip(const Call<Flip>& p) {
  const Image& image = p.images[0];
  const int columns = begin_of(image, 0) + last_of(image, 0), rows = begin_of(image, 1) + last_of(image, 1);
  if (p.direction == Direction::horizontal)
    return add_moved(p, Moved<true, false>{columns, 0}, image, image.domain);
  if (p.direction == Direction::vertical)
    return add_moved(p, Moved<false, true>{0, rows}, image, image.domain);
  return add_moved(p, Moved<true, true>{columns, rows}, image, image.domain);
}

Image build_rotate(const Call<Rotate>& p) {
  const Image& image = p.images[0];
  const std::int64_t width = image.domain[0].size(), height = image.domain[1].size();
  if (p.quarters == 2)
    return add_moved(p, Moved<true, true>{last_of(image, 0), last_of(image, 1)}, image,
                     with_extents(image, width, height));
  const Box domain = with_extents(image, height, width);
  if (p.quarters == 1)
    return add_moved(p, Turned<true>{begin_of(image, 0), last_of(image, 1)}, image, domain);
  return add_moved(p, Turned<false>{last_of(image, 0), begin_of(image, 1)}, image, domain);
}

Image build_crop(const Call<Crop>& p) {
  const Image& image = p.images[0];
  for (int d = 0; d < 2; ++d) {
    if (p.offset[d] + std::int64_t{p.size[d]} > image.domain[d].size())
      throw ParameterError("size is " + std::to_string(p.size[0]) + " x " + std::to_string(p.size[1]) +
                               " from (" + std::to_string(p.offset[0]) + ", " + std::to_string(p.offset[1]) +
                               ") on, but the image has " + extents_text(image) + " points",
                           "size");
  }
  return add_moved(p, Moved<false, false>{begin_of(image, 0) + p.offset[0], begin_of(image, 1) + p.offset[1]},
                   image, with_extents(image, p.size[0], p.size[1]));
}

Image build_pad(const Call<Pad>& p) {
  const Image image = with_border(p, p.images[0], p.border, p.value);
  const std::int64_t width = image.domain[0].size() + p.columns[0] + p.columns[1];
  const std::int64_t height = image.domain[1].size() + p.rows[0] + p.rows[1];
  return add_moved(p, Moved<false, false>{begin_of(image, 0) - p.columns[0], begin_of(image, 1) - p.rows[0]},
                   image, with_extents(image, width, height));
}

/// The sum of the elements at(-2) to at(2) with the weights 1 4 6 4 1.
template <class At>
KOKKOS_FORCEINLINE_FUNCTION auto binomial(const At& at) {
  return at(-2) + at(2) + 4 * (at(-1) + at(1)) + 6 * at(0);
}

/// The type of sums of 16 elements of T.
template <class T>
using Sum16 = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::uint16_t,
                                 std::conditional_t<std::is_same_v<T, std::uint16_t>, std::int32_t, float>>;

/// Returns a sum whose weights add up to `1 << bits` as an element of T.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION auto from_sum(const V& sum, int bits) {
  if constexpr (std::is_floating_point_v<T>)
    return sum * (1.0f / static_cast<float>(1 << bits));
  else
    return tessera::cast<T>((sum + (1 << (bits - 1))) >> bits);
}

/// A stage body: every second point along x, smoothed.
template <class T>
struct DownAlongX {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int i) { return tessera::cast<Sum16<T>>(in(2 * x + i, y, c)); };
    return tessera::cast<Sum16<T>>(binomial(at));
  }
};
/// A stage body: every second point along y, smoothed.
template <class T>
struct DownAlongY {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return from_sum<T>(binomial([&](int j) { return in(x, 2 * y + j, c); }), 8);
  }
};

/// A stage body: the points 2 * x and 2 * x + 1 of an image that is twice as wide.
template <class T>
struct UpAlongX {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int i) { return tessera::cast<Sum16<T>>(in(x + i, y, c)); };
    return pack(tessera::cast<Sum16<T>>(at(-1) + 6 * at(0) + at(1)),
                tessera::cast<Sum16<T>>(4 * (at(0) + at(1))));
  }
};
/// A stage body: the points of an image that is twice as high.
template <class T>
struct UpAlongY {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int j) { return in(x, y / 2 + j, c); };
    const auto even = at(-1) + 6 * at(0) + at(1);
    const auto odd = 4 * (at(0) + at(1));
    return from_sum<T>(select(y % 2 == 0, even, odd), 6);
  }
};

/// A stage body: the means of squares of 2 x 2 points. The first square begins at (left, top).
template <class T>
struct MeansOfSquares {
  int left;
  int top;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int i, int j) {
      return tessera::cast<Sum16<T>>(in(2 * x + left + i, 2 * y + top + j, c));
    };
    return from_sum<T>((at(0, 0) + at(1, 0)) + (at(0, 1) + at(1, 1)), 2);
  }
};

/// Adds a stage that halves an image: each point is the mean of four, which both the linear method and that
/// of areas give.
Image add_halved(const Call<Resize>& p) {
  const Image& image = p.images[0];
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(
        p,
        MeansOfSquares<T>{static_cast<int>(image.domain[0].begin), static_cast<int>(image.domain[1].begin)},
        with_extents(image, p.size[0], p.size[1]), typed<T>(image));
  });
}

Image build_resize(const Call<Resize>& p) {
  const Image& image = p.images[0];
  const detail::ResampledAlongX along_x{detail::Resampling::of(image.domain[0], p.size[0], p.method)};
  const auto along_y = detail::Resampling::of(image.domain[1], p.size[1], p.method);
  if ((p.method == Interpolation::linear || p.method == Interpolation::area) &&
      image.domain[0].size() == 2 * std::int64_t{p.size[0]} &&
      image.domain[1].size() == 2 * std::int64_t{p.size[1]})
    return add_halved(p);
  Box wide = image.domain;
  wide[0] = {0, p.size[0]};
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    if (p.method == Interpolation::nearest)
      return add_plane_stage<T, T>(p, detail::NearestPoints<T>{along_x.resampling, along_y}, image,
                                   with_extents(image, p.size[0], p.size[1]));
    const Image rows = add_plane_stage<float, T>(p + "_x", along_x, image, wide);
    return add_plane_stage<T, float>(p, detail::ResampledAlongY<T>{along_y}, rows,
                                     with_extents(image, p.size[0], p.size[1]));
  });
}

/// Throws OperandError unless the image begins at (0, 0).
void check_origin(const Image& image) {
  if (image.domain[0].begin != 0 || image.domain[1].begin != 0)
    throw OperandError("the image has the points " + to_string(image.domain) +
                           ", but the first point of a level of a pyramid must be (0, 0): use 'crop' first",
                       0);
}

Image build_pyramid_down(const Call<Pyramid>& p) {
  check_origin(p.images[0]);
  const Image image = with_border(p, p.images[0], p.border);
  const std::int64_t width = (image.domain[0].size() + 1) / 2, height = (image.domain[1].size() + 1) / 2;
  Box narrow = image.domain;
  narrow[0] = {0, width};
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    const Image rows = add_stage<Sum16<T>>(p + "_x", DownAlongX<T>{}, narrow, typed<T>(image));
    return add_stage<T>(p, DownAlongY<T>{}, with_extents(image, width, height), typed<Sum16<T>>(rows));
  });
}

Image build_pyramid_up(const Call<Pyramid>& p) {
  check_origin(p.images[0]);
  const Image image = with_border(p, p.images[0], p.border);
  const std::int64_t width = 2 * image.domain[0].size(), height = 2 * image.domain[1].size();
  Box wide = image.domain;
  wide[0] = {0, width};
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    const Image rows = add_stage<Sum16<T>, 2>(p + "_x", UpAlongX<T>{}, wide, typed<T>(image));
    return add_stage<T>(p, UpAlongY<T>{}, with_extents(image, width, height), typed<Sum16<T>>(rows));
  });
}

}  // namespace

std::vector<Operator> detail::geometry_operators() {
  return {
      Entry<Shift>("shift", "Moves an image. Its extents stay.", "{shift: a, by: [10, -5]}", build_shift)
          .parameter("by", &Shift::by, "How far the image moves along x and y.",
                     {.unit = "pixels", .least = -(1 << 26), .greatest = 1 << 26, .required = true})
          .border("The values that come in from beyond the borders."),
      Entry<Flip>("flip", "Mirrors an image.", "{flip: a, direction: vertical}", build_flip)
          .parameter("direction", &Flip::direction,
                     "Whether left and right are exchanged, or top and bottom, or both.",
                     {.choices = {"horizontal", "vertical", "both"}}),
      Entry<Rotate>("rotate", "Rotates by quarter turns, clockwise where y points down.", "{rotate: a}",
                    build_rotate)
          .parameter("quarters", &Rotate::quarters, "The number of quarter turns.",
                     {.least = 1, .greatest = 3}),
      Entry<Crop>("crop", "Keeps a part of an image.", "{crop: a, offset: [100, 50], size: [640, 480]}",
                  build_crop)
          .parameter("offset", &Crop::offset, "The first column and row that are kept, counted from 0.",
                     {.unit = "pixels", .least = 0, .greatest = 1 << 30})
          .parameter("size", &Crop::size, "The numbers of columns and rows that are kept.",
                     {.unit = "pixels", .least = 1, .greatest = 1 << 30, .required = true}),
      Entry<Pad>("pad", "Adds points around an image.",
                 "{pad: a, columns: [8, 8], rows: [8, 8], border: mirror}", build_pad)
          .parameter("columns", &Pad::columns,
                     "The numbers of columns that are added on the left and on the right.",
                     {.unit = "pixels", .least = 0, .greatest = 1 << 26})
          .parameter("rows", &Pad::rows, "The numbers of rows that are added above and below.",
                     {.unit = "pixels", .least = 0, .greatest = 1 << 26})
          .border("The values of the points that are added.")
          .parameter("value", &Pad::value, "The value, if the border is constant."),
      Entry<Resize>(
          "resize",
          "Resamples to another size, along x (stage <name>_x) and then along y, or at once if the method is "
          "'nearest', or if 'linear' or 'area' halve both extents. Centres of points lie at halves, and "
          "beyond the borders are the nearest points, as in OpenCV. OpenCV's method for the nearest point is "
          "INTER_NEAREST_EXACT, as INTER_NEAREST rounds corners instead of centres, and its INTER_AREA is "
          "another method where images become larger. OpenCV resamples uint8 in fixed-point arithmetic. Only "
          "'area' leaves no aliases where images become smaller.",
          "{resize: a, size: [1920, 1080], method: cubic}", build_resize)
          .parameter("size", &Resize::size, "The extents of the result along x and y.",
                     {.unit = "pixels", .least = 1, .greatest = 1 << 26, .required = true})
          .parameter("method", &Resize::method,
                     "The nearest point; between two points, or four (cubic convolution with a = -3/4), in "
                     "each dimension; or the mean of the area that a point covers.",
                     {.choices = {"nearest", "linear", "cubic", "area"}}),
      Entry<Pyramid>(
          "pyramid_down",
          "The next level of a Gaussian pyramid: smoothed by 1 4 6 4 1 in each dimension, every second "
          "point; first along x (stage <name>_x). The extents are halved and rounded up. It is OpenCV's "
          "pyrDown.",
          "{pyramid_down: a}", build_pyramid_down)
          .border(),
      Entry<Pyramid>(
          "pyramid_up",
          "The level below in a Gaussian pyramid, with twice the extents: interpolated by 1 6 1 and 4 4 in "
          "each dimension, first along x (stage <name>_x). OpenCV's pyrUp has another border.",
          "{pyramid_up: a}", build_pyramid_up)
          .border()};
}

}  // namespace tessera::operators
