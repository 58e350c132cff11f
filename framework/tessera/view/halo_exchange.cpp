// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/halo_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "tessera/view/collectively.hpp"

namespace tessera {

void check_coordinates(const std::string& name, const Box& box) {
  using Limits = std::numeric_limits<int>;
  for (int d = 0; d < box.dimensions && !box.empty(); ++d)
    if (box[d].begin < Limits::lowest() || box[d].end > Limits::max())
      throw InputError(
          fmt::format("the view '{}' cannot hold {}: coordinates have 32 bits, so give the view more "
                      "dimensions",
                      name, to_string(box)));
}

Need Halo::need(const BlockDistribution& blocks) const {
  return [halo = *this, blocks](int first, int last) {
    Box box = blocks.owned_hull(first, last);
    if (box.empty()) return box;
    for (int d = 0; d < box.dimensions; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const Range domain = blocks.domain()[d];
      box[d] = {box[d].begin - halo.below[i], box[d].end + halo.above[i]};
      if (halo.boundary.side[i][0] == Boundary::none && box[d].begin < domain.begin)
        box[d].begin = domain.begin;
      if (halo.boundary.side[i][1] == Boundary::none && box[d].end > domain.end) box[d].end = domain.end;
    }
    return box;
  };
}

void HaloExchange::make_exchange(const Transport& transport) {
  constexpr int tag = 0;  // the communicator has no other messages
  // The allocation of buffers may fail on one rank only, and all ranks must learn of it. With shared windows,
  // the allocation itself is collective.
  if (transport.shared_windows)
    exchange_ = std::make_unique<Exchange>(communicator_.handle(), tag, fields_, transport);
  else
    collectively(communicator_.handle(), [&] {
      exchange_ = std::make_unique<Exchange>(communicator_.handle(), tag, fields_, transport);
    });
}

void HaloExchange::finish(const ExecutionSpace& execution) {
  exchange_->finish(execution);
  for (const Beyond& view : beyond_)
    fill_boundary(execution, view.array, view.box, view.domain, view.conditions, view.element_size);
}

namespace {

/// Fills the points of `part`, which all lie beyond one side of the domain in dimension `across`.
template <class Unit>
struct FillSide {
  Unit* data;
  ArrayReference array;
  Box part;
  std::int64_t rows;
  int across;
  Range domain;
  Boundary below;
  Boundary above;
  int units_per_element;
  Unit constant[largest_element / sizeof(Unit)];

  KOKKOS_FUNCTION Unit* element(const Point& point) const {
    std::int64_t offset = 0;
    for (int d = 0; d < part.dimensions; ++d) offset += point[d] * array.strides[d];
    return data + offset * units_per_element;
  }

  KOKKOS_FUNCTION Point first_of_row(std::int64_t row) const {
    Point point;
    point[0] = part[0].begin;
    const int last = part.dimensions - 1;
    for (int d = 1; d < last; ++d) {
      point[d] = part[d].begin + row % part[d].size();
      row /= part[d].size();
    }
    if (last > 0) point[last] = part[last].begin + row;
    return point;
  }

  KOKKOS_FUNCTION void fill_point(Point point) const {
    Unit* to = element(point);
    const BoundarySource source = boundary_source(point[across], domain, below, above);
    if (source.kind == BoundarySource::Kind::nowhere) return;
    point[across] = source.point;
    const Unit* from = source.kind == BoundarySource::Kind::constant ? constant : element(point);
    for (int u = 0; u < units_per_element; ++u) to[u] = from[u];
  }

  void fill_points(Point point) const {
    for (; point[0] < part[0].end; ++point[0]) fill_point(point);
  }

  /// Fills a row with a copy of another row (hosts only).
  void copy_row(Point point) const {
    Unit* to = element(point);
    point[across] = boundary_source(point[across], domain, below, above).point;
    std::memcpy(to, element(point),
                static_cast<std::size_t>(part[0].size() * units_per_element) * sizeof(Unit));
  }

  /// Returns the offset, in elements, at which a row would have x = 0 (hosts only). The offset is not
  /// computed from a Point, which would take longer.
  std::int64_t row_offset(std::int64_t row) const {
    std::int64_t offset = 0;
    for (int d = 1; d + 1 < part.dimensions; ++d) {
      offset += (part[d].begin + row % part[d].size()) * array.strides[d];
      row /= part[d].size();
    }
    const int last = part.dimensions - 1;
    return last > 0 ? offset + (part[last].begin + row) * array.strides[last] : offset;
  }

  /// Returns the x coordinate of the nearest point of the domain, if `across` is 0.
  std::int64_t nearest() const { return part[0].begin < domain.begin ? domain.begin : domain.end - 1; }

  /// Fills a row whose points all have the same value (hosts only).
  void repeat_point(std::int64_t row) const {
    const std::int64_t offset = row_offset(row), count = part[0].size();
    const Unit* from =
        condition() == Boundary::constant ? constant : data + (offset + nearest()) * units_per_element;
    Unit* to = data + (offset + part[0].begin) * units_per_element;
    if (units_per_element == 1) {
      std::fill_n(to, count, *from);
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        std::copy_n(from, units_per_element, to + i * units_per_element);
    }
  }

  /// Returns the boundary condition of the side beyond which `part` lies.
  Boundary condition() const { return part[across].begin < domain.begin ? below : above; }
  /// Whether all points of a row get the same value.
  bool repeats_points() const {
    return condition() == Boundary::constant || (across == 0 && condition() == Boundary::clamp);
  }

  /// Whether the row that begins at `point` is a copy of another row.
  KOKKOS_FUNCTION bool repeats_rows(const Point& point) const {
    return across > 0 &&
           boundary_source(point[across], domain, below, above).kind == BoundarySource::Kind::point;
  }

  /// Prefetches memory that a later row writes and reads (hosts only), so that rows need not wait for memory
  /// one after the other.
  void prefetch_row(std::int64_t row) const {
    const std::int64_t offset = row_offset(row);
    __builtin_prefetch(data + (offset + part[0].begin) * units_per_element, 1);
    __builtin_prefetch(data + (offset + nearest()) * units_per_element);
  }

  /// Fills one point on devices, or one row on hosts.
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if constexpr (runs_on_host) {
      constexpr std::int64_t rows_ahead = 16;
      const bool reads = condition() != Boundary::constant;
      if (reads && across == 0 && index + rows_ahead < rows) prefetch_row(index + rows_ahead);
      if (repeats_points()) return repeat_point(index);
      const Point point = first_of_row(index);
      if (repeats_rows(point)) return copy_row(point);
      fill_points(point);
    } else {
      Point point = first_of_row(index / part[0].size());
      point[0] += index % part[0].size();
      fill_point(point);
    }
  }
};

template <class Unit>
void fill_side(const ExecutionSpace& execution, const ArrayReference& array, const Box& part, int across,
               const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
               HostMode mode) {
  const std::int64_t rows = part.size() / part[0].size();
  const auto& side = conditions.side[static_cast<std::size_t>(across)];
  FillSide<Unit> fill{reinterpret_cast<Unit*>(array.origin),
                      array,
                      part,
                      rows,
                      across,
                      domain[across],
                      side[0],
                      side[1],
                      static_cast<int>(element_size / static_cast<std::int64_t>(sizeof(Unit))),
                      {}};
  std::memcpy(fill.constant, conditions.constant.data(), sizeof fill.constant);
  // A launch costs more than copying fewer than `smallest_parallel_fill` bytes. Each row counts as at least
  // one cache line if rows do not follow each other closely.
  constexpr std::int64_t smallest_parallel_fill = 1 << 15, line = 64;
  const std::int64_t least_row_bytes =
      part.dimensions > 1 ? std::min(array.strides[1] * element_size, line) : 0;
  const std::int64_t bytes = rows * std::max(part[0].size() * element_size, least_row_bytes);
  const bool is_small = runs_on_host && bytes < smallest_parallel_fill;
  for_each_index(execution, is_small ? HostMode::calling_thread : mode, "tessera: border",
                 runs_on_host ? rows : part.size(), fill);
}

}  // namespace

void fill_boundary(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                   const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
                   HostMode mode) {
  if (element_size > static_cast<std::int64_t>(largest_element))
    throw InternalError("elements of more than 64 bytes have no boundary conditions");
  for (int d = 0; d < box.dimensions; ++d) {
    if (conditions.is_periodic(d)) continue;
    // The dimensions before d are filled already. In the dimensions after d, only points inside the domain
    // and points that were exchanged have values.
    Box filled = box;
    for (int e = d; e < box.dimensions; ++e)
      if (!conditions.is_periodic(e)) filled[e] = intersection(box[e], domain[e]);
    Box low = filled, high = filled;
    low[d] = {box[d].begin, std::min(box[d].end, domain[d].begin)};
    high[d] = {std::max(box[d].begin, domain[d].end), box[d].end};
    // The unit is the largest one that divides the size of an element. It also divides all strides, because
    // strides are whole numbers of elements.
    for (const Box& part : {low, high})
      if (!part.empty())
        detail::with_unit(std::gcd(element_size, std::int64_t{8}), [&]<class Unit>(Unit) {
          fill_side<Unit>(execution, array, part, d, domain, conditions, element_size, mode);
        });
  }
}

}  // namespace tessera
