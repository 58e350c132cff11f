// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/detail/plan_steps.hpp"
#include "tessera/pipeline/planner/detail/rank_regions.hpp"

namespace tessera::detail {

/// Makes the plan of one rank, one stage after the other, from inputs to outputs. An array that was computed
/// is pending until a stage reads it. Only then are all pending arrays exchanged, in one message per partner.
class Planner {
 public:
  Planner(const ScheduledPipeline& scheduled, Plan& plan, Regions& others)
      : scheduled_(scheduled),
        pipeline_(scheduled.pipeline()),
        plan_(plan),
        regions_(scheduled, plan.rank, others) {}

  /// Completes the plan, of which rank, rank count and target must be set. Throws as make_plan does.
  void run();

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  ArrayRegions& stage(int id) { return plan_.stages[index(id)]; }

  template <class Step>
  static void add(std::vector<PlanNode>& nodes, Step step) {
    nodes.push_back(PlanNode{0, std::move(step)});
  }
  /// Adds a step to the compute phase and returns its number.
  template <class Step>
  int add(Step step) {
    return steps_.add(std::move(step));
  }

  // Stages.
  void describe(int id);

  void add_buffers(int id, ArrayRegions& regions);

  // What is exchanged, and when.
  bool has_border(int id) const { return pipeline_[id].boundary != BoundaryConditions(); }

  /// Makes an array pending if it must be exchanged, or its border filled, before a stage reads it.
  void await(int id);

  // Loops.
  /// A loop that has not ended yet.
  struct OpenLoop {
    const LoopDeclaration* declaration;
    /// The step at which it begins.
    int begin;
    /// The arrays that were pending before it and are read after it at the earliest.
    std::vector<int> pending_later;
  };

  void begin_loops(int id);
  void end_loops(int id);

  /// Begins a loop. Arrays that it reads and never changes are exchanged once, before it.
  void begin_loop(int number, const LoopDeclaration& loop);

  /// Ends the innermost loop. The arrays that it feeds are pending in its next turn and after it.
  void end_loop();

  /// Returns the array that holds the values of the array `value` after the swaps.
  static int after_swaps(const LoopDeclaration& loop, int value);

  /// Adds the swaps with which every array takes the place of the one to which it is fed.
  void add_swaps(const LoopDeclaration& loop);

  void add_compute(int root);

  bool reads(const std::vector<int>& members, int array) const;

  /// Exchanges all pending arrays at once, with one message per partner. Returns the boxes that are left to
  /// compute afterwards, which are `box`, or its rim if the inside is computed meanwhile.
  std::vector<Box> exchange_pending(const std::vector<int>& members, const Box& box);

  /// Exchanges all pending arrays at once, while nothing is computed.
  void exchange_pending();

  /// Adds an Exchange of the pending arrays, or nothing if none of them is exchanged. Returns those that are.
  std::vector<int> add_exchange(bool overlapped);

  void use_all(const std::vector<int>& arrays, int step);

  /// Adds steps that fill the borders in box(id) of each pending array `id` that has one.
  template <class BoxOf>
  void fill_borders(const BoxOf& box) {
    for (int id : pending_)
      if (has_border(id)) use(stage(id).read_buffer, add(plan::FillBoundary{id, box(id)}));
  }
  /// Returns the points of a pending array that a rank has before messages arrive: its own block, and beyond
  /// the sides of the domain the points that can be filled in from it.
  Box box_without_messages(int id);

  /// Whether the inside of the stage is computed while messages are under way. The answer is the same on all
  /// ranks, as all of them must have the same steps.
  bool overlaps(int root) const;

  /// Returns the inside of `box`, which the members can compute from the points of pending arrays in `there`.
  /// It mostly is the box without as many points on each side as are missing there; only if stages need other
  /// points it is searched for.
  Box inside_of(const std::vector<int>& members, const Box& box, const std::map<int, Box>& there);

  /// A function that takes the id of an array and a box that is read of it.
  using VisitNeed = std::function<void(int, const Box&)>;
  /// Calls visit(id, need) for each pending array of which the members read a box to compute `part`.
  void visit_needs(const std::vector<int>& members, const Box& part, const VisitNeed& visit);

  void add_tiles(int root, const std::vector<Box>& parts, std::vector<int> members);

  /// Returns the bytes of the tables in which the kernel of a group looks up its tiles.
  std::int64_t table_bytes(const plan::Compute& step) const;

  void use_outputs(int root, int step);

  void add_reduction(int root);

  /// Notes that a step uses a buffer. Arrays in scratch have no buffer, which is -1 then.
  void use(int buffer, int step) {
    if (buffer >= 0) steps_.use(buffer, step);
  }

  bool is_pinned(const Buffer& buffer);

  /// Places the buffers in the rank's memory. Inputs keep what they hold from run to run, and outputs until
  /// they are fetched; all others live from their first to their last use.
  void place_buffers();

  /// Adds Allocate and Free to the phases `read` and `write` for buffers that are in use before or after the
  /// compute phase.
  void bracket(plan::Sequence& read, plan::Sequence& write);

  /// Counts the redundant points of a tile stage when its points are known: all beyond the points of the
  /// rank's own share, each once. Tiles may overlap in the share, and may leave gaps in it.
  void count_redundant_points(int id);

  /// Adds up the bytes of messages. Each arrangement of buffers to which swaps lead has messages of its own.
  void count_message_bytes();

  void check_memory() const;

  const ScheduledPipeline& scheduled_;
  const Algorithm& pipeline_;
  Plan& plan_;
  RankRegions regions_;
  /// The steps of the compute phase.
  PlanSteps steps_;
  std::vector<OpenLoop> open_loops_;
  /// The bytes of the buffers for packed messages, for each exchange in order.
  std::vector<std::int64_t> exchange_bytes_;
  /// Arrays that were computed or read, but not exchanged yet.
  std::vector<int> pending_;
  /// The number of points of the rank's own share that are computed of each stage, by its id. Points of
  /// overlapping tiles are counted each time.
  std::vector<std::int64_t> own_points_;
};

}  // namespace tessera::detail
