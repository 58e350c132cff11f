// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <string>

#include "tessera/pipeline/plan/member_boxes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::detail {

/// Checks everything in a plan that executors assume but do not check. Each number is checked before it is
/// used in a computation, so that nothing overflows.
class PlanChecker {
 public:
  /// Makes a checker of `plan`, which should be a plan for `window`. `domains` are the domains of all arrays
  /// for that window, by id. The arguments must outlive the checker.
  PlanChecker(const Algorithm& pipeline, const Window& window, const std::vector<ArrayDomain>& domains,
              const Plan& plan)
      : pipeline_(pipeline), window_(window), domains_(domains), plan_(plan) {}

  /// Throws InputError at the first fault.
  void check();

 private:
  // Checks of the plan as a whole.
  void check_target();
  void check_grid(const ProcessorGrid& grid, int dimensions) const;
  void check_stage(int id);
  void check_owned(int id) const;
  void check_buffer(const Buffer& buffer) const;
  void check_memory() const;

  /// Checks that no step is missing. If a step were missing, a result could be incomplete without an error.
  void check_completeness() const;

  // Checks of the tree of nodes, in the order in which the nodes run.
  void check_root() const;
  void check_node(const PlanNode& node, int level);
  void check_overlaps(const std::vector<PlanNode>& children);
  void check_step(const plan::Sequence&) {}
  void check_step(const plan::Repeat& step);
  const LoopDeclaration& loop_of(const plan::Repeat& step) const {
    return pipeline_.loops()[static_cast<std::size_t>(step.loop)];
  }
  void check_step(const plan::Bands& step);
  void check_step(const plan::Items&) {}
  void check_step(const plan::Allocate& step);
  void check_step(const plan::Free& step);
  void check_step(const plan::Read& step);
  void check_step(const plan::Write& step);
  void check_step(const plan::Exchange& step);
  void check_step(const plan::FinishExchange&) {}
  void check_step(const plan::FillBoundary& step);
  void check_step(const plan::Compute& step);
  void check_step(const plan::Reduce& step);
  void check_step(const plan::Swap& step);
  /// Checks that a loop swaps what it feeds in the order in which the planner does (see feed_chains).
  void check_feeds(const plan::Repeat& step, const LoopDeclaration& loop) const;
  /// Checks that the buffers of the arrays that a loop feeds are in use before, during and after its turns.
  void check_fed_buffers(const plan::Repeat& step, const LoopDeclaration& loop) const;
  void check_messages(const plan::Exchange& step, const plan::ArrayMessages& array, bool sends);
  void check_copies(const plan::ArrayMessages& array);
  void check_in_place(const plan::Exchange& step, const plan::ArrayMessages& array, const Message& message,
                      bool sends) const;

  // Checks of compute nodes.
  void check_members(const plan::Compute& step) const;
  void check_group(const plan::Compute& step) const;
  void check_parts(const plan::Compute& step) const;
  void check_scratch(const plan::Compute& step) const;
  void check_contributions(const plan::Compute& step) const;
  /// Raises the entries of `scratch_bytes` to the bytes that the outputs of the last member need for `tile`.
  /// Only outputs that are kept in scratch have an entry.
  void add_root_scratch(const plan::Compute& step, const Box& tile,
                        std::vector<std::int64_t>& scratch_bytes) const;
  /// Checks that tiles are cut into inner tiles only where members are computed in them on hosts, and that
  /// members are computed in an order in which they find what they read.
  void check_inner_tiles(const plan::Compute& step) const;
  void check_tiles(const plan::Compute& step) const;
  /// Checks inner tile `number`, which has the points `inner` and belongs to the tile with the points `tile`.
  void check_tile(const plan::Compute& step, std::int64_t number, bool is_first, const Box& inner,
                  const Box& tile, std::vector<std::int64_t>& scratch_bytes) const;
  /// Raises the entries of `scratch_bytes` to the bytes that the outputs of member `m` need for `box`.
  void add_member_scratch(const plan::Compute& step, std::size_t m, const Box& box, std::int64_t aligned_x,
                          std::vector<std::int64_t>& scratch_bytes) const;
  /// Checks that no arrays in scratch that live at the same time overlap.
  void check_places(const plan::Compute& step, const std::vector<std::int64_t>& scratch_bytes) const;
  void check_contributed(const plan::Compute& step, int member, const Box& tile, const Box& box) const;
  void check_border(int member, const Box& box) const;
  /// Checks that all points that a member reads to compute `box` are in a buffer or in scratch.
  void check_needs(const plan::Compute& step, const Box* boxes, std::size_t member, const Box& box) const;
  void check_whole_lines(int stage, const Box& box) const;

  // Checks of single items, such as a number or a box.
  void check_array(int array) const;
  void check_box(const Box& box, int dimensions, const char* what) const;
  void check_inside(const Box& outer, const Box& box, const char* what) const;
  /// Returns the points that a rank may compute of an array, if it computes `box`: those of the domain, and
  /// beyond periodic sides those of `box`.
  Box computable(int id, const Box& box) const;
  void check_range(std::int64_t number, std::int64_t least, std::int64_t most, const char* what) const;
  /// Returns the buffer in which an array is written or read, and checks that this buffer is in use. `side`
  /// is &ArrayRegions::written_buffer or &ArrayRegions::read_buffer.
  const Buffer& buffer_in_use(int array, int ArrayRegions::*side) const;
  BlockLayout layout_of(const Buffer& buffer) const;
  const ArrayRegions& stage(int id) const { return plan_.stages[static_cast<std::size_t>(id)]; }

  template <class... Arguments>
  void require(bool holds, fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (!holds) fail(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  [[noreturn]] void fail(const std::string& problem) const;

  const Algorithm& pipeline_;
  const Window& window_;
  const std::vector<ArrayDomain>& domains_;
  const Plan& plan_;
  /// The name of the part of the plan that is being checked, for error messages.
  std::string where_;
  int next_id_ = 0;
  /// Whether each buffer is in use, by its number.
  std::vector<bool> in_use_;
};

}  // namespace tessera::detail
