// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/detail/plan_steps.hpp"
#include "tessera/pipeline/planner/detail/rank_regions.hpp"

namespace tessera::detail {

/// Makes the plan of one rank: one stage after the other, from inputs to outputs. What a stage computes is
/// pending, until somebody reads it: only then is everything pending exchanged, in one message per partner.
class Planner {
 public:
  Planner(const ScheduledPipeline& scheduled, Plan& plan, Regions& others)
      : scheduled_(scheduled),
        pipeline_(scheduled.pipeline()),
        plan_(plan),
        regions_(scheduled, plan.rank, others) {}

  void run();

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  ArrayRegions& stage(int id) { return plan_.stages[index(id)]; }

  template <class Step>
  static void add(std::vector<PlanNode>& nodes, Step step) {
    nodes.push_back(PlanNode{0, std::move(step)});
  }
  /// A step of the compute phase.
  template <class Step>
  int add(Step step) {
    return steps_.add(std::move(step));
  }

  // Stages.
  void describe(int id);

  void add_buffers(int id, ArrayRegions& regions);

  // What is exchanged, and when.
  bool has_border(int id) const { return pipeline_[id].boundary != BoundaryConditions(); }

  /// What the array holds must be exchanged, or its border filled, before anybody reads it.
  void await(int id);

  // Loops.
  /// A loop that has not ended yet.
  struct OpenLoop {
    const LoopDeclaration* declaration;
    /// The step at which it begins.
    int begin;
    /// What was pending before it, and is read after it at the earliest.
    std::vector<int> pending_later;
  };

  void begin_loops(int id);
  void end_loops(int id);

  /// What the loop reads and never changes is exchanged before it, once.
  void begin_loop(int number, const LoopDeclaration& loop);

  /// What was fed is pending in the next turn, and by those who read it after the loop.
  void end_loop();

  /// The array that has what `value` had before the swaps.
  static int after_swaps(const LoopDeclaration& loop, int value);

  /// Every array takes the place of the one that it is fed to.
  void add_swaps(const LoopDeclaration& loop);

  void add_compute(int root);

  bool reads(const std::vector<int>& members, int array) const;

  /// All pending arrays at once: what goes to one partner is one message. Returns what is left to compute
  /// afterwards: `box`, or its rim if the inside is computed meanwhile.
  std::vector<Box> exchange_pending(const std::vector<int>& members, const Box& box);

  /// The same when there is nothing to compute meanwhile.
  void exchange_pending();

  /// Returns the arrays that are exchanged: where there are none, no step is added.
  std::vector<int> add_exchange(bool overlapped);

  void use_all(const std::vector<int>& arrays, int step);

  /// Fills box(id) of the pending arrays that have a border.
  template <class BoxOf>
  void fill_borders(const BoxOf& box) {
    for (int id : pending_)
      if (has_border(id)) use(stage(id).read_buffer, add(plan::FillBoundary{id, box(id)}));
  }
  /// What a rank has of an pending array before messages arrive: its own block, and beyond the sides of the
  /// domain what can be filled in from that.
  Box box_without_messages(int id);

  /// The same on all ranks, as all of them must have the same steps.
  bool overlaps(int root) const;

  /// The inside of `box`: what the members can compute of it with what is there of pending arrays. Mostly the
  /// box without as much on each side as is missing there; only for other needs it is searched for.
  Box inside_of(const std::vector<int>& members, const Box& box, const std::map<int, Box>& there);

  /// Calls visit(id, need) for all that the members read of pending arrays, to compute `part`.
  using VisitNeed = std::function<void(int, const Box&)>;
  void visit_needs(const std::vector<int>& members, const Box& part, const VisitNeed& visit);

  void add_tiles(int root, const std::vector<Box>& parts, std::vector<int> members);

  /// What kernels look up of the tiles of a group.
  std::int64_t table_bytes(const plan::Compute& step) const;

  void use_outputs(int root, int step);

  void add_reduction(int root);

  /// What is in scratch has no buffer.
  void use(int buffer, int step) {
    if (buffer >= 0) steps_.use(buffer, step);
  }

  bool is_pinned(const Buffer& buffer);

  /// Inputs keep what they hold from run to run, and outputs until they are fetched; all others live from
  /// their first to their last use.
  void place_buffers();

  /// What lives from before, or till after, the compute phase.
  void bracket(plan::Sequence& read, plan::Sequence& write);

  /// Once a tile stage's points are known: those beyond the rank's own share, each once, are redundant. Tiles
  /// may overlap in it, and may leave gaps in it.
  void count_redundant_points(int id);

  /// Every arrangement of buffers that swaps lead to has messages of its own.
  void count_message_bytes();

  void check_memory() const;

  const ScheduledPipeline& scheduled_;
  const Algorithm& pipeline_;
  Plan& plan_;
  RankRegions regions_;
  /// The steps of the compute phase.
  PlanSteps steps_;
  std::vector<OpenLoop> open_loops_;
  /// By exchange, in order: what packed messages travel through.
  std::vector<std::int64_t> exchange_bytes_;
  /// Arrays that were computed or read, but not exchanged yet.
  std::vector<int> pending_;
  /// By stage: points computed of the rank's own share, those of overlapping tiles counted each time.
  std::vector<std::int64_t> own_points_;
};

}  // namespace tessera::detail
