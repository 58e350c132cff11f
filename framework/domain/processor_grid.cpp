// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/processor_grid.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "tessera/domain/error.hpp"

namespace tessera {
namespace {

/// Points on the cuts that `grid` makes through `box`: what an exchange of one-deep ghosts would move.
double cut_surface(const ProcessorGrid& grid, const Box& box) {
  double surface = 0;
  for (int d = 0; d < grid.dimensions; ++d)
    surface += (grid.size[d] - 1.0) * static_cast<double>(box.size()) / static_cast<double>(box[d].size());
  return surface;
}

/// Slices that would stay empty, as ceil slices may: a rank without points is worse than any surface.
bool has_idle_ranks(const ProcessorGrid& grid, const Box& box) {
  for (int d = 0; d < grid.dimensions; ++d) {
    const std::int64_t slice = (box[d].size() + grid.size[d] - 1) / grid.size[d];
    if ((grid.size[d] - 1) * slice >= box[d].size()) return true;
  }
  return false;
}

struct Search {
  const GridRequest& request;
  const Box& box;
  ProcessorGrid candidate;
  ProcessorGrid best;
  /// Idle ranks, then surface.
  std::pair<bool, double> best_cost = {true, std::numeric_limits<double>::infinity()};

  /// Tries every way to give the remaining `ranks` to dimension d and those after it.
  void fill(int d, int ranks) {
    if (d >= candidate.dimensions || d >= max_dimensions) {
      if (ranks == 1) consider();
      return;
    }
    const int fixed = request.entries[static_cast<std::size_t>(d)];
    for (int n = 1; n <= ranks; ++n) {
      if (ranks % n != 0 || (fixed != 0 && n != fixed)) continue;
      candidate.size[d] = n;
      fill(d + 1, ranks / n);
    }
  }

  void consider() {
    const std::pair cost{has_idle_ranks(candidate, box), cut_surface(candidate, box)};
    if (cost < best_cost) {
      best_cost = cost;
      best = candidate;
    }
  }
};

}  // namespace

std::string GridRequest::text() const {
  std::string text;
  for (int entry : entries)
    text += (text.empty() ? "" : ", ") + (entry == 0 ? "auto" : std::to_string(entry));
  return fmt::format("[{}]", text);
}

int ProcessorGrid::rank_count() const {
  int count = 1;
  for (int d = 0; d < dimensions; ++d) count *= size[d];
  return count;
}

std::string ProcessorGrid::text() const { return GridRequest{{size, size + dimensions}}.text(); }

ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count) {
  GridRequest wanted = request;
  if (wanted.entries.empty()) wanted.entries = box.dimensions == 1 ? std::vector{0} : std::vector{1, 0};
  const int dimensions = static_cast<int>(wanted.entries.size());
  if (dimensions > box.dimensions)
    throw InputError(
        fmt::format("the processor grid {} has {} entries, but the array has {} dimensions: leave some out",
                    wanted.text(), dimensions, box.dimensions));
  Search search{wanted, box, {}, {}};
  search.candidate.dimensions = dimensions;
  search.fill(0, rank_count);
  if (search.best.dimensions == 0)
    throw InputError(
        fmt::format("the processor grid {} does not multiply to {} rank{}: write [1, auto], or start another "
                    "number of ranks",
                    wanted.text(), rank_count, rank_count == 1 ? "" : "s"));
  return search.best;
}

}  // namespace tessera
