// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/regions.hpp"

namespace tessera {

/// The steps of a plan's compute phase while the plan is made, in the order in which they run, and the
/// lifetime of each buffer in numbers of steps. The beginning and the end of a loop count as steps.
class PlanSteps {
 public:
  /// Adds a step and returns its number.
  template <class Step>
  int add(Step step) {
    levels_.back().emplace_back().step = std::move(step);
    return size_++;
  }
  /// Begins a loop. All steps that are added before the matching end_loop() belong to the loop. Returns the
  /// number of the step at which the loop begins.
  int begin_loop(plan::Repeat loop);
  /// Ends the innermost loop. Returns the number of the step at which the loop ends.
  int end_loop();
  int size() const { return size_; }

  /// Adds a buffer. The first one has the number 0, the next one 1, and so on.
  void add_buffer() { lifetimes_.push_back({}); }
  /// Notes that a step uses a buffer. Step -1 stands for the time before the first step, and step size() for
  /// the time after the last one.
  void use(BufferId buffer, int step) { lifetimes_[buffer].use(step); }
  /// Gives buffers that a plan swaps the same lifetime: all of them are in use whenever one of them is.
  void unite(const std::vector<BufferId>& buffers);

  /// Completes and returns the lifetimes of all buffers. A buffer that is used in a loop and also before or
  /// after it is in use during the whole loop.
  const IdVector<BufferId, Lifetime>& settle_lifetimes();

  /// Returns the steps as nodes. The steps are moved out of this object.
  std::vector<PlanNode> take_nodes() { return std::move(levels_.front()); }

  /// Returns the place of a step among the nodes, depth first. The end of a loop has the place of its last
  /// node.
  int node_of(int step) const;

 private:
  int size_ = 0;
  /// The nodes outside all loops, and then the nodes of each loop that has not ended, outer loops first.
  std::vector<std::vector<PlanNode>> levels_{1};
  /// The lifetime of each buffer.
  IdVector<BufferId, Lifetime> lifetimes_;
  /// The steps at which each loop begins and ends. Inner loops are listed before outer loops.
  std::vector<std::pair<int, int>> loops_;
  /// The steps at which loops begin that have not ended yet.
  std::vector<int> open_loops_;
};

/// Combines all boxes of an exchange that are sent to the same rank into one message, and all boxes that are
/// received from the same rank as well. If a message has several boxes, they are packed into a buffer and no
/// longer sent in place. Returns the number of bytes of all buffers for packed messages.
std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline);

namespace detail {

/// Makes the plan of one rank, one stage after the other, from inputs to outputs. An array that was read or
/// computed, but not exchanged yet, is called pending. When a stage reads a pending array, all pending arrays
/// are exchanged together, with one message to each partner.
class Planner {
 public:
  Planner(const ScheduledPipeline& scheduled, Plan& plan, Regions& others)
      : scheduled_(scheduled),
        pipeline_(scheduled.pipeline()),
        plan_(plan),
        regions_(scheduled, plan.rank, others) {}

  /// Completes the plan, whose rank, rank count and target must be set. Throws the same exceptions as
  /// make_plan.
  void run();

 private:
  ArrayRegions& stage(ArrayId id) { return plan_.stages[id]; }

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
  /// Adds the regions of an array to the plan, with its buffers.
  void describe(ArrayId id);
  void add_buffers(ArrayId id, ArrayRegions& regions);
  void add_compute(ArrayId root);
  void add_tiles(ArrayId root, const std::vector<Box>& parts, std::vector<ArrayId> members);
  void add_reduction(ArrayId root);
  /// Counts the memory that a thread allocates in a library call which computes `box` of the stage
  /// `computed`, and the staging memory of this stage if it is staged.
  void count_library_bytes(ArrayId computed, const Box& box);

  // Exchanges.
  bool has_border(ArrayId id) const { return pipeline_[id].boundary != BoundaryConditions(); }
  bool is_pending(ArrayId id) const { return std::ranges::find(pending_, id) != pending_.end(); }
  /// Makes an array pending if, before a stage reads it, it must be exchanged or its points beyond the domain
  /// must be filled in.
  void await(ArrayId id);
  /// Exchanges all pending arrays together, with one message to each partner. Returns the boxes that must
  /// still be computed afterwards: either `box` itself, or only its rim if the inside of `box` is computed
  /// while messages are under way.
  std::vector<Box> exchange_pending(const std::vector<ArrayId>& members, const Box& box);
  /// Exchanges all pending arrays together, while nothing is computed.
  void exchange_pending();
  /// Adds an Exchange of all pending arrays that take part in exchanges. If there are none, no step is added.
  /// Returns the exchanged arrays.
  std::vector<ArrayId> add_exchange(bool overlapped);
  /// Adds a step for each pending array `id` that has boundary conditions. The step fills in the points of
  /// box(id) that lie outside the domain of the array.
  template <class BoxOf>
  void fill_borders(const BoxOf& box) {
    for (ArrayId id : pending_)
      if (has_border(id)) use(stage(id).read_buffer, add(plan::FillBoundary{id, box(id)}));
  }
  /// Returns the points of a pending array that the rank has before messages arrive. These are its own block,
  /// and the points outside the domain that can be filled in from this block.
  Box box_without_messages(ArrayId id);
  /// Whether the inside of the stage `root` is computed while messages are under way. The answer is the same
  /// on all ranks, because the plans of all ranks must have the same steps.
  bool overlaps(ArrayId root) const;
  /// Returns the inside of `box`, which the members can compute from the points of pending arrays in `there`.
  /// In most cases, this is `box` without as many points on each side as the members lack on this side. In
  /// other cases, the inside is found by a search.
  Box inside_of(const std::vector<ArrayId>& members, const Box& box,
                const std::map<ArrayId, Box>& there) const;
  /// Calls visit(id, need) for each pending array `id` that the members read to compute `part`. `need` is the
  /// box of this array that they read.
  void visit_needs(const std::vector<ArrayId>& members, const Box& part,
                   const std::function<void(ArrayId, const Box&)>& visit) const;

  // Loops.
  /// A loop that has not ended yet.
  struct OpenLoop {
    const LoopDeclaration* declaration;
    /// The step at which the loop begins.
    int begin;
    /// The arrays that were pending before the loop and are not read in the loop.
    std::vector<ArrayId> pending_later;
  };
  void begin_loops(ArrayId id);
  void end_loops(ArrayId id);
  /// Begins a loop. Pending arrays that the loop reads but does not change are exchanged once, before the
  /// loop.
  void begin_loop(int number, const LoopDeclaration& loop);
  /// Ends the innermost loop. The arrays that the loop feeds are pending in its next turn and after the loop.
  void end_loop();

  // Memory.
  /// Notes that a step uses a buffer. If `buffer` is no_buffer, as for arrays in scratch, nothing is noted.
  void use(BufferId buffer, int step) {
    if (buffer != no_buffer) steps_.use(buffer, step);
  }
  void use_all(const std::vector<ArrayId>& arrays, int step);
  void use_outputs(ArrayId root, int step);
  bool is_pinned(const Buffer& buffer);
  /// Places the buffers in the memory of the rank. Inputs keep their points from run to run. Outputs keep
  /// their points until they are fetched. All other buffers are in use from their first to their last use.
  void place_buffers();
  /// Enters in each buffer the ids of the nodes that use it. `last` is the id of the last node of the plan.
  void tell_uses(int last);
  /// Counts the redundant points of a stage, whose computed points must be known. A computed point is
  /// redundant if another rank owns it, or if this rank has computed it already. Tiles may overlap in the
  /// block that the rank owns, and may leave gaps in it.
  void count_redundant_points(ArrayId id);
  /// Adds up the bytes of all messages. Each arrangement of buffers that swaps may lead to has its own
  /// messages.
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
  /// The bytes of the staging memory, which all staged stages use in turn.
  std::int64_t staging_bytes_ = 0;
  /// The pending arrays: arrays that were computed or read, but not exchanged yet.
  std::vector<ArrayId> pending_;
  /// For each stage, the number of points that are computed in the block that this rank owns. A
  /// point in several overlapping tiles is counted once for each tile.
  IdVector<ArrayId, std::int64_t> own_points_;
};

}  // namespace detail

}  // namespace tessera
