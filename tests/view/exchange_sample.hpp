// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

#include "domain/random.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera::test {

/// A random distribution and what every rank needs of it: the same on all ranks of a test.
struct ExchangeSample {
  BlockDistribution blocks;
  BoundaryConditions boundary;
  /// How far each need reaches past the block it belongs to, by dimension: low and high side.
  std::int64_t reach[max_dimensions][2] = {};
  /// Some ranks need nothing at all.
  bool odd_ranks_idle = false;

  /// Asymmetric, up to three blocks wide, also beyond the domain.
  Box need(int first, int last) const {
    Box box = blocks.owned_hull(first, last);
    if (box.empty() || (odd_ranks_idle && last - first == 1 && first % 2 == 1)) return {};
    for (int d = 0; d < box.dimensions; ++d) box[d] = {box[d].begin + reach[d][0], box[d].end + reach[d][1]};
    return box;
  }
  /// With the points that boundary conditions copy from.
  Box held_need(int first, int last) const {
    return with_boundary_sources(need(first, last), blocks.domain(), boundary);
  }
  BlockLayout layout(int rank, std::int64_t element_size) const {
    const Box owned = blocks.owned(rank);
    return padded_layout(hull(held_need(rank, rank + 1), owned), owned[0].begin, element_size);
  }
  ExchangeLists lists(int rank, int rank_count, std::int64_t element_size) const {
    ExchangeLists lists = exchange_lists(blocks, boundary, rank, rank_count,
                                         [this](int first, int last) { return held_need(first, last); });
    mark_in_place(
        lists, rank, [&](int other, bool) { return layout(other, element_size); }, blocks.domain(), boundary);
    return lists;
  }
  std::string text() const {
    std::string sides;
    for (int d = 0; d < blocks.domain().dimensions; ++d)
      for (const Boundary side : boundary.side[static_cast<std::size_t>(d)])
        sides += fmt::format(" {}", static_cast<int>(side));
    return fmt::format("{} over {}, boundaries{}, rank 0 needs {}", to_string(blocks.domain()),
                       blocks.grid().text(), sides, to_string(need(0, 1)));
  }
};

/// Grids of exactly `ranks` ranks, whose factors are shared out at random, in any order of dimensions, some
/// of them hierarchical.
inline ProcessorGrid random_grid(Random& random, int dimensions, int ranks) {
  ProcessorGrid grid;
  grid.dimensions = random.small(1, dimensions);
  for (int factor = 2; ranks > 1;)
    if (ranks % factor == 0) {
      const int d = random.small(0, grid.dimensions - 1);
      grid.size[d] *= factor;
      grid.digits.push_back({d, factor});
      ranks /= factor;
    } else {
      ++factor;
    }
  if (random.chance(50)) grid.digits.clear();
  return grid;
}

/// Any mixture of conditions. Every side has one when `everywhere` is true.
inline BoundaryConditions random_boundary(Random& random, bool everywhere) {
  BoundaryConditions conditions;
  for (auto& side : conditions.side) {
    if (random.chance(30)) {
      side = {Boundary::periodic, Boundary::periodic};
      continue;
    }
    const std::vector kinds = {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior,
                               Boundary::constant};
    for (Boundary& kind : side)
      kind = !everywhere && random.chance(20) ? Boundary::none : random.one_of(kinds);
  }
  for (std::byte& byte : conditions.constant) byte = static_cast<std::byte>(random.bits());
  return conditions;
}

/// Extents of 1 to 40 whose product is at most `most_points`.
inline Box random_extents(Random& random, int dimensions, std::int64_t most_points) {
  for (;;) {
    const Box box = random.box(dimensions, -6, 6, random.chance(30) ? 4 : 40);
    if (box.size() <= most_points) return box;
  }
}

/// Adds what the ranks need: two points, or up to three blocks, in each direction.
inline void random_reach(Random& random, ExchangeSample& sample) {
  for (int d = 0; d < sample.blocks.domain().dimensions; ++d) {
    const std::int64_t slices = sample.blocks.grid().size[d];
    const std::int64_t slice = (sample.blocks.nominal()[d].size() + slices - 1) / slices;
    const std::int64_t most = random.chance(20) ? 3 * slice : 2;
    // A need may also begin right of its block: a shifted stencil.
    sample.reach[d][0] = random.between(-most, 1);
    sample.reach[d][1] = random.between(sample.reach[d][0] > 0 ? 1 : 0, most);
  }
}

inline ExchangeSample random_exchange(Random& random, int ranks, std::int64_t most_points = 2000) {
  ExchangeSample sample;
  const int dimensions = random.small(1, 4);
  const Box nominal = random_extents(random, dimensions, most_points);
  Box domain = nominal;
  for (int d = 0; d < dimensions && random.chance(50); ++d)
    domain[d] = {nominal[d].begin - random.small(0, 2), nominal[d].end + random.small(0, 2)};
  const Slicing slicing = random.chance(50) ? Slicing::ceil : Slicing::balanced;
  sample.blocks = BlockDistribution(domain, nominal, random_grid(random, dimensions, ranks), slicing);
  sample.boundary = random_boundary(random, random.chance(70));
  sample.odd_ranks_idle = random.chance(20);
  random_reach(random, sample);
  return sample;
}

/// The point of the domain, or nothing for a constant, that `point` repeats; `none` sides are left alone.
struct ExpectedSource {
  bool constant = false;
  bool defined = true;
  Point point;
};

inline ExpectedSource expected_source(const ExchangeSample& sample, const Point& point) {
  ExpectedSource expected{false, true, point};
  for (int d = 0; d < sample.blocks.domain().dimensions; ++d) {
    const auto& side = sample.boundary.side[static_cast<std::size_t>(d)];
    const BoundarySource source = boundary_source(point[d], sample.blocks.domain()[d], side[0], side[1]);
    expected.constant = expected.constant || source.kind == BoundarySource::Kind::constant;
    expected.defined = expected.defined && source.kind != BoundarySource::Kind::nowhere;
    expected.point[d] = source.point;
  }
  return expected;
}

}  // namespace tessera::test
