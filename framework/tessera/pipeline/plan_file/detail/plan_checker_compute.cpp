// SPDX-License-Identifier: BSD-3-Clause
// The checks of steps that compute or exchange.
#include <algorithm>
#include <set>

#include "tessera/pipeline/plan_file/detail/plan_checker.hpp"
#include "tessera/pipeline/planner/required_boxes.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera::detail {
namespace {

constexpr std::int64_t longest_tile = std::int64_t{1} << 40;
constexpr std::int64_t most_tiles = 1 << 20;
constexpr std::size_t most_parts = 1000;
constexpr std::int64_t most_scratch = std::int64_t{1} << 36;

std::int64_t boxes_for(const plan::Exchange& step, int partner, bool sends) {
  std::int64_t count = 0;
  for (const plan::ArrayMessages& array : step.arrays) {
    const auto& messages = sends ? array.lists.sends : array.lists.receives;
    count += std::count_if(messages.begin(), messages.end(),
                           [&](const Message& message) { return message.partner == partner; });
  }
  return count;
}

bool is_in_scratch(const plan::Compute& step, int array) {
  return std::ranges::any_of(step.scratch,
                             [array](const plan::Scratch& place) { return place.array == array; });
}

}  // namespace

void PlanChecker::check_step(const plan::Exchange& step) {
  std::set<int> arrays;
  for (const plan::ArrayMessages& array : step.arrays) {
    check_array(array.array);
    require(arrays.insert(array.array).second, "'{}' stands there twice", pipeline_[array.array].name);
  }
  for (const plan::ArrayMessages& array : step.arrays) {
    check_messages(step, array, true);
    check_messages(step, array, false);
    check_copies(array);
  }
}

void PlanChecker::check_messages(const plan::Exchange& step, const plan::ArrayMessages& array, bool sends) {
  const Buffer& buffer =
      buffer_in_use(array.array, sends ? &ArrayRegions::written_buffer : &ArrayRegions::read_buffer);
  const auto& messages = sends ? array.lists.sends : array.lists.receives;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    check_range(message.partner, 0, plan_.rank_count - 1, "a partner");
    require(message.partner != plan_.rank, "a message to itself");
    require(i == 0 || messages[i - 1].partner <= message.partner, "partners are not in rising order");
    check_box(message.box, pipeline_[array.array].dimensions, "the box of a message");
    require(!message.box.empty(), "an empty message");
    for (std::int64_t shift : message.shift.at) check_range(shift, -most_scratch, most_scratch, "a shift");
    check_inside(buffer.box, sends ? message.source() : message.box, "the box of a message");
    if (message.in_place) check_in_place(step, array, message, sends);
  }
}

/// Checks that a message can be sent in place on this rank. The strides of the sender and of the receiver are
/// compared by find_message_mismatch, which knows both plans.
void PlanChecker::check_in_place(const plan::Exchange& step, const plan::ArrayMessages& array,
                                 const Message& message, bool sends) const {
  const ArrayDeclaration& declaration = pipeline_[array.array];
  const int buffer = sends ? stage(array.array).written_buffer : stage(array.array).read_buffer;
  require(is_slab_of(sends ? message.source() : message.box,
                     layout_of(plan_.buffers[static_cast<std::size_t>(buffer)]), stage(array.array).domain,
                     declaration.boundary),
          "{} of '{}' cannot be sent in place", to_string(message.box), declaration.name);
  require(boxes_for(step, message.partner, sends) == 1, "what is sent in place must be alone in its message");
}

void PlanChecker::check_copies(const plan::ArrayMessages& array) {
  const int from = stage(array.array).written_buffer, to = stage(array.array).read_buffer;
  for (const Message& copy : array.lists.copies) {
    require(copy.partner == plan_.rank, "a copy from rank {}", copy.partner);
    check_box(copy.box, pipeline_[array.array].dimensions, "the box of a copy");
    require(!copy.box.empty(), "an empty copy");
    for (std::int64_t shift : copy.shift.at) check_range(shift, -most_scratch, most_scratch, "a shift");
    check_inside(buffer_in_use(array.array, &ArrayRegions::written_buffer).box, copy.source(), "a copy");
    check_inside(buffer_in_use(array.array, &ArrayRegions::read_buffer).box, copy.box, "a copy");
    require(from != to || intersection(copy.source(), copy.box).empty(), "a copy of {} onto itself",
            to_string(copy.box));
  }
}

void PlanChecker::check_step(const plan::Compute& step) {
  check_array(step.stage);
  check_members(step);
  check_group(step);
  check_parts(step);
  check_inner_tiles(step);
  check_scratch(step);
  check_contributions(step);
  check_tiles(step);
}

void PlanChecker::check_members(const plan::Compute& step) const {
  require(!step.members.empty() && step.members.back() == step.stage, "the last member is not its stage");
  for (std::size_t m = 0; m < step.members.size(); ++m) {
    check_array(step.members[m]);
    const ArrayDeclaration& declaration = pipeline_[step.members[m]];
    require(m == 0 || step.members[m - 1] < step.members[m], "members are not in order");
    require(declaration.kernel != nullptr, "'{}' is computed by no stage of that name", declaration.name);
    require(declaration.reduction == nullptr || m + 1 == step.members.size(),
            "the global reduction '{}' cannot be computed in tiles", declaration.name);
  }
}

void PlanChecker::check_group(const plan::Compute& step) const {
  const bool grouped = plan_.target.device && step.members.size() > 1;
  if (!grouped) return require(step.group == -1, "group is {}, and should be -1", step.group);
  check_range(step.group, 0, static_cast<std::int64_t>(pipeline_.groups().size()) - 1, "group");
  const auto& stages = pipeline_.groups()[static_cast<std::size_t>(step.group)].stages;
  for (int member : step.members)
    require(std::find(stages.begin(), stages.end(), member) != stages.end(), "'{}' is not in group {}",
            pipeline_[member].name, step.group);
}

Box PlanChecker::computable(int id, const Box& box) const {
  Box points = domains_[static_cast<std::size_t>(id)].domain;
  for (int part : pipeline_.parts(pipeline_[id].lead))
    for (int d = 0; d < points.dimensions; ++d)
      if (pipeline_[part].is_bounded && pipeline_[part].boundary.is_periodic(d))
        points[d] = {std::min(points[d].begin, box[d].begin), std::max(points[d].end, box[d].end)};
  return points;
}

void PlanChecker::check_parts(const plan::Compute& step) const {
  const ArrayDeclaration& declaration = pipeline_[step.stage];
  const int dimensions = domains_[static_cast<std::size_t>(step.stage)].domain.dimensions;
  require(step.parts.size() <= most_parts, "{} parts", step.parts.size());
  for (std::size_t i = 0; i < step.parts.size(); ++i) {
    const Box& part = step.parts[i];
    check_box(part, dimensions, "a part");
    require(!part.empty(), "an empty part");
    check_inside(declaration.reduction != nullptr ? declaration.reduced : computable(step.stage, part), part,
                 "a part");
    check_whole_lines(step.stage, part);
    for (std::size_t k = 0; k < i; ++k)
      require(intersection(part, step.parts[k]).empty(), "the parts {} and {} overlap", to_string(part),
              to_string(step.parts[k]));
    for (int k = 0; k < declaration.output_count && declaration.reduction == nullptr; ++k)
      if (!is_in_scratch(step, step.stage + k))
        check_inside(buffer_in_use(step.stage + k, &ArrayRegions::written_buffer).box, part, "a part");
  }
  if (step.parts.empty()) return;
  require(step.tile.size() == static_cast<std::size_t>(dimensions), "tile has {} entries instead of {}",
          step.tile.size(), dimensions);
  for (std::size_t d = 0; d < step.tile.size(); ++d) {
    check_range(step.tile[d], 1, longest_tile, "an entry of tile");
    require(declaration.reduction != nullptr || step.tile[d] >= declaration.whole[d].size(),
            "tiles cut the lines of '{}'", declaration.name);
  }
}

/// Checks that `box` contains whole lines in each dimension in which the stage computes whole lines. Such a
/// stage writes whole lines even if `box` contains only a part of them.
void PlanChecker::check_whole_lines(int id, const Box& box) const {
  const ArrayDeclaration& declaration = pipeline_[id];
  if (declaration.reduction != nullptr) return;
  for (int d = 0; d < box.dimensions; ++d) {
    const Range& whole = declaration.whole[static_cast<std::size_t>(d)];
    require(whole.empty() || box[d] == whole, "{} has a part of the lines of '{}'", to_string(box),
            declaration.name);
  }
}

/// Checks that the scratch memory holds exactly the following arrays: all outputs of all members except the
/// last one, and those outputs of the last member that are in no buffer.
void PlanChecker::check_scratch(const plan::Compute& step) const {
  std::set<int> expected, found;
  for (int k = 0; k < pipeline_[step.stage].output_count; ++k)
    if (pipeline_[step.stage].reduction == nullptr && stage(step.stage + k).written_buffer < 0)
      expected.insert(step.stage + k);
  for (std::size_t m = 0; m + 1 < step.members.size(); ++m)
    for (int k = 0; k < pipeline_[step.members[m]].output_count; ++k) expected.insert(step.members[m] + k);
  for (const plan::Scratch& scratch : step.scratch) {
    check_array(scratch.array);
    check_range(scratch.offset, 0, step.scratch_bytes, "an offset in scratch");
    require(scratch.offset % 64 == 0, "the offset {} in scratch is no multiple of 64", scratch.offset);
    require(found.insert(scratch.array).second, "'{}' has two places in scratch",
            pipeline_[scratch.array].name);
  }
  require(found == expected || step.parts.empty(), "scratch does not hold what the members compute");
  require(step.parts.empty() ? found.empty() && step.boxes.empty() : true, "scratch without parts");
}

/// Checks that each contribution is to a global reduction of an output of a member, that its box is within
/// the box that is reduced, and that no reduction occurs twice.
void PlanChecker::check_contributions(const plan::Compute& step) const {
  std::set<int> seen;
  for (const plan::Contribution& contribution : step.contributions) {
    check_array(contribution.stage);
    const ArrayDeclaration& declaration = pipeline_[contribution.stage];
    require(
        !plan_.target.device && declaration.reduction != nullptr &&
            std::ranges::find(step.members, pipeline_[declaration.inputs.front()].lead) != step.members.end(),
        "'{}' is no global reduction of what is computed", declaration.name);
    require(seen.insert(contribution.stage).second, "'{}' is contributed to twice", declaration.name);
    check_box(contribution.box, declaration.reduced.dimensions, "the box of a contribution");
    check_inside(declaration.reduced, contribution.box, "a contribution");
  }
}

void PlanChecker::check_inner_tiles(const plan::Compute& step) const {
  const bool is_cut = !step.inner.empty();
  require(!is_cut || (!plan_.target.device && step.members.size() > 1 && !step.parts.empty()),
          "inner tiles without members on a host");
  require(step.placements.size() == (is_cut ? step.members.size() - 1 : 0), "{} placements of {} members",
          step.placements.size(), step.members.size());
  if (!is_cut) return;
  require(step.inner.size() == step.tile.size(), "inner has {} entries instead of {}", step.inner.size(),
          step.tile.size());
  const ArrayDeclaration& declaration = pipeline_[step.stage];
  for (std::size_t d = 0; d < step.inner.size(); ++d) {
    check_range(step.inner[d], 1, step.tile[d], "an entry of inner");
    require(declaration.reduction != nullptr || step.inner[d] >= declaration.whole[d].size(),
            "inner tiles cut the lines of '{}'", declaration.name);
  }
  for (std::size_t m = 0; m < step.placements.size(); ++m) {
    const ArrayDeclaration& member = pipeline_[step.members[m]];
    require(is_in_tiles(step.placements[m]), "the member '{}' is '{}'", member.name,
            name_of(step.placements[m]));
    for (std::size_t k = 0; k < m && step.placements[m] == Placement::outer_tile; ++k)
      require(step.placements[k] == Placement::outer_tile ||
                  std::ranges::none_of(member.inputs,
                                       [&](int input) { return pipeline_[input].lead == step.members[k]; }),
              "'{}' reads '{}' before it is computed", member.name, pipeline_[step.members[k]].name);
  }
}

void PlanChecker::check_tiles(const plan::Compute& step) const {
  if (step.parts.empty()) return;
  check_range(step.scratch_bytes, 0, most_scratch, "scratch_bytes");
  const auto others = static_cast<std::int64_t>(step.members.size()) - 1;
  const Tiles tiles(step.parts, step.tile);
  require(others == 0 || tiles.size() <= most_tiles, "{} tiles", tiles.size());
  std::vector<std::int64_t> bytes(step.scratch.size(), 0);
  if (others == 0) {
    require(step.boxes.empty(), "{} boxes of members in {} tiles", step.boxes.size(), tiles.size());
    for (const Box& part : step.parts) {
      check_needs(step, nullptr, 0, part);
      add_root_scratch(step, Tiles({part}, step.tile)[0], bytes);
    }
    return check_places(step, bytes);
  }
  const InnerTiles inner(step.parts, step.tile, step.inner);
  require(static_cast<std::int64_t>(step.boxes.size()) == inner.size() * others,
          "{} boxes of members in {} tiles", step.boxes.size(), inner.size());
  for (std::int64_t t = 0; t < tiles.size(); ++t) {
    const Box tile = tiles[t];
    for (std::int64_t number = inner.first(t); number < inner.first(t + 1); ++number)
      check_tile(step, number, number == inner.first(t), inner.inner(t, tile, number), tile, bytes);
  }
  check_places(step, bytes);
}

void PlanChecker::check_places(const plan::Compute& step, const std::vector<std::int64_t>& bytes) const {
  const std::vector<Lifetime> lifetimes = scratch_lifetimes(pipeline_, step);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::int64_t begin = step.scratch[i].offset, end = begin + bytes[i];
    require(end <= step.scratch_bytes, "'{}' reaches beyond scratch_bytes",
            pipeline_[step.scratch[i].array].name);
    for (std::size_t k = 0; k < i; ++k)
      require(end <= step.scratch[k].offset || step.scratch[k].offset + bytes[k] <= begin ||
                  lifetimes[i].last < lifetimes[k].first || lifetimes[k].last < lifetimes[i].first,
              "'{}' and '{}' overlap in scratch", pipeline_[step.scratch[i].array].name,
              pipeline_[step.scratch[k].array].name);
  }
}

void PlanChecker::check_tile(const plan::Compute& step, std::int64_t number, bool is_first, const Box& inner,
                             const Box& tile, std::vector<std::int64_t>& scratch_bytes) const {
  const std::size_t others = step.members.size() - 1;
  const Box* boxes = &step.boxes[static_cast<std::size_t>(number) * others];
  for (std::size_t m = 0; m < others; ++m) {
    const int member = step.members[m];
    const bool is_outer = placement_of(step, m) == Placement::outer_tile;
    const Box& points_of_member = is_outer ? tile : inner;
    check_box(boxes[m], pipeline_[member].dimensions, "the box of a member");
    require(!is_outer || is_first || boxes[m] == *(&boxes[m] - others),
            "inner tiles of a tile need {} and {} of '{}'", to_string(boxes[m]),
            to_string(is_first ? boxes[m] : *(&boxes[m] - others)), pipeline_[member].name);
    check_contributed(step, member, points_of_member, boxes[m]);
    if (boxes[m].empty()) continue;
    const Box points = pipeline_.within_bounds(member, boxes[m]);
    check_inside(computable(member, points), points, "the box of a member");
    check_border(member, boxes[m]);
    if (!points.empty()) check_whole_lines(member, points);
    add_member_scratch(step, m, boxes[m], points_of_member[0].begin, scratch_bytes);
    const Box computed = pipeline_.within_bounds(member, computed_box(step, number, is_first, m));
    if (computed.empty()) continue;
    check_whole_lines(member, computed);
    check_needs(step, boxes, m, computed);
  }
  check_needs(step, boxes, others, inner);
  add_root_scratch(step, inner, scratch_bytes);
}

void PlanChecker::add_member_scratch(const plan::Compute& step, std::size_t m, const Box& box,
                                     std::int64_t aligned_x, std::vector<std::int64_t>& scratch_bytes) const {
  Box all = stage(step.members[m]).domain;
  for (int part : pipeline_.parts(step.members[m])) all = hull(all, stage(part).required);
  const std::int64_t most_rows = box.dimensions > 1 ? all[1].size() : 0;
  for (std::size_t k = 0; k < step.scratch.size(); ++k) {
    const plan::Scratch& scratch = step.scratch[k];
    if (pipeline_[scratch.array].lead != step.members[m]) continue;
    const std::int64_t size = pipeline_[scratch.array].element_bytes();
    const bool is_window = placement_of(step, m) == Placement::window && box.dimensions > 1;
    check_range(scratch.rows, is_window ? box[1].size() : 0, is_window ? most_rows : 0,
                "the number of rows in scratch");
    const std::int64_t bytes =
        plan_.target.device ? box.size() * size : scratch_layout(box, scratch.rows, aligned_x, size).bytes;
    scratch_bytes[k] = std::max(scratch_bytes[k], bytes);
  }
}

/// Checks that the points of `tile` that a member contributes to reductions are within `box`, which the
/// member computes in this tile.
void PlanChecker::check_contributed(const plan::Compute& step, int member, const Box& tile,
                                    const Box& box) const {
  for (const plan::Contribution& contribution : step.contributions)
    if (pipeline_[pipeline_[contribution.stage].inputs.front()].lead == member)
      require(box.contains(intersection(tile, contribution.box)), "'{}' contributes {}, but {} is computed",
              pipeline_[member].name, to_string(intersection(tile, contribution.box)), to_string(box));
}

/// Checks that the points of `box` outside the domain of a member can be filled in. Each side beyond which
/// `box` has points must have a boundary condition, and `box` must contain the points that the boundary
/// conditions copy.
void PlanChecker::check_border(int member, const Box& box) const {
  for (int part : pipeline_.parts(member)) {
    const ArrayDeclaration& declaration = pipeline_[part];
    if (!declaration.is_bounded) continue;
    require(box.contains(with_boundary_sources(box, declaration.domain, declaration.boundary)),
            "{} of '{}' lacks what its boundary conditions copy", to_string(box), declaration.name);
    for (int d = 0; d < box.dimensions; ++d) {
      const auto& side = declaration.boundary.side[static_cast<std::size_t>(d)];
      require((side[0] != Boundary::none || declaration.domain[d].begin <= box[d].begin) &&
                  (side[1] != Boundary::none || box[d].end <= declaration.domain[d].end),
              "nothing says what '{}' is in {}", declaration.name, to_string(box));
    }
  }
}

void PlanChecker::add_root_scratch(const plan::Compute& step, const Box& tile,
                                   std::vector<std::int64_t>& scratch_bytes) const {
  for (std::size_t k = 0; k < step.scratch.size(); ++k)
    if (const int array = step.scratch[k].array; pipeline_[array].lead == step.stage)
      scratch_bytes[k] = std::max(scratch_bytes[k],
                                  padded_layout(tile, tile[0].begin, pipeline_[array].element_bytes()).bytes);
}

void PlanChecker::check_needs(const plan::Compute& step, const Box* boxes, std::size_t member,
                              const Box& box) const {
  const ArrayDeclaration& declaration = pipeline_[step.members[member]];
  std::vector<Box> needs(declaration.inputs.size());
  required_boxes(pipeline_, step.members[member], box, needs.data());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].empty()) continue;
    const int input = declaration.inputs[i];
    const auto inner = step.members.begin() + static_cast<std::ptrdiff_t>(member);
    const auto producer = std::find(step.members.begin(), inner, pipeline_[input].lead);
    const Box& there = producer == inner ? buffer_in_use(input, &ArrayRegions::read_buffer).box
                                         : boxes[producer - step.members.begin()];
    require(there.contains(needs[i]), "'{}' reads {} of '{}', but {} is there", declaration.name,
            to_string(needs[i]), pipeline_[input].name, to_string(there));
  }
}

}  // namespace tessera::detail
