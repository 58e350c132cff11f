// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/window.hpp"

namespace tessera {

/// The points that one array has. They follow from the pipeline and do not depend on the schedule.
struct ArrayDomain {
  /// All points that any rank may compute or read. For a global reduction, these are the points of its input
  /// that it reduces. For an input in one band, they may lie beyond periodic sides: such points are read from
  /// the other end of the input.
  Box domain;
  /// The box that is cut into the blocks of the ranks, unless the schedule asks for other blocks. Where a
  /// stage reads more points of an array than it computes, because it also reads their neighbours, the
  /// additional points at the edges are left out. It may contain points outside the domain.
  Box nominal;
};

/// Returns the domain and the nominal box of each array for plans of `window`. All
/// outputs of a stage have the same domain. Throws InternalError if the result of a stage is never used, if a
/// stage reads points that its input does not have, or if a loop feeds an array to an array with a different
/// domain.
IdVector<ArrayId, ArrayDomain> array_domains(const Algorithm& pipeline, const Window& window = {});

/// The groups of arrays whose buffers loops swap with each other (see plan::Swap). All arrays of a group have
/// the same blocks, and their buffers have the same shape.
class SwapGroups {
 public:
  /// Finds the groups of arrays in `pipeline`. If a loop feeds one array to another (see
  /// LoopDeclaration::Feed), both arrays are in the same group.
  explicit SwapGroups(const Algorithm& pipeline);

  /// Returns the ids of all arrays in the group of `array`, including `array` itself, in ascending order. The
  /// list is empty if no loop feeds `array` to another array or another array to `array`.
  const std::vector<ArrayId>& of(ArrayId array) const { return groups_[group_of_[array]]; }
  /// All groups. The first group is always empty, and other groups may be empty, too.
  const std::vector<std::vector<ArrayId>>& all() const { return groups_; }

 private:
  void join(ArrayId from, ArrayId to);

  /// For each array, the index of its group in `groups_`; 0 if the array is in no group.
  IdVector<ArrayId, std::size_t> group_of_;
  std::vector<std::vector<ArrayId>> groups_ = {{}};
};

/// Returns, for each input of `stage`, the box that `stage` reads to compute the points of `box`. The boxes
/// are in the order of the inputs of the stage. They are empty if `box` is empty. Throws InternalError with
/// the name of the stage if inference finds no bounds for one of these boxes.
std::vector<Box> required_boxes(const Algorithm& pipeline, ArrayId stage, const Box& box);
/// Writes the boxes to `needs`, whose memory is used again.
void required_boxes(const Algorithm& pipeline, ArrayId stage, const Box& box, std::vector<Box>& needs);

/// Returns a line for each input of each stage if the plan needs at least a hundred times as many points of
/// the input as the stage reads. A plan needs whole boxes, so that an index that grows faster
/// than its coordinate, such as x * x, takes memory for all points between those that are read. The lines
/// name the stage, the input and the index.
std::vector<std::string> scattered_reads(const Algorithm& pipeline, const Plan& plan);

}  // namespace tessera
