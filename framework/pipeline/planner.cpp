// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/interior.hpp"
#include "tessera/pipeline/lifetimes.hpp"
#include "tessera/pipeline/merged_messages.hpp"
#include "tessera/pipeline/plan.hpp"
#include "tessera/pipeline/rank_regions.hpp"
#include "tessera/pipeline/tiling.hpp"

namespace tessera {
namespace {

/// Automatic overlap pays where a rank has so many points: what is saved is then more than what computing
/// the rim by itself costs.
constexpr std::int64_t fewest_overlapped_points = std::int64_t{1} << 18;

class Planner {
 public:
  Planner(const ScheduledPipeline& scheduled, Plan& plan, Regions& others)
      : scheduled_(scheduled),
        pipeline_(scheduled.pipeline()),
        plan_(plan),
        regions_(scheduled, plan.rank, others) {}

  void run() {
    plan::Sequence read{"read", {}}, write{"write", {}};
    for (int id = 0; id < pipeline_.size(); ++id) describe(id);
    for (int id = 0; id < pipeline_.size(); ++id) {
      if (pipeline_[id].is_input()) {
        add(read.children, plan::Read{id, stage(id).owned});
        await(id);
      } else if (pipeline_[id].kernel != nullptr && scheduled_[id].placement != Placement::tile) {
        add_compute(id);
      }
      if (pipeline_[id].is_output)
        add(write.children, plan::Write{id, intersection(stage(id).owned, pipeline_[id].domain)});
    }
    place_buffers();
    plan::Sequence compute{"compute", with_allocations()};
    plan::Sequence root{"plan", {}};
    bracket(read, write);
    for (plan::Sequence* part : {&read, &compute, &write}) add(root.children, std::move(*part));
    plan_.root.step = std::move(root);
    int next_id = 0;
    number(plan_.root, next_id);
    name_exchanges();
    if (!plan_.target.device) plan_.scratch_bytes *= plan_.target.threads;
    for (int id = 0; id < pipeline_.size(); ++id) count_redundant_points(id);
    check_memory();
  }

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  StageRegions& stage(int id) { return plan_.stages[index(id)]; }

  template <class Step>
  static void add(std::vector<PlanNode>& nodes, Step step) {
    nodes.push_back(PlanNode{0, std::move(step)});
  }
  /// A step of the compute phase.
  template <class Step>
  int add(Step step) {
    add(steps_, std::move(step));
    return static_cast<int>(steps_.size()) - 1;
  }

  static void number(PlanNode& node, int& next_id) {
    node.id = next_id++;
    if (auto* sequence = std::get_if<plan::Sequence>(&node.step))
      for (PlanNode& child : sequence->children) number(child, next_id);
  }

  /// FinishExchange nodes refer to the exchange before them.
  void name_exchanges() {
    auto& phases = std::get<plan::Sequence>(plan_.root.step).children;
    int last = 0;
    for (PlanNode& node : std::get<plan::Sequence>(phases[1].step).children) {
      if (std::holds_alternative<plan::Exchange>(node.step)) last = node.id;
      if (auto* finish = std::get_if<plan::FinishExchange>(&node.step)) finish->exchange = last;
    }
  }

  void describe(int id) {
    const auto& settled = scheduled_[id];
    const StageDeclaration& declaration = pipeline_[id];
    StageRegions regions;
    regions.placement = settled.placement;
    regions.grid = settled.distribution.grid();
    regions.slicing = settled.distribution.slicing();
    regions.domain = settled.distribution.domain();
    regions.nominal = settled.distribution.nominal();
    regions.owned = settled.distribution.owned(plan_.rank);
    regions.required = regions_.required(id);
    regions.computed = regions_.computed(id);
    if (declaration.reduction != nullptr) {
      regions.domain = regions.nominal = declaration.domain;
      regions.owned = plan_.rank == 0 ? declaration.domain : Box{{0, 0}};
    }
    regions.required_within_domain = intersection(regions.required, regions.domain);
    own_points_.push_back(0);
    if (settled.placement != Placement::tile) {
      regions.computed_points = regions.computed.size();
      own_points_.back() = intersection(regions.computed, regions.owned).size();
      add_buffers(id, regions);
    }
    plan_.stages.push_back(std::move(regions));
  }

  void add_buffers(int id, StageRegions& regions) {
    const Storage storage = regions_.storage(id);
    const auto add_buffer = [&](const Box& box, std::int64_t aligned_x) {
      const BlockLayout layout = buffer_layout(box, aligned_x, pipeline_[id].type);
      plan_.buffers.push_back({id, layout.box, aligned_x, 0, layout.bytes});
      lifetimes_.emplace_back();
      return static_cast<int>(plan_.buffers.size()) - 1;
    };
    if (storage.shared) {
      regions.written_buffer = regions.read_buffer =
          add_buffer(hull(storage.written, storage.read), storage.written_x);
    } else {
      regions.written_buffer = add_buffer(storage.written, storage.written_x);
      regions.read_buffer = add_buffer(storage.read, storage.read_x);
    }
  }

  /// What the array holds must be exchanged, or its border filled, before anybody reads it.
  void await(int id) {
    const bool has_border = pipeline_[id].is_input() && pipeline_[id].boundary != BoundaryConditions();
    if (scheduled_.is_exchanged(id) || has_border) awaited_.push_back(id);
  }

  void add_compute(int root) {
    std::vector<int> members = fused_members(scheduled_, root);
    const Box& box = regions_.computed(root);
    std::vector<Box> parts = {box};
    const bool reads_awaited =
        std::any_of(awaited_.begin(), awaited_.end(), [&](int id) { return reads(members, id); });
    if (reads_awaited) parts = exchange_awaited(members, box);
    add_tiles(root, parts, std::move(members));
    if (pipeline_[root].reduction != nullptr) add_reduction(root);
    for (int part = root; part < root + pipeline_[root].output_count; ++part) await(part);
  }

  bool reads(const std::vector<int>& members, int array) const {
    return std::any_of(members.begin(), members.end(), [&](int member) {
      const auto& inputs = pipeline_[member].inputs;
      return std::find(inputs.begin(), inputs.end(), array) != inputs.end();
    });
  }

  /// All awaited arrays at once: what goes to one partner is one message. Returns what is left to compute
  /// afterwards: `box`, or its rim if the inside is computed meanwhile.
  std::vector<Box> exchange_awaited(const std::vector<int>& members, const Box& box) {
    plan::Exchange exchange;
    for (int id : awaited_)
      if (scheduled_.is_exchanged(id)) exchange.arrays.push_back({id, regions_.messages(id)});
    plan_.message_bytes += merge_messages(exchange, pipeline_);
    exchange.overlapped = !exchange.arrays.empty() && overlaps(members.back());
    std::vector<int> arrays;
    for (const plan::ArrayMessages& array : exchange.arrays) arrays.push_back(array.array);
    const auto use_arrays = [&](int step) {
      for (int array : arrays) {
        use(stage(array).written_buffer, step);
        use(stage(array).read_buffer, step);
      }
    };
    std::vector<Box> rest = {box};
    if (!exchange.arrays.empty()) {
      const bool overlapped = exchange.overlapped;
      std::map<int, Box> there;
      if (overlapped) {
        for (int id : awaited_) there[id] = box_without_messages(id);
        // Before anything is sent: what travels in place may hold border points between its rows.
        fill_borders([&](int id) { return there[id]; });
      }
      use_arrays(add(std::move(exchange)));
      if (overlapped) {
        const Box inside = inside_of(members, box, there);
        add_tiles(members.back(), {inside}, members);
        use_arrays(add(plan::FinishExchange{}));
        if (!inside.empty()) rest = difference(box, inside);
      }
    }
    fill_borders([this](int id) { return stage(id).required; });
    awaited_.clear();
    return rest;
  }

  /// Fills box(id) of the awaited arrays that have a border.
  template <class BoxOf>
  void fill_borders(const BoxOf& box) {
    for (int id : awaited_)
      if (pipeline_[id].is_input() && pipeline_[id].boundary != BoundaryConditions())
        use(stage(id).read_buffer, add(plan::FillBoundary{id, box(id)}));
  }

  /// What a rank has of an awaited array before messages arrive: its own block, and beyond the sides of the
  /// domain what can be filled in from that.
  Box box_without_messages(int id) {
    const StageDeclaration& declaration = pipeline_[id];
    Box box = stage(id).owned;
    if (!regions_.storage(id).shared) box[0].end = box[0].begin;
    if (!declaration.is_input() || box.empty() || stage(id).required.empty()) return box;
    for (int d = 0; d < box.dimensions; ++d) {
      if (declaration.boundary.is_periodic(d)) continue;
      const Range required = stage(id).required[d];
      if (box[d].begin == declaration.domain[d].begin) box[d].begin = std::min(box[d].begin, required.begin);
      if (box[d].end == declaration.domain[d].end) box[d].end = std::max(box[d].end, required.end);
    }
    const Box sources = intersection(with_boundary_sources(box, declaration.domain, declaration.boundary),
                                     declaration.domain);
    return stage(id).owned.contains(sources) ? box : stage(id).owned;
  }

  /// The same on all ranks, as all of them must have the same steps.
  bool overlaps(int root) const {
    if (scheduled_.overlap() != Overlap::automatic) return scheduled_.overlap() == Overlap::on;
    return plan_.rank_count > 1 &&
           scheduled_[root].distribution.domain().size() / plan_.rank_count >= fewest_overlapped_points;
  }

  /// The inside of `box`: what the members can compute of it with what is there of awaited arrays. Mostly the
  /// box without as much on each side as is missing there; only for other needs it is searched for.
  Box inside_of(const std::vector<int>& members, const Box& box, const std::map<int, Box>& there) {
    Box guess = box;
    visit_needs(members, box, [&](int id, const Box& need) {
      const Box& had = there.at(id);
      for (int d = 0; d < std::min(need.dimensions, box.dimensions) && !need.empty(); ++d) {
        guess[d].begin = std::max(guess[d].begin, box[d].begin + had[d].begin - need[d].begin);
        guess[d].end = std::min(guess[d].end, box[d].end + had[d].end - need[d].end);
      }
    });
    const auto is_there = [&](const Box& part) {
      bool holds = true;
      visit_needs(members, part,
                  [&](int id, const Box& need) { holds = holds && there.at(id).contains(need); });
      return holds;
    };
    return !guess.empty() && is_there(guess) ? guess : interior_box(box, is_there);
  }

  /// Calls visit(id, need) for all that the members read of awaited arrays, to compute `part`.
  template <class Visit>
  void visit_needs(const std::vector<int>& members, const Box& part, const Visit& visit) {
    const std::vector<Box> boxes = member_boxes(scheduled_, members, part);
    std::vector<Box> needs;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const auto& inputs = pipeline_[members[m]].inputs;
      needs.resize(inputs.size());
      scheduled_.required_of(members[m], boxes[m], needs.data());
      for (std::size_t k = 0; k < inputs.size(); ++k)
        if (std::find(awaited_.begin(), awaited_.end(), inputs[k]) != awaited_.end())
          visit(inputs[k], needs[k]);
    }
  }

  void add_tiles(int root, const std::vector<Box>& parts, std::vector<int> members) {
    plan::Compute step = tile_stage(scheduled_, root, parts, std::move(members));
    const std::size_t others = step.members.size() - 1;
    for (std::size_t i = 0; i < step.boxes.size(); ++i)
      for (int part = 0; part < pipeline_[step.members[i % others]].output_count; ++part) {
        const int member = step.members[i % others] + part;
        stage(member).computed_points += step.boxes[i].size();
        own_points_[index(member)] += intersection(step.boxes[i], stage(member).owned).size();
      }
    // Of a device that is a team's, and no memory.
    if (!plan_.target.device)
      plan_.scratch_bytes = std::max(plan_.scratch_bytes, step.scratch_bytes);
    else if (step.group >= 0)
      plan_.scratch_bytes += table_bytes(step);
    const std::vector<int> readers = step.members;
    const int place = add(std::move(step));
    for (int member : readers)
      for (int input : pipeline_[member].inputs)
        if (scheduled_[input].placement != Placement::tile) use(stage(input).read_buffer, place);
    use_outputs(root, place);
  }

  /// What kernels look up of the tiles of a group.
  std::int64_t table_bytes(const plan::Compute& step) const {
    const auto stages = pipeline_.groups()[index(step.group)].stages.size();
    return Tiles(step.parts, step.tile).size() * static_cast<std::int64_t>(stages * sizeof(Box));
  }

  void use_outputs(int root, int step) {
    for (int part = root; part < root + pipeline_[root].output_count; ++part)
      use(stage(part).written_buffer, step);
  }

  void add_reduction(int root) {
    use_outputs(root, add(plan::Reduce{root}));
    const ReductionKernel& reduction = *pipeline_[root].reduction;
    const std::int64_t value = (reduction.value_bytes() + 63) / 64 * 64;
    plan_.partial_bytes += plan_.target.device ? value + reduction.device_shares() * reduction.value_bytes()
                                               : value * plan_.target.threads;
  }

  void use(int buffer, int step) { lifetimes_[index(buffer)].use(step); }

  bool is_pinned(const Buffer& buffer) {
    const StageDeclaration& declaration = pipeline_[buffer.array];
    return (declaration.is_input() || declaration.is_output) &&
           &buffer == &plan_.buffers[index(stage(buffer.array).written_buffer)];
  }

  /// Inputs keep what they hold from run to run, and outputs until they are fetched; all others live from
  /// their first to their last use.
  void place_buffers() {
    const int end = static_cast<int>(steps_.size());
    std::vector<std::int64_t> bytes, offsets;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& buffer = plan_.buffers[i];
      if (is_pinned(buffer)) lifetimes_[i].use(end);
      if (is_pinned(buffer) && pipeline_[buffer.array].is_input()) lifetimes_[i].use(-1);
      bytes.push_back(buffer.bytes);
    }
    plan_.array_bytes = place_by_lifetime(bytes, lifetimes_, offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) plan_.buffers[i].offset = offsets[i];
  }

  /// The buffers in the order of their first, or last, steps.
  std::vector<int> buffers_by(int Lifetime::*step) const {
    std::vector<int> buffers(lifetimes_.size());
    std::iota(buffers.begin(), buffers.end(), 0);
    std::ranges::stable_sort(buffers, {}, [&](int buffer) { return lifetimes_[index(buffer)].*step; });
    return buffers;
  }

  /// The steps of the compute phase with Allocate before a buffer's first use and Free after its last.
  std::vector<PlanNode> with_allocations() {
    const std::vector<int> by_first = buffers_by(&Lifetime::first), by_last = buffers_by(&Lifetime::last);
    auto first = by_first.begin(), last = by_last.begin();
    std::vector<PlanNode> nodes;
    nodes.reserve(steps_.size() + 2 * lifetimes_.size());
    for (int step = 0; step < static_cast<int>(steps_.size()); ++step) {
      for (; first != by_first.end() && lifetimes_[index(*first)].first <= step; ++first)
        if (lifetimes_[index(*first)].first == step && lifetimes_[index(*first)].last >= step)
          add(nodes, plan::Allocate{*first});
      nodes.push_back(std::move(steps_[index(step)]));
      for (; last != by_last.end() && lifetimes_[index(*last)].last <= step; ++last)
        if (lifetimes_[index(*last)].last == step) add(nodes, plan::Free{*last});
    }
    return nodes;
  }

  /// What lives from before, or till after, the compute phase.
  void bracket(plan::Sequence& read, plan::Sequence& write) {
    const int end = static_cast<int>(steps_.size());
    std::vector<PlanNode> allocations;
    for (std::size_t b = 0; b < lifetimes_.size(); ++b) {
      if (lifetimes_[b].first < 0) add(allocations, plan::Allocate{static_cast<int>(b)});
      if (lifetimes_[b].last >= end) add(write.children, plan::Free{static_cast<int>(b)});
    }
    read.children.insert(read.children.begin(), allocations.begin(), allocations.end());
  }

  /// Once a tile stage's points are known: those beyond the rank's own share, each once, are redundant. Tiles
  /// may overlap in it, and may leave gaps in it.
  void count_redundant_points(int id) {
    StageRegions& regions = stage(id);
    if (pipeline_[id].reduction != nullptr) return;
    regions.redundant_points =
        regions.computed_points -
        std::min(own_points_[index(id)], intersection(regions.computed, regions.owned).size());
  }

  void check_memory() const {
    if (plan_.target.memory_bytes == 0 || plan_.peak_bytes() <= plan_.target.memory_bytes) return;
    throw ScheduleError(
        "memory",
        fmt::format("rank {} of {} needs {}, but may use {}: use more ranks, or a schedule that keeps less",
                    plan_.rank, plan_.rank_count, human_bytes(plan_.peak_bytes()),
                    human_bytes(plan_.target.memory_bytes)));
  }

  const ScheduledPipeline& scheduled_;
  const Pipeline& pipeline_;
  Plan& plan_;
  RankRegions regions_;
  /// The steps of the compute phase.
  std::vector<PlanNode> steps_;
  /// By buffer, in steps.
  std::vector<Lifetime> lifetimes_;
  /// Arrays that were computed or read, but not exchanged yet.
  std::vector<int> awaited_;
  /// By stage: points computed of the rank's own share, those of overlapping tiles counted each time.
  std::vector<std::int64_t> own_points_;
};

}  // namespace

Plan make_plan(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank) {
  return make_plan(ScheduledPipeline(pipeline, schedule, target, rank_count), rank);
}

Plan make_plan(const ScheduledPipeline& scheduled, int rank) {
  Regions others(scheduled);
  return make_plan(scheduled, rank, others);
}

Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others) {
  Plan plan;
  plan.rank = rank;
  plan.rank_count = scheduled.rank_count();
  plan.target = scheduled.target();
  Planner(scheduled, plan, others).run();
  return plan;
}

const plan::Sequence& phase(const Plan& plan, std::string_view name) {
  for (const PlanNode& child : std::get<plan::Sequence>(plan.root.step).children)
    if (const auto* sequence = std::get_if<plan::Sequence>(&child.step); sequence && sequence->name == name)
      return *sequence;
  throw InternalError("a plan without the phase '" + std::string(name) + "'");
}

}  // namespace tessera
