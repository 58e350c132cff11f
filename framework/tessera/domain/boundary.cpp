// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/coordinate.hpp"

namespace tessera {

void check_boundary(const BoundaryConditions& conditions, int dimensions) {
  for (int d = 0; d < dimensions; ++d) {
    const auto& side = conditions.side[d];
    if ((side[0] == Boundary::periodic) != (side[1] == Boundary::periodic))
      throw InputError(fmt::format(
          "the boundary of dimension {} is periodic on one side only: make both sides periodic, or none", d));
  }
}

Box with_boundary_sources(const Box& box, const Box& domain, const BoundaryConditions& conditions) {
  if (box.empty()) return box;
  Box sources = box;
  for (int d = 0; d < box.dimensions; ++d) {
    const auto& side = conditions.side[d];
    if (side[0] == Boundary::periodic) continue;
    const auto include = [&](std::int64_t p) {
      const BoundarySource source = boundary_source(p, domain[d], side[0], side[1]);
      if (source.kind != BoundarySource::Kind::point) return;
      sources[d].begin = std::min(sources[d].begin, source.point);
      sources[d].end = std::max(sources[d].end, source.point + 1);
    };
    // The hull may contain further points outside the domain, which have sources, too. The search is repeated
    // until the hull does not change any more. On each side, only the points within two extents of the domain
    // are examined, because the sources of points farther away repeat, or stay the same.
    const std::int64_t examined = 2 * domain[d].size();
    for (Range range{0, 0}; !(range == sources[d]);) {
      range = sources[d];
      const std::int64_t below = std::min(range.end, domain[d].begin);
      const std::int64_t above = std::max(range.begin, domain[d].end);
      for (std::int64_t p = std::max(range.begin, below - examined); p < below; ++p) include(p);
      for (std::int64_t p = above; p < std::min(range.end, above + examined); ++p) include(p);
    }
  }
  return sources;
}

Box within_sides(const Box& box, const Box& domain, const BoundaryConditions& conditions) {
  Box inside = box;
  for (int d = 0; d < box.dimensions; ++d)
    if (!conditions.is_periodic(d)) inside[d] = intersection(box[d], domain[d]);
  return inside;
}

std::vector<PeriodicPiece> periodic_pieces(const Box& box, const Box& domain,
                                           const BoundaryConditions& conditions) {
  std::vector<PeriodicPiece> pieces;
  if (box.empty() || domain.empty()) return pieces;
  const PeriodicPiece inside{within_sides(box, domain, conditions), {}};
  if (inside.box.empty()) return pieces;
  pieces.push_back(inside);
  for (int d = 0; d < box.dimensions; ++d) {
    if (!conditions.is_periodic(d)) continue;
    const std::int64_t extent = domain[d].size();
    const auto period = [&](std::int64_t p) { return floor_divide(p - domain[d].begin, extent); };
    std::vector<PeriodicPiece> product;
    for (std::int64_t k = period(box[d].begin); k <= period(box[d].end - 1); ++k)
      for (PeriodicPiece piece : pieces) {
        piece.box[d] = intersection(piece.box[d], {domain[d].begin + k * extent, domain[d].end + k * extent});
        piece.shift[d] = -k * extent;
        if (!piece.box[d].empty()) product.push_back(piece);
      }
    pieces = std::move(product);
  }
  return pieces;
}

bool periodic_touches(const Box& box, const Box& target, const Box& domain,
                      const BoundaryConditions& conditions) {
  if (box.empty() || target.empty()) return false;
  for (int d = 0; d < box.dimensions; ++d) {
    Range range = box[d];
    if (conditions.is_periodic(d)) {
      // Only the first repetition of the target that ends after the box begins needs to be examined. The box
      // is moved back by as many periods as lie between the target and this repetition.
      const std::int64_t extent = domain[d].size();
      const std::int64_t shift = floor_divide(range.begin - target[d].end, extent) * extent + extent;
      range = {range.begin - shift, range.end - shift};
    }
    if (intersection(range, target[d]).empty()) return false;
  }
  return true;
}

const char* name_of(Boundary condition) {
  switch (condition) {
    case Boundary::none:
      return "none";
    case Boundary::clamp:
      return "clamp";
    case Boundary::mirror:
      return "mirror";
    case Boundary::mirror_interior:
      return "mirror_interior";
    case Boundary::constant:
      return "constant";
    case Boundary::periodic:
      return "periodic";
  }
  throw InternalError("an unknown boundary condition");
}

}  // namespace tessera
