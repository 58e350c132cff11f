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

/// One array of a pipeline, with the stage that computes it.
struct ArrayDeclaration {
  std::string name;
  ElementType type = ElementType::uint8;
  int dimensions = 0;
  /// The arrays that the body reads, in the order of its parameters; always declared before.
  std::vector<int> inputs = {};
  /// Null for inputs, and for all but the first output of a stage.
  std::shared_ptr<const StageKernel> kernel = nullptr;
  /// The array's points: of inputs, outputs, bounded stages, values and global reductions; empty for other
  /// stages.
  Box domain = {};
  /// What an input, or a bounded stage, holds outside its domain.
  BoundaryConditions boundary = {};
  bool is_output = false;
  /// A stage that ends at its domain (see Pipeline::bound).
  bool is_bounded = false;
  /// A stage whose points every rank computes for itself (see Pipeline::values).
  bool is_value = false;
  /// The first output of the stage that computes this array: itself, unless the stage has several. Their ids
  /// follow each other.
  int lead = -1;
  int output_count = 1;
  /// Not empty in dimensions whose points are always there as a whole: the lines of a column stage, and all
  /// of a reduction's result.
  std::array<Range, max_dimensions> whole = {};
  /// Of a global reduction: its kernel, and the points that it reduces.
  const ReductionKernel* reduction = nullptr;
  Box reduced = {};

  /// Computed together with the array `lead`, which is another one.
  bool is_further_output = false;

  bool is_input() const { return kernel == nullptr && !is_further_output; }
  /// Beyond its domain lies what its boundary conditions say.
  bool ends_at_domain() const { return is_input() || is_bounded; }
  /// Every rank has all of it: a value, or the result of a global reduction.
  bool is_everywhere() const { return is_value || reduction != nullptr; }
  /// Whether what lies beyond some side of the array comes from the opposite side.
  bool has_periodic_side() const;
  /// The bytes of one element.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  /// `box` extended to all points along the dimensions that are always there as a whole (see `whole`).
  Box with_whole_lines(Box box) const;
};

/// Stages that run again and again, those with the ids [first, last), and what ends that.
struct LoopDeclaration {
  /// After a turn `to`, which the stages read, becomes what they computed as `from`.
  struct Feed {
    int from = 0;
    int to = 0;
  };

  std::string name;
  int first = 0;
  int last = 0;
  /// The loop ends after so many turns at the latest.
  std::int64_t maximum = 1;
  /// It ends after the turn in which the first element of this array is not zero; -1: only at the maximum.
  int condition = -1;
  /// The first element of this array says how far a turn was from the end: one array for each turn that runs
  /// at a time; empty: nothing does.
  std::vector<int> residuals = {};
  std::vector<Feed> feeds = {};
  /// Rounds (see in_rounds): so many turns stand one after the other in the loop.
  int turns = 1;
  /// Rounds: the loop after this one, which goes on with single turns. A round in which that loop should have
  /// ended, as `condition` says, never happened: nothing is fed. -1: no rounds.
  int rounds_of = -1;
  /// The ranks agree on the condition of a turn while they compute the next one (see in_rounds).
  bool overlaps_test = false;

  /// Whether one of the loop's stages computes the array.
  bool contains(int array) const { return first <= array && array < last; }
  /// Whether all stages of the other loop are stages of this one, too.
  bool contains(const LoopDeclaration& other) const { return first <= other.first && other.last <= last; }
  /// The feed that ends in the array, or null.
  const Feed* feed_to(int array) const;
  /// The feed that begins at the array, or null.
  const Feed* feed_from(int array) const;
};

/// Stages that one kernel of a device may compute together, by id.
struct FusableGroup {
  std::vector<int> stages;
  std::shared_ptr<const GroupKernel> kernel;
};

}  // namespace tessera
