// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/domain/id_vector.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera {

/// The id of an array of a pipeline. Ids follow the order of declaration, from 0. The id of the first output
/// of a stage stands for the stage, too.
enum class ArrayId : int {};

/// The id of no array.
inline constexpr ArrayId no_array{-1};

/// Returns the id of the array that is declared `further` arrays after `id`. The outputs of a stage have
/// consecutive ids.
constexpr ArrayId operator+(ArrayId id, int further) { return ArrayId{to_int(id) + further}; }

/// The origin of an array's points, and where they are kept.
enum class ArrayKind : std::uint8_t {
  input,     ///< The points come from a file or from memory.
  stage,     ///< A stage computes all points that are needed.
  bounded,   ///< A stage computes points within a domain only (see Pipeline::bound).
  value,     ///< Every rank computes all points for itself (see Pipeline::values).
  reduction  ///< The array is the result of a global reduction, which every rank has.
};

/// An array of a pipeline, with the stage that computes it. If the array is an input, there is no stage.
struct ArrayDeclaration {
  /// The name, which no other array of the pipeline has.
  std::string name;
  /// The type of the points.
  ElementType type = ElementType::uint8;
  /// The number of dimensions, 1 to 4.
  int dimensions = 0;
  /// The origin of the points.
  ArrayKind kind = ArrayKind::stage;
  /// The ids of the arrays that the body of the stage reads, in the order of its parameters. These arrays are
  /// declared before this one.
  std::vector<ArrayId> inputs = {};
  /// The kernel that computes the stage. It is null for an input, and for all outputs of a stage but the
  /// first.
  std::shared_ptr<const StageKernel> kernel = nullptr;
  /// The points of the array, if it is an input, an output of the pipeline, a bounded stage, a value or a
  /// global reduction; empty for all other arrays.
  Box domain = {};
  /// The boundary conditions, which give the values of an input or of a bounded stage outside its domain.
  BoundaryConditions boundary = {};
  /// Whether the array is a result of the pipeline.
  bool is_output = false;
  /// The id of the first output of the stage that computes this array, or the id of this array if it is an
  /// input. The outputs of a stage have consecutive ids. no_array stands for the id of this array;
  /// Algorithm::add replaces it.
  ArrayId lead = no_array;
  /// The number of outputs of the stage if this array is the first of them; 0 if it is a further output; 1
  /// if no stage computes it.
  int output_count = 1;
  /// For each dimension along which all points are computed together, the range of these points; empty for
  /// other dimensions. Examples are the lines of a column stage and the result of a global reduction.
  std::array<Range, max_dimensions> whole = {};
  /// The points of the input that a global reduction reduces; empty for other arrays.
  Box reduced = {};

  /// Whether the array comes from a file or from memory.
  bool is_input() const { return kind == ArrayKind::input; }
  /// Whether the stage is bounded, which means that it ends at its domain (see Pipeline::bound).
  bool is_bounded() const { return kind == ArrayKind::bounded; }
  /// Whether the array is a value, which every rank computes for itself (see Pipeline::values).
  bool is_value() const { return kind == ArrayKind::value; }
  /// Whether the array is the result of a global reduction.
  bool is_reduction() const { return kind == ArrayKind::reduction; }
  /// Whether the array is an output of a stage, but not the first one.
  bool is_further_output() const { return output_count == 0; }
  /// Whether the array is only a place that a loop feeds another array to. Nothing else computes or reads it
  /// (see in_rounds).
  bool is_spare() const { return kernel == nullptr && !is_input() && !is_further_output(); }
  /// Whether the array is an input or a bounded stage. Outside its domain such an array has the values that
  /// the boundary conditions give.
  bool ends_at_domain() const { return is_input() || is_bounded(); }
  /// Whether every rank has all points of the array, because it is a value or the result of a global
  /// reduction.
  bool is_everywhere() const { return is_value() || is_reduction(); }
  /// The kernel of a global reduction, the same object as `kernel`; null for other arrays.
  const ReductionKernel* reduction() const {
    return is_reduction() ? static_cast<const ReductionKernel*>(kernel.get()) : nullptr;
  }
  /// The number of dimensions of the points that the stage computes, or that a global reduction reduces.
  int computed_dimensions() const { return is_reduction() ? reduced.dimensions : dimensions; }
  /// Whether the boundary condition of any dimension is periodic.
  bool has_periodic_side() const;
  /// The bytes of one point.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
  /// Returns `box` extended to all points along the dimensions whose points are computed together (see
  /// `whole`). For a global reduction, `box` is a box of its input, not of its result, and is returned
  /// unchanged.
  Box with_whole_lines(Box box) const;
};

/// A loop: the stages that run again and again, the arrays that they change, and the end of the loop.
struct LoopDeclaration {
  /// A pair of arrays of a loop. After each turn, or each round of turns, the values of `from` become the
  /// values of `to`. This is called feeding `from` to `to`.
  struct Feed {
    /// The id of the array whose values are fed.
    ArrayId from = {};
    /// The id of the array that takes over these values.
    ArrayId to = {};
  };

  /// The name, which no other loop of the pipeline has.
  std::string name;
  /// The id of the first array that the loop computes.
  ArrayId first = {};
  /// The id of the last array that the loop computes, plus 1.
  ArrayId last = {};
  /// The greatest number of turns.
  std::int64_t maximum = 1;
  /// The id of the array that ends the loop: the loop ends after the first turn, or round of turns, that
  /// leaves a first element of this array other than zero. If the id is no_array, the loop ends after
  /// `maximum` turns.
  ArrayId condition = no_array;
  /// The ids of the arrays whose first element is the residual of a turn. There is one array for each turn of
  /// a round, and one array if the loop does not run in rounds. Empty if the loop has no residual.
  std::vector<ArrayId> residuals = {};
  /// The feeds of the loop, in the order of their declaration.
  std::vector<Feed> feeds = {};
  /// The number of turns that one execution of the loop's stages computes: 1, or the number of turns of a
  /// round if the loop runs in rounds (see in_rounds).
  int turns = 1;
  /// If the loop runs in rounds, the number of the loop that follows it and goes on with single turns;
  /// otherwise -1. If `condition` is not zero after a round, the condition of the loop holds after some turn
  /// of this round, perhaps not the last one. The round is then taken back: fed arrays have the values with
  /// which it began, and the following loop computes turns of the round again, one by one.
  int rounds_of = -1;
  /// Whether the ranks agree on the condition of a turn while they compute the next turn, or on the condition
  /// of a round while they compute the next round (see in_rounds). The feeds of such rounds go on to arrays
  /// that keep what the round began with, so that it can be taken back when the next one has been computed.
  bool overlaps_test = false;

  /// The ids of the arrays that the loop's stages compute.
  IdRange<ArrayId> arrays() const { return {first, last}; }
  /// Whether one of the loop's stages computes the array.
  bool contains(ArrayId array) const { return first <= array && array < last; }
  /// Whether all stages of `other` are stages of this loop, too. A loop contains itself.
  bool contains(const LoopDeclaration& other) const { return first <= other.first && other.last <= last; }
  /// The feed whose `to` is the array; null if there is none.
  const Feed* feed_to(ArrayId array) const;
  /// The feed whose `from` is the array; null if there is none.
  const Feed* feed_from(ArrayId array) const;
};

/// A group of stages that one kernel of a device may compute together.
struct FusableGroup {
  /// The ids of the first outputs of the stages, in ascending order.
  std::vector<ArrayId> stages;
  /// The kernel that computes these stages on a device.
  std::shared_ptr<const GroupKernel> kernel;
};

/// The handle of an array in a pipeline: an N-dimensional input of T, or an output of a stage. The handle
/// holds no data.
template <class T, int N>
struct Array {
  /// The id of the array in its pipeline.
  ArrayId id;
};

/// A handle of an array whose type also names the kernel that computes the array. Pipeline::fusable needs
/// this type.
template <class Kernel, class T, int N>
struct Stage : Array<T, N> {};

/// Returns why a rank cannot compute points of the bounded stage `stage` beyond its periodic sides, or an
/// empty string if it can. The points repeat those at the opposite sides, and so must the points that they
/// are computed from. Each input must therefore have the same period as the stage, unless every rank has all
/// of its points. All bounded outputs of the stage must have the same periods, and no lines that are
/// computed as a whole may lie along a periodic dimension. `stage` is the id of the first output of the
/// stage. Stages without periodic sides have no such reason.
std::string reason_against_ghosts(const IdVector<ArrayId, ArrayDeclaration>& arrays, ArrayId stage);

/// Makes the kernel of the bounded stage `stage` one that also computes points beyond its periodic sides (see
/// PeriodicStage). `stage` is the id of the first output of the stage. A stage without periodic sides stays
/// as it is.
void compute_beyond_periodic_sides(IdVector<ArrayId, ArrayDeclaration>& arrays, ArrayId stage);

}  // namespace tessera
