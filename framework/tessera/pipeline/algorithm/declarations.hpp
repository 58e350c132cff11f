// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera {

/// One array of a pipeline, and the stage that computes it, if it is no input.
struct ArrayDeclaration {
  /// The name, which no other array of the pipeline has.
  std::string name;
  /// The type of its points.
  ElementType type = ElementType::uint8;
  /// The number of dimensions, 1 to 4.
  int dimensions = 0;
  /// The ids of the arrays that the body reads, in the order of its parameters. They are declared before this
  /// one.
  std::vector<int> inputs = {};
  /// The kernel that computes the stage; null for inputs, and for all but the first output of a stage.
  std::shared_ptr<const StageKernel> kernel = nullptr;
  /// The points of the array, if it is an input, an output, a bounded stage, a value or a global reduction;
  /// empty for other stages.
  Box domain = {};
  /// The boundary conditions: the values that an input, or a bounded stage, has outside its domain.
  BoundaryConditions boundary = {};
  /// Whether the array is a result of the pipeline.
  bool is_output = false;
  /// Whether the stage ends at its domain (see Pipeline::bound).
  bool is_bounded = false;
  /// Whether every rank computes all points of the stage for itself (see Pipeline::values).
  bool is_value = false;
  /// The id of the first output of the stage that computes this array: its own id, unless the stage has
  /// several outputs. Their ids follow each other.
  int lead = -1;
  /// The number of outputs of the stage, at its first output; 1 at the others.
  int output_count = 1;
  /// The points of a dimension that are always there as a whole, such as the lines of a column stage or all
  /// of a reduction's result; empty for other dimensions.
  std::array<Range, max_dimensions> whole = {};
  /// The kernel of a global reduction, the same object as `kernel`; null for other arrays.
  const ReductionKernel* reduction = nullptr;
  /// The points of its input that a global reduction reduces.
  Box reduced = {};

  /// Whether the array is computed together with another one, `lead`.
  bool is_further_output = false;

  /// Whether the array comes from a file or from memory.
  bool is_input() const { return kernel == nullptr && !is_further_output; }
  /// Whether the array holds beyond its domain what its boundary conditions say: an input or a bounded stage.
  bool ends_at_domain() const { return is_input() || is_bounded; }
  /// Whether every rank has all of the array: a value, or the result of a global reduction.
  bool is_everywhere() const { return is_value || reduction != nullptr; }
  /// Whether the points beyond some side of the array come from the opposite side.
  bool has_periodic_side() const;
  /// The bytes of one point.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  /// `box` extended to all points along the dimensions that are always there as a whole (see `whole`). The
  /// box of a global reduction, whose points are those of its input, stays as it is.
  Box with_whole_lines(Box box) const;
};

/// A loop: the stages with the ids [first, last), which run again and again, and how that ends.
struct LoopDeclaration {
  /// One array that a loop changes: after a turn `to`, which the stages read, becomes what they computed as
  /// `from`.
  struct Feed {
    /// The id of the array that the turn computed.
    int from = 0;
    /// The id of the array that the next turn reads.
    int to = 0;
  };

  /// The name, which no other loop of the pipeline has.
  std::string name;
  /// The id of the first stage of the loop.
  int first = 0;
  /// The id after that of the last stage of the loop.
  int last = 0;
  /// The loop ends after this many turns at the latest.
  std::int64_t maximum = 1;
  /// The id of the array whose first element ends the loop, after the turn in which it is not zero; -1: the
  /// loop ends at its maximum.
  int condition = -1;
  /// The ids of the arrays whose first element is the residual of a turn: one array for each turn of a round.
  /// Empty if the loop has no residual.
  std::vector<int> residuals = {};
  /// The arrays that the turns change.
  std::vector<Feed> feeds = {};
  /// The number of turns that stand one after the other in the loop, if it runs in rounds (see in_rounds);
  /// else 1.
  int turns = 1;
  /// If the loop runs in rounds, the number of the loop after this one, which goes on with single turns. A
  /// round in which that loop should have ended, as `condition` says, is taken back: nothing is fed. -1: no
  /// rounds.
  int rounds_of = -1;
  /// Whether the ranks agree on the condition of a turn while they compute the next one (see in_rounds).
  bool overlaps_test = false;

  /// Whether one of the loop's stages computes the array.
  bool contains(int array) const { return first <= array && array < last; }
  /// Whether all stages of the other loop are stages of this one, too. A loop contains itself.
  bool contains(const LoopDeclaration& other) const { return first <= other.first && other.last <= last; }
  /// The feed that ends in the array, or null.
  const Feed* feed_to(int array) const;
  /// The feed that begins at the array, or null.
  const Feed* feed_from(int array) const;
};

/// A group of stages that one kernel of a device may compute together.
struct FusableGroup {
  /// The ids of the stages' first outputs, in rising order.
  std::vector<int> stages;
  /// The kernel that computes them on a device.
  std::shared_ptr<const GroupKernel> kernel;
};

}  // namespace tessera
