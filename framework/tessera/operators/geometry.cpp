// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/geometry.hpp"

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"

namespace tessera::operators {
namespace {

/// A stage body: the point that lies `x` columns and `y` rows away.
struct Moved {
  int x;
  int y;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(column + x, row + y, c);
  }
};
/// A stage body: the point whose column and its mirror image add up to `columns`.
struct MirroredAlongX {
  int columns;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(columns - column, row, c);
  }
};
/// A stage body: the point whose row and its mirror image add up to `rows`.
struct MirroredAlongY {
  int rows;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(column, rows - row, c);
  }
};
/// A stage body: both coordinates are mirrored.
struct MirroredAlongBoth {
  int columns;
  int rows;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(columns - column, rows - row, c);
  }
};
/// A stage body: a quarter turn clockwise. The column is the row of the source from below.
struct TurnedClockwise {
  static constexpr bool transposes = true;
  int left;
  int bottom;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(left + row, bottom - column, c);
  }
};
/// A stage body: a quarter turn counter-clockwise.
struct TurnedCounterClockwise {
  static constexpr bool transposes = true;
  int right;
  int top;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord column, Coord row, Coord c) const {
    return in(right - row, top + column, c);
  }
};

/// Adds a stage whose body copies other points of an image.
template <class Body>
Image add_moved(Pipeline& pipeline, const std::string& name, const Body& body, const Image& image,
                const Box& domain) {
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<T>(pipeline, name, body, domain, detail::typed<T>(image));
  });
}

int begin_of(const Image& image, int d) { return static_cast<int>(image.domain[d].begin); }
int last_of(const Image& image, int d) { return static_cast<int>(image.domain[d].end) - 1; }

Image build_shift(Pipeline& pipeline, const std::vector<Image>& images, const Shift& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return add_moved(pipeline, p.name, Moved{-p.by[0], -p.by[1]}, image, image.domain);
}

Image build_flip(Pipeline& pipeline, const std::vector<Image>& images, const Flip& p) {
  const Image& image = images[0];
  const int columns = begin_of(image, 0) + last_of(image, 0), rows = begin_of(image, 1) + last_of(image, 1);
  if (p.direction == Direction::horizontal)
    return add_moved(pipeline, p.name, MirroredAlongX{columns}, image, image.domain);
  if (p.direction == Direction::vertical)
    return add_moved(pipeline, p.name, MirroredAlongY{rows}, image, image.domain);
  return add_moved(pipeline, p.name, MirroredAlongBoth{columns, rows}, image, image.domain);
}

Image build_rotate(Pipeline& pipeline, const std::vector<Image>& images, const Rotate& p) {
  const Image& image = images[0];
  const std::int64_t width = image.domain[0].size(), height = image.domain[1].size();
  if (p.quarters == 2)
    return add_moved(pipeline, p.name, MirroredAlongBoth{last_of(image, 0), last_of(image, 1)}, image,
                     detail::with_extents(image, width, height));
  const Box domain = detail::with_extents(image, height, width);
  if (p.quarters == 1)
    return add_moved(pipeline, p.name, TurnedClockwise{begin_of(image, 0), last_of(image, 1)}, image, domain);
  return add_moved(pipeline, p.name, TurnedCounterClockwise{last_of(image, 0), begin_of(image, 1)}, image,
                   domain);
}

Image build_crop(Pipeline& pipeline, const std::vector<Image>& images, const Crop& p) {
  const Image& image = images[0];
  for (int d = 0; d < 2; ++d) {
    const auto dimension = static_cast<std::size_t>(d);
    if (p.offset[dimension] + std::int64_t{p.size[dimension]} > image.domain[d].size())
      throw ParameterError("size is " + std::to_string(p.size[0]) + " x " + std::to_string(p.size[1]) +
                               " from (" + std::to_string(p.offset[0]) + ", " + std::to_string(p.offset[1]) +
                               ") on, but the image has " + extents_text(image) + " points",
                           "size");
  }
  return add_moved(pipeline, p.name,
                   Moved{begin_of(image, 0) + p.offset[0], begin_of(image, 1) + p.offset[1]}, image,
                   detail::with_extents(image, p.size[0], p.size[1]));
}

Image build_pad(Pipeline& pipeline, const std::vector<Image>& images, const Pad& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name, p.value);
  const std::int64_t width = image.domain[0].size() + p.columns[0] + p.columns[1];
  const std::int64_t height = image.domain[1].size() + p.rows[0] + p.rows[1];
  return add_moved(pipeline, p.name, Moved{begin_of(image, 0) - p.columns[0], begin_of(image, 1) - p.rows[0]},
                   image, detail::with_extents(image, width, height));
}

}  // namespace

std::vector<Operator> detail::geometry_operators() {
  return {Entry<Shift>("shift", "Moves an image. Its extents stay.", "{shift: a, by: [10, -5]}", build_shift)
              .parameter("by", &Shift::by,
                         {.help = "How far the image moves along x and y.",
                          .unit = "pixels",
                          .least = -(1 << 26),
                          .greatest = 1 << 26,
                          .required = true})
              .border("The values that come in from beyond the borders."),
          Entry<Flip>("flip", "Mirrors an image.", "{flip: a, direction: vertical}", build_flip)
              .parameter("direction", &Flip::direction,
                         {.help = "Whether left and right are exchanged, or top and bottom, or both.",
                          .choices = {"horizontal", "vertical", "both"}}),
          Entry<Rotate>("rotate", "Rotates by quarter turns, clockwise where y points down.", "{rotate: a}",
                        build_rotate)
              .parameter("quarters", &Rotate::quarters,
                         {.help = "The number of quarter turns.", .least = 1, .greatest = 3}),
          Entry<Crop>("crop", "Keeps a part of an image.", "{crop: a, offset: [100, 50], size: [640, 480]}",
                      build_crop)
              .parameter("offset", &Crop::offset,
                         {.help = "The first column and row that are kept, counted from 0.",
                          .unit = "pixels",
                          .least = 0,
                          .greatest = 1 << 30})
              .parameter("size", &Crop::size,
                         {.help = "The numbers of columns and rows that are kept.",
                          .unit = "pixels",
                          .least = 1,
                          .greatest = 1 << 30,
                          .required = true}),
          Entry<Pad>("pad", "Adds points around an image.",
                     "{pad: a, columns: [8, 8], rows: [8, 8], border: mirror}", build_pad)
              .parameter("columns", &Pad::columns,
                         {.help = "The numbers of columns that are added on the left and on the right.",
                          .unit = "pixels",
                          .least = 0,
                          .greatest = 1 << 26})
              .parameter("rows", &Pad::rows,
                         {.help = "The numbers of rows that are added above and below.",
                          .unit = "pixels",
                          .least = 0,
                          .greatest = 1 << 26})
              .border("The values of the points that are added.")
              .parameter("value", &Pad::value, {.help = "The value, if the border is constant."})};
}

}  // namespace tessera::operators
