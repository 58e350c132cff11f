// SPDX-License-Identifier: BSD-3-Clause
// The exchanges of a plan, and the points that a rank computes while messages are under way.
#include <algorithm>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/detail/planner.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera::detail {
namespace {

/// Exchange and computation overlap automatically if a rank has at least this many points. With fewer points,
/// computing the rim separately costs more time than the overlap saves.
constexpr std::int64_t fewest_overlapped_points = std::int64_t{1} << 18;

}  // namespace

void Planner::await(ArrayId id) {
  if ((scheduled_.is_exchanged(id) || has_border(id)) && !is_pending(id)) pending_.push_back(id);
}

std::vector<Box> Planner::exchange_pending(const std::vector<ArrayId>& members, const Box& box) {
  if (!overlaps(members.back()) ||
      std::ranges::none_of(pending_, [this](ArrayId id) { return scheduled_.is_exchanged(id); })) {
    exchange_pending();
    return {box};
  }
  std::map<ArrayId, Box> there;
  for (ArrayId id : pending_) there[id] = box_without_messages(id);
  // Borders are filled before the exchange, because boxes that are sent in place may hold points outside the
  // domain between their rows.
  fill_borders([&](ArrayId id) { return there[id]; });
  const std::vector<ArrayId> arrays = add_exchange(true);
  const Box inside = inside_of(members, box, there);
  add_tiles(members.back(), {inside}, members);
  use_all(arrays, add(plan::FinishExchange{}));
  fill_borders([this](ArrayId id) { return stage(id).required; });
  pending_.clear();
  return inside.empty() ? std::vector{box} : difference(box, inside);
}

void Planner::exchange_pending() {
  add_exchange(false);
  fill_borders([this](ArrayId id) { return stage(id).required; });
  pending_.clear();
}

std::vector<ArrayId> Planner::add_exchange(bool overlapped) {
  plan::Exchange exchange;
  std::vector<ArrayId> arrays;
  for (ArrayId id : pending_)
    if (scheduled_.is_exchanged(id)) {
      exchange.arrays.push_back({id, regions_.messages(id)});
      arrays.push_back(id);
    }
  if (arrays.empty()) return arrays;
  exchange_bytes_.push_back(merge_messages(exchange, pipeline_));
  exchange.overlapped = overlapped;
  use_all(arrays, add(std::move(exchange)));
  return arrays;
}

void Planner::use_all(const std::vector<ArrayId>& arrays, int step) {
  for (ArrayId array : arrays) {
    use(stage(array).written_buffer, step);
    use(stage(array).read_buffer, step);
  }
}

Box Planner::box_without_messages(ArrayId id) {
  const ArrayDeclaration& declaration = pipeline_[id];
  if (!scheduled_.is_exchanged(id)) return stage(id).required;
  Box box = stage(id).owned;
  // If an array has separate buffers, the exchange also copies the points of the rank to the buffer that is
  // read.
  if (!regions_.storage(id).shared) box[0].end = box[0].begin;
  if (!declaration.ends_at_domain() || box.empty() || stage(id).required.empty()) return box;
  for (int d = 0; d < box.dimensions; ++d) {
    if (declaration.boundary.is_periodic(d)) continue;
    const Range required = stage(id).required[d];
    if (box[d].begin == declaration.domain[d].begin) box[d].begin = std::min(box[d].begin, required.begin);
    if (box[d].end == declaration.domain[d].end) box[d].end = std::max(box[d].end, required.end);
  }
  const Box sources = within_sides(with_boundary_sources(box, declaration.domain, declaration.boundary),
                                   declaration.domain, declaration.boundary);
  return stage(id).owned.contains(sources) ? box : stage(id).owned;
}

bool Planner::overlaps(ArrayId root) const {
  // A staged stage copies its whole arrays. No messages may arrive in them meanwhile.
  if (pipeline_[root].is_value() || is_staged(pipeline_, plan_.target, root)) return false;
  if (scheduled_.overlap() != Overlap::automatic) return scheduled_.overlap() == Overlap::on;
  return plan_.rank_count > 1 &&
         scheduled_[root].distribution.domain().size() / scheduled_[root].distribution.rank_count() >=
             fewest_overlapped_points;
}

Box Planner::inside_of(const std::vector<ArrayId>& members, const Box& box,
                       const std::map<ArrayId, Box>& there) const {
  Box guess = box;
  visit_needs(members, box, [&](ArrayId id, const Box& need) {
    const Box& had = there.at(id);
    for (int d = 0; d < std::min(need.dimensions, box.dimensions) && !need.empty(); ++d) {
      guess[d].begin = std::max(guess[d].begin, box[d].begin + had[d].begin - need[d].begin);
      guess[d].end = std::min(guess[d].end, box[d].end + had[d].end - need[d].end);
    }
  });
  const auto is_there = [&](const Box& part) {
    bool holds = true;
    visit_needs(members, part,
                [&](ArrayId id, const Box& need) { holds = holds && there.at(id).contains(need); });
    return holds;
  };
  return !guess.empty() && is_there(guess) ? guess : interior_box(box, is_there);
}

void Planner::visit_needs(const std::vector<ArrayId>& members, const Box& part,
                          const std::function<void(ArrayId, const Box&)>& visit) const {
  const std::vector<Box> boxes = member_boxes(scheduled_, members, part);
  std::vector<Box> needs;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto& inputs = pipeline_[members[m]].inputs;
    required_boxes(pipeline_, members[m], pipeline_.within_bounds(members[m], boxes[m]), needs);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (is_pending(inputs[k])) visit(inputs[k], needs[k]);
  }
}

}  // namespace tessera::detail
