// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/scratch_sizes.hpp"

#include <algorithm>

#include "tessera/pipeline/plan/member_boxes.hpp"

namespace tessera {
namespace {

/// Calls visit(box, aligned_x, number, is_first) for the box of member `m` in each inner tile, unless the box
/// is empty. `aligned_x` is the x at which the rows of the member are aligned. The last member is visited in
/// the largest inner tile of each part only, which is the first one.
template <class Visit>
void visit_boxes(const plan::Compute& step, std::size_t m, const Visit& visit) {
  const std::size_t others = step.members.size() - 1;
  if (m == others) {
    for (const Box& part : step.parts) {
      const InnerTiles tiles({part}, step.tile, step.inner);
      const Box inner = tiles.inner(0, tiles.tiles()[0], 0);
      visit(inner, inner[0].begin, 0, true);
    }
    return;
  }
  const InnerTiles tiles(step.parts, step.tile, step.inner);
  const bool is_outer = placement_of(step, m) == Placement::outer_tile;
  for (std::int64_t t = 0; t < tiles.tiles().size(); ++t) {
    const Box tile = tiles.tiles()[t];
    for (std::int64_t number = tiles.first(t); number < tiles.first(t + 1); ++number) {
      const Box& box = step.boxes[static_cast<std::size_t>(number) * others + m];
      const std::int64_t x = (is_outer ? tile : tiles.inner(t, tile, number))[0].begin;
      if (!box.empty()) visit(box, x, number, number == tiles.first(t));
    }
  }
}

}  // namespace

std::int64_t rows_of_window(const plan::Compute& step, std::size_t m) {
  // A row that is kept is copied once while so many rows are computed.
  constexpr std::int64_t rows_per_copied_row = 8;
  if (placement_of(step, m) != Placement::window) return 0;
  std::int64_t needed = 0, kept = 0, highest = 0;
  Box tile;
  visit_boxes(step, m, [&](const Box& box, std::int64_t, std::int64_t number, bool is_first) {
    if (box.dimensions == 1) return;
    tile = is_first ? box : hull(tile, box);
    highest = std::max(highest, tile[1].size());
    needed = std::max(needed, box[1].size());
    const Box rows = computed_box(step, number, is_first, m);
    if (!rows.empty()) kept = std::max(kept, box[1].size() - rows[1].size());
  });
  // More than twice the rows that are needed would not stay in the cache.
  return std::min(highest, needed + std::min(needed, rows_per_copied_row * kept));
}

std::int64_t scratch_bytes(const ScheduledPipeline& scheduled, const plan::Compute& step,
                           const plan::Scratch& place) {
  const Algorithm& pipeline = scheduled.pipeline();
  const std::int64_t size = pipeline[place.array].element_bytes();
  const auto member = std::ranges::find(step.members, pipeline[place.array].lead);
  const auto m = static_cast<std::size_t>(member - step.members.begin());
  std::int64_t bytes = 0;
  visit_boxes(step, m, [&](const Box& box, std::int64_t x, std::int64_t, bool) {
    bytes = std::max(bytes, scheduled.target().device ? box.size() * size
                                                      : scratch_layout(box, place.rows, x, size).bytes);
  });
  return bytes;
}

}  // namespace tessera
