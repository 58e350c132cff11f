// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/copy.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/domain/error.hpp"

namespace tessera {
namespace {

/// Copies rows of points; row i of a box is reached by splitting i into the coordinates of dimensions 1 and
/// up. A point is read where its coordinates, cut to `source`, lie: the box itself for a plain copy, an edge
/// for borders.
template <class Element>
struct CopyPoints {
  Element* from;
  Element* to;
  ArrayReference from_array;
  ArrayReference to_array;
  Box box;
  Box source;

  KOKKOS_FUNCTION static std::int64_t cut(std::int64_t p, Range range) {
    return p < range.begin ? range.begin : p >= range.end ? range.end - 1 : p;
  }

  KOKKOS_FUNCTION void row_offsets(std::int64_t row, std::int64_t& read, std::int64_t& write) const {
    read = write = 0;
    for (int d = 1; d < box.dimensions; ++d) {
      const std::int64_t p = box[d].begin + row % box[d].size();
      row /= box[d].size();
      write += p * to_array.strides[d];
      read += cut(p, source[d]) * from_array.strides[d];
    }
  }

  /// One row (hosts).
  void copy_row(std::int64_t row) const {
    std::int64_t read, write;
    row_offsets(row, read, write);
    const Range x = box[0];
    if (source[0] == x) {
      std::memcpy(to + write + x.begin, from + read + x.begin,
                  static_cast<std::size_t>(x.size()) * sizeof(Element));
    } else {
      for (std::int64_t p = x.begin; p < x.end; ++p) to[write + p] = from[read + cut(p, source[0])];
    }
  }

  /// One point (devices), or one row (hosts).
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if constexpr (runs_on_host) {
      copy_row(index);
    } else {
      std::int64_t read, write;
      row_offsets(index / box[0].size(), read, write);
      const std::int64_t p = box[0].begin + index % box[0].size();
      to[write + p] = from[read + cut(p, source[0])];
    }
  }
};

template <class Element>
void run_copy(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
              const Box& box, const Box& source) {
  using Policy =
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  // Below this a launch costs more than the copy.
  constexpr std::int64_t smallest_parallel_copy = 1 << 15;
  const CopyPoints<Element> copy{
      reinterpret_cast<Element*>(from.origin), reinterpret_cast<Element*>(to.origin), from, to, box, source};
  const std::int64_t rows = box.size() / box[0].size();
  if (runs_on_host && box.size() * static_cast<std::int64_t>(sizeof(Element)) < smallest_parallel_copy) {
    if constexpr (runs_on_host)
      for (std::int64_t row = 0; row < rows; ++row) copy(row);
  } else {
    Kokkos::parallel_for("tessera: copy", Policy(execution, 0, runs_on_host ? rows : box.size()), copy);
  }
}

void dispatch_copy(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                   const Box& box, const Box& source, std::int64_t element_size) {
  if (box.empty()) return;
  switch (element_size) {
    case 1:
      return run_copy<std::uint8_t>(execution, from, to, box, source);
    case 2:
      return run_copy<std::uint16_t>(execution, from, to, box, source);
    case 4:
      return run_copy<std::uint32_t>(execution, from, to, box, source);
    case 8:
      return run_copy<std::uint64_t>(execution, from, to, box, source);
    default:
      throw InternalError("elements of this size cannot be copied");
  }
}

}  // namespace

void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size) {
  dispatch_copy(execution, from, to, box, box, element_size);
}

void fill_clamped(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                  const Box& domain, std::int64_t element_size) {
  for (int d = 0; d < box.dimensions; ++d) {
    // Dimensions before d are filled already; those after d only inside the domain.
    Box source = box;
    for (int e = d; e < box.dimensions; ++e) source[e] = intersection(box[e], domain[e]);
    Box low = source, high = source;
    low[d] = {box[d].begin, std::min(box[d].end, domain[d].begin)};
    high[d] = {std::max(box[d].begin, domain[d].end), box[d].end};
    for (const Box& part : {low, high}) {
      Box read = part;
      read[d] = source[d];
      dispatch_copy(execution, array, array, part, read, element_size);
    }
  }
}

Box with_clamp_sources(const Box& box, const Box& domain) {
  if (box.empty()) return box;
  Box sources = box;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t first = std::clamp(box[d].begin, domain[d].begin, domain[d].end - 1);
    const std::int64_t last = std::clamp(box[d].end - 1, domain[d].begin, domain[d].end - 1);
    sources[d] = {first, last + 1};
  }
  return hull(box, sources);
}

}  // namespace tessera
