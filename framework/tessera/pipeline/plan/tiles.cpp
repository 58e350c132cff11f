// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera {

Tiles::Tiles(const std::vector<Box>& parts, const TileSize& tile) : tile_(tile) {
  for (const Box& box : parts) {
    if (box.empty()) continue;
    Part part{box, count_, {1, 1, 1, 1}};
    std::int64_t tiles = 1;
    for (int d = 0; d < box.dimensions; ++d) {
      const std::int64_t size = tile[static_cast<std::size_t>(d)];
      part.count[d] = (box[d].size() + size - 1) / size;
      tiles *= part.count[d];
    }
    parts_.push_back(part);
    count_ += tiles;
  }
}

Box Tiles::operator[](std::int64_t number) const {
  std::size_t p = 0;
  while (p + 1 < parts_.size() && parts_[p + 1].first <= number) ++p;
  const Part& part = parts_[p];
  number -= part.first;
  Box box = part.box;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t size = tile_[static_cast<std::size_t>(d)];
    box[d].begin += number % part.count[d] * size;
    box[d].end = std::min(box[d].begin + size, part.box[d].end);
    number /= part.count[d];
  }
  return box;
}

std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step) {
  std::vector<Lifetime> lifetimes;
  for (const plan::Scratch& place : step.scratch) {
    Lifetime lifetime;
    for (std::size_t m = 0; m < step.members.size(); ++m) {
      const ArrayId member = step.members[m];
      if (pipeline[place.array].lead == member) lifetime.first = lifetime.last = static_cast<int>(m);
      const auto& inputs = pipeline[member].inputs;
      if (std::find(inputs.begin(), inputs.end(), place.array) != inputs.end())
        lifetime.last = static_cast<int>(m);
      const bool outlives_inner_tiles = m < step.placements.size() && step.placements[m] != Placement::tile;
      if (pipeline[place.array].lead == member && outlives_inner_tiles) {
        lifetime = {0, static_cast<int>(step.members.size()) - 1};
        break;
      }
    }
    lifetimes.push_back(lifetime);
  }
  return lifetimes;
}

namespace {

/// The dimensions, in the order of the walk over inner tiles.
constexpr std::array walking_order = {1, 0, 2, 3};
static_assert(walking_order.size() == max_dimensions);

std::int64_t pieces(const Range& range, std::int64_t size) { return (range.size() + size - 1) / size; }

}  // namespace

InnerTiles::InnerTiles(const std::vector<Box>& parts, const TileSize& tile, const TileSize& inner)
    : tiles_(parts, tile), inner_(inner) {
  if (inner_.empty()) return;
  first_.reserve(static_cast<std::size_t>(tiles_.size()) + 1);
  first_.push_back(0);
  for (std::int64_t t = 0; t < tiles_.size(); ++t) {
    const Box box = tiles_[t];
    std::int64_t count = 1;
    for (int d = 0; d < box.dimensions; ++d) count *= pieces(box[d], inner_[static_cast<std::size_t>(d)]);
    first_.push_back(first_.back() + count);
  }
}

Box InnerTiles::inner_tile(const Box& tile, std::int64_t number) const {
  Box box = tile;
  for (const int d : walking_order) {
    if (d >= box.dimensions) continue;
    const std::int64_t size = inner_[static_cast<std::size_t>(d)], count = pieces(tile[d], size);
    box[d].begin += number % count * size;
    box[d].end = std::min(box[d].begin + size, tile[d].end);
    number /= count;
  }
  return box;
}

std::vector<Box> InnerTiles::walk(std::int64_t tile) const {
  const Box points = tiles_[tile];
  std::vector<Box> boxes;
  for (std::int64_t number = first(tile); number < first(tile + 1); ++number)
    boxes.push_back(inner(tile, points, number));
  return boxes;
}

Box rows_to_compute(const Box& before, const Box& now) {
  if (before.empty() || now.empty() || before.dimensions != now.dimensions) return now;
  if (now.dimensions == 1) return before == now ? Box{{now[0].end, now[0].end}} : now;
  Box same_rows = before;
  same_rows[1] = now[1];
  if (!(same_rows == now) || now[1].begin < before[1].begin || now[1].end < before[1].end) return now;
  Box rows = now;
  rows[1].begin = std::max(now[1].begin, before[1].end);
  return rows;
}

namespace {

/// Finds the boxes of members for the inner tiles of one tile.
class MemberBoxes {
 public:
  MemberBoxes(const Algorithm& pipeline, const TileMembers& members, const std::vector<Box>& walk)
      : pipeline_(pipeline),
        members_(members),
        count_(members.stages.size()),
        boxes_(walk.size() * count_),
        outer_(count_) {
    for (std::size_t t = 0; t < walk.size(); ++t) at(t, count_ - 1) = walk[t];
  }

  std::vector<Box> find(const std::vector<Box>& walk) {
    for (std::size_t t = 0; t < walk.size(); ++t) {
      for (const TileMembers::Contributed& contributed : members_.contributed) {
        Box& box = at(t, contributed.member);
        box = hull(box, intersection(walk[t], contributed.points));
      }
      for (std::size_t m = count_; m-- > 0;)
        if (!is_outer(m)) add_needs(t, m);
    }
    // No `outer_tile` reads a member that is computed for every inner tile.
    for (std::size_t m = count_; m-- > 0;)
      if (is_outer(m)) add_needs(0, m);
    for (std::size_t t = 0; t < walk.size(); ++t)
      for (std::size_t m = 0; m + 1 < count_; ++m)
        if (is_outer(m)) boxes_[t * count_ + m] = outer_[m];
    return std::move(boxes_);
  }

 private:
  bool is(std::size_t m, Placement placement) const {
    return !members_.placements.empty() && m + 1 < count_ && members_.placements[m] == placement;
  }
  bool is_outer(std::size_t m) const { return is(m, Placement::outer_tile); }
  /// Returns the box of member `m` for inner tile `t`. All inner tiles have the same box of an `outer_tile`.
  Box& at(std::size_t t, std::size_t m) { return is_outer(m) ? outer_[m] : boxes_[t * count_ + m]; }

  /// Extends the boxes of the members that member `m` reads when it computes its own box for inner tile `t`.
  void add_needs(std::size_t t, std::size_t m) {
    Box& box = at(t, m);
    if (box.empty()) return;
    const ArrayDeclaration& stage = pipeline_[members_.stages[m]];
    Box points = pipeline_.within_bounds(members_.stages[m], box);
    if (points.empty()) return;
    if (m + 1 < count_) {
      points = stage.with_whole_lines(points);
      box = hull(box, points);
    }
    if (t > 0 && is(m, Placement::window))
      points = pipeline_.within_bounds(members_.stages[m], rows_to_compute(at(t - 1, m), box));
    if (points.empty()) return;
    needs_.resize(stage.inputs.size());
    bool is_known = false;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < stage.inputs.size(); ++i) {
        const ArrayDeclaration& input = pipeline_[stage.inputs[i]];
        if (input.lead != members_.stages[k]) continue;
        if (!is_known) stage.kernel->required(points, needs_.data());
        is_known = true;
        Box& read = at(t, k);
        read = hull(read, input.is_bounded() ? with_boundary_sources(needs_[i], input.domain, input.boundary)
                                             : needs_[i]);
      }
  }

  const Algorithm& pipeline_;
  const TileMembers& members_;
  std::size_t count_;
  std::vector<Box> boxes_;
  /// The boxes of members that are computed once for all inner tiles, by member.
  std::vector<Box> outer_;
  std::vector<Box> needs_;
};

/// Returns a compute node with the same tiles as `step`, but without windows.
plan::Compute without_windows(const Algorithm& pipeline, plan::Compute step) {
  std::ranges::replace(step.placements, Placement::window, Placement::tile);
  TileMembers members{step.members, step.placements, {}};
  for (const plan::Contribution& contribution : step.contributions) {
    const ArrayId stage = pipeline[pipeline[contribution.stage].inputs.front()].lead;
    const auto found = std::ranges::find(step.members, stage);
    members.contributed.push_back({static_cast<std::size_t>(found - step.members.begin()), contribution.box});
  }
  set_member_boxes(pipeline, members, step);
  return step;
}

}  // namespace

std::vector<Box> member_boxes(const Algorithm& pipeline, const TileMembers& members,
                              const std::vector<Box>& walk) {
  return MemberBoxes(pipeline, members, walk).find(walk);
}

void set_member_boxes(const Algorithm& pipeline, const TileMembers& members, plan::Compute& step) {
  const InnerTiles tiles(step.parts, step.tile, step.inner);
  const std::size_t count = members.stages.size();
  step.boxes.clear();
  if (count == 1) return;
  step.boxes.reserve(static_cast<std::size_t>(tiles.size()) * (count - 1));
  for (std::int64_t t = 0; t < tiles.tiles().size(); ++t) {
    const std::vector<Box> boxes = member_boxes(pipeline, members, tiles.walk(t));
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (i % count + 1 < count) step.boxes.push_back(boxes[i]);
  }
}

Box computed_box(const plan::Compute& step, std::int64_t number, bool is_first, std::size_t m) {
  const std::size_t others = step.members.size() - 1;
  const Box* box = &step.boxes[static_cast<std::size_t>(number) * others + m];
  const Placement placement = placement_of(step, m);
  if (is_first || placement == Placement::tile) return *box;
  return placement == Placement::window ? rows_to_compute(*(box - others), *box) : Box();
}

void visit_computed(const Algorithm& pipeline, const plan::Compute& step,
                    const std::function<void(std::size_t, const Box&)>& visit) {
  if (step.boxes.empty()) return;
  const InnerTiles tiles(step.parts, step.tile, step.inner);
  for (std::int64_t t = 0; t < tiles.tiles().size(); ++t)
    for (std::int64_t number = tiles.first(t); number < tiles.first(t + 1); ++number)
      for (std::size_t m = 0; m + 1 < step.members.size(); ++m) {
        const Box box =
            pipeline.within_bounds(step.members[m], computed_box(step, number, number == tiles.first(t), m));
        if (!box.empty()) visit(m, box);
      }
}

std::int64_t points_computed_again(const Algorithm& pipeline, const plan::Compute& step, bool has_windows) {
  std::int64_t points = 0;
  std::vector<Box> all(step.members.size());
  visit_computed(pipeline, has_windows ? step : without_windows(pipeline, step),
                 [&](std::size_t m, const Box& box) {
                   points += box.size();
                   all[m] = hull(all[m], box);
                 });
  for (const Box& box : all) points -= box.size();
  return std::max<std::int64_t>(points, 0);
}

BlockLayout scratch_layout(Box box, std::int64_t rows, std::int64_t aligned_x, std::int64_t element_size) {
  if (rows > 0) box[1].end = box[1].begin + rows;
  return padded_layout(box, aligned_x, element_size);
}

}  // namespace tessera
