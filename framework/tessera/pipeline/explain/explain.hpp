// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"

namespace tessera {

/// Returns the plan of one rank in words: the owned, required and ghost boxes of each stage, then the steps
/// with their ids, messages and bytes, then the memory. The text ends with a line feed. If `all_steps` is
/// false, the text leaves out reads, writes, fills, computations and exchanges that have no points on this
/// rank.
std::string explain(const Algorithm& pipeline, const Plan& plan, bool all_steps = true);

/// Returns the word for an array in reports: "input", "stage" or "spare array".
const char* kind_of(const ArrayDeclaration& array);

/// Returns the placement and the type of an array, such as "tile of float". A spare array has no placement,
/// because no stage computes it, so that the text is only its type.
std::string type_and_placement(const ArrayDeclaration& array, const ArrayRegions& regions);

/// The costs of the plans of several ranks together. A step counts once, even if a loop repeats it.
struct PlanTotals {
  /// The number of plans that were added.
  int rank_count = 0;
  /// The number of plans whose rank computes only values, which every rank computes.
  int idle_ranks = 0;
  /// The number of messages that these ranks send.
  std::int64_t messages = 0;
  /// The bytes of the points in the messages that these ranks send.
  std::int64_t message_bytes = 0;
  /// The number of redundant points of all arrays. A point counts once for each time that it is computed,
  /// except for one time on the rank that owns it.
  std::int64_t redundant_points = 0;
  /// The sum of the StepWork of all steps: the points that are read, written, filled and computed, and the
  /// least bytes that are moved.
  StepWork work;
  /// The bytes of memory of the rank that needs the most memory; see peak_bytes_with_next_band.
  std::int64_t peak_bytes = 0;
  /// The bytes of the points of each array in the messages that these ranks send.
  IdVector<ArrayId, std::int64_t> exchanged_bytes;
  /// The number of computed points of each array, including redundant points.
  IdVector<ArrayId, std::int64_t> computed_by_array;
  /// The number of redundant points of each array.
  IdVector<ArrayId, std::int64_t> redundant_by_array;

  /// Adds the costs of the plan of one rank. All plans must be made for the same pipeline.
  void add(const Algorithm& pipeline, const Plan& plan);
};

/// Returns one line, without a line feed: the grid of each input, the placement of each stage, the messages
/// and redundant points of all ranks, and the largest memory of a rank. Grids and placements are taken from
/// `any_plan`, which is the plan of any rank, because they are the same on all ranks.
std::string summary(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

/// Returns the pipeline as a directed graph for Graphviz. The graph has a node for each array, coloured by
/// the placement. The placements are the same on all ranks, and are taken from `any_plan`, the plan of any
/// rank. An edge leads from each array to each stage that reads it. The label of the edge is the number of
/// bytes of the array that all ranks together exchange, taken from `totals`; an edge has no label if nothing
/// is exchanged. A dashed edge leads from an array to the array that takes over its values in a loop. Stages
/// that are computed together in tiles are drawn in one frame. The text ends with a line feed.
std::string to_dot(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

/// A class of ranks whose plans differ only in the positions of boxes and in the partners of messages.
/// Examples are the ranks in the interior of a grid, along one edge, or in one corner.
struct RankClass {
  /// The number of ranks in the class.
  std::int64_t rank_count = 0;
  /// The rank that was added to this class first.
  int first_rank = 0;

  /// Whether both classes have the same number of ranks and the same first rank.
  bool operator==(const RankClass&) const = default;
};

/// Sorts ranks into classes by their plans. Only a hash of each plan is kept, because the plans of thousands
/// of ranks would need too much memory.
class RankClasses {
 public:
  /// Adds the rank of this plan to its class. A class that does not exist yet is made.
  void add(const Plan& plan);

  /// Returns the classes in the order of their first ranks.
  const std::vector<RankClass>& classes() const { return classes_; }

  /// Returns the `count` classes with the most ranks, or all classes if there are fewer. The result is sorted
  /// by `first_rank`.
  std::vector<RankClass> largest(std::size_t count) const;

 private:
  std::vector<RankClass> classes_;
  /// The index of each class in `classes_`. The key is the hash of everything that the plans of the class
  /// have in common.
  std::unordered_map<std::size_t, std::size_t> places_;
};

}  // namespace tessera
