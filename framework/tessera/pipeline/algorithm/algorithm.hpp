// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/domain/id_vector.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// An algorithm as data: the arrays of a pipeline with the stages that compute them, the loops, and the
/// groups of fusable stages. An algorithm contains nothing about ranks, ghosts or tiles. Users build it with
/// Pipeline. Planners and runners read it through this class, which does not need the templates of Pipeline.
class Algorithm {
 public:
  /// Makes an algorithm without arrays.
  Algorithm() = default;
  /// Makes an algorithm from its parts. This is for functions that rewrite an algorithm, such as in_rounds.
  /// The parts must be consistent. This is not checked, except that an array without a kernel must be an
  /// input or the place that a loop feeds: otherwise InternalError is thrown.
  Algorithm(IdVector<ArrayId, ArrayDeclaration> arrays, std::vector<LoopDeclaration> loops,
            std::vector<FusableGroup> groups);

  /// All arrays, in the order of their ids.
  const IdVector<ArrayId, ArrayDeclaration>& arrays() const { return arrays_; }
  /// The array with this id, which must exist.
  const ArrayDeclaration& operator[](ArrayId id) const { return arrays_[id]; }
  /// The number of arrays.
  int size() const { return arrays_.size(); }
  /// The ids of all arrays.
  IdRange<ArrayId> ids() const { return arrays_.ids(); }
  /// Returns a table with the element `value` for each array.
  template <class T>
  IdVector<ArrayId, T> table(const T& value = T()) const {
    return IdVector<ArrayId, T>(arrays_.values().size(), value);
  }
  /// The ids of all outputs of a stage. `stage` is the id of its first output.
  IdRange<ArrayId> parts(ArrayId stage) const { return {stage, stage + (*this)[stage].output_count}; }
  /// The groups of fusable stages, in the order of their declaration.
  const std::vector<FusableGroup>& groups() const { return groups_; }
  /// The loops in the order in which they begin, outer ones before inner ones.
  const std::vector<LoopDeclaration>& loops() const { return loops_; }
  /// The loop with this index in loops(), which must exist.
  const LoopDeclaration& loop(int index) const { return loops_[static_cast<std::size_t>(index)]; }
  /// The index in loops() of the innermost loop that contains the stage; -1 if no loop contains it.
  int loop_of(ArrayId stage) const;
  /// Whether `loop` is inside another loop. `loop` must be an element of loops().
  bool is_inner(const LoopDeclaration& loop) const;
  /// Whether a loop feeds another array to this array, so that the values of this array change from turn to
  /// turn.
  bool is_fed(ArrayId array) const;
  /// The id of the array with this name. Throws InternalError when no array has this name.
  ArrayId find(std::string_view name) const;
  /// The points of `box` that a stage computes. If the stage is bounded (see Pipeline::bound), these are the
  /// points of `box` in the domain of the stage; otherwise they are all points of `box`. `stage` is the id of
  /// its first output.
  Box within_bounds(ArrayId stage, Box box) const;

  /// Makes the points `domain` of an array an output of the pipeline (see Pipeline::output). Throws
  /// InternalError when this is not possible.
  void output(ArrayId array, const Box& domain = {});

  /// Declares a stage with one output whose kernel exists already, and returns the id of the output. This is
  /// for libraries of stages whose element types are known at run time only. `inputs` are the ids of the
  /// arrays that the kernel reads. `whole` names the dimensions along which all points, from 0 to extent - 1,
  /// are computed together. Throws InternalError if the array has no such dimension, or if `extent` is
  /// below 1.
  ArrayId stage_of_kernel(std::string_view name, ElementType type, int dimensions,
                          std::vector<ArrayId> inputs, std::shared_ptr<const StageKernel> kernel,
                          const std::vector<WholeDimension>& whole = {});
  /// Declares a stage with several outputs whose kernel exists already, one for each name and type. Returns
  /// the id of the first output; the others have the ids after it. Throws InternalError unless there is one
  /// name for each type.
  ArrayId stages_of_kernel(const std::vector<std::string>& names, const std::vector<ElementType>& types,
                           int dimensions, const std::vector<ArrayId>& inputs,
                           std::shared_ptr<const StageKernel> kernel);
  /// Declares a value of `count` elements whose kernel exists already, and returns its id (see
  /// Pipeline::values).
  ArrayId value_of_kernel(std::string_view name, ElementType type, int count, std::vector<ArrayId> inputs,
                          std::shared_ptr<const StageKernel> kernel);
  /// Makes a stage end at `domain` (see Pipeline::bound). The constant of `boundary`, if it has one, must be
  /// of the type of the stage. Throws InternalError when the stage cannot end there.
  void bound(ArrayId stage, const Box& domain, const BoundaryConditions& boundary);
  /// Adds a remark: a line about a choice that was made while the algorithm was declared, such as which of
  /// two methods computes a stage. Programs show remarks with plans, at the start of a run, and in reports.
  void remark(std::string line) { remarks_.push_back(std::move(line)); }
  /// The remarks, in the order in which they were added.
  const std::vector<std::string>& remarks() const { return remarks_; }

 protected:
  // Each function that appends an array returns its id. It throws InternalError when another array has the
  // same name, or when the domain does not fit the array. It also throws InternalError when the stage reads
  // an array that an earlier loop computes and feeds to another array. The other array then has the buffer of
  // this array, and its values are lost.

  /// Appends an input (see Pipeline::input).
  ArrayId add_input(std::string_view name, ElementType type, int dimensions, const Box& domain,
                    const BoundaryConditions& boundary);
  /// Throws InternalError unless the points `over` of the reduction `name` have this number of dimensions and
  /// are not empty.
  static void check_reduced(std::string_view name, const Box& over, int dimensions);
  /// Throws InternalError unless the number `count` of groups of the reduction `name` is at least 1.
  static void check_groups(std::string_view name, std::int64_t count);
  /// Whether all arrays are outputs of one stage, or the same array. A stage contributes to the reductions of
  /// its outputs while it computes them.
  bool are_of_one_stage(const std::vector<ArrayId>& arrays) const;
  /// Appends the result of a global reduction of the points `over`, which has `count` elements (see
  /// Pipeline::reduce). Throws InternalError if the partial values take 2 GiB or more, which MPI cannot join.
  ArrayId add_reduction(std::string_view name, ElementType type, std::int64_t count,
                        std::vector<ArrayId> inputs, std::shared_ptr<const ReductionKernel> kernel,
                        const Box& over);
  /// Appends a group of fusable stages. Throws InternalError unless `stages` are the ids of first outputs, in
  /// ascending order. `kernel` computes these stages on a device.
  void add_group(std::vector<ArrayId> stages, std::shared_ptr<const GroupKernel> kernel);
  /// Begins a loop of at most `maximum` turns and returns its number. All arrays that are added before the
  /// call of end_loop belong to the loop. Throws InternalError when another loop has the same name, or when
  /// `maximum` is less than 1.
  std::size_t begin_loop(std::string_view name, std::int64_t maximum);
  /// Ends the declaration of a loop. Throws InternalError when the loop has no stages, when it declares an
  /// input, or when an array that it computes and feeds to another array is also an output of the pipeline.
  /// Also throws InternalError when the loop carries nothing (see carried_arrays) and has no condition.
  void end_loop(std::size_t loop);
  /// Declares a feed of the loop (see Pipeline::Loop::feed). Throws InternalError when the loop cannot feed
  /// `from` to `to`.
  void add_feed(std::size_t loop, ArrayId from, ArrayId to);
  /// Makes `value` the condition of the loop (see Pipeline::Loop::until). Throws InternalError unless it is a
  /// value or a reduction of the loop.
  void set_condition(std::size_t loop, ArrayId value);
  /// Makes `value` the residual of the loop (see Pipeline::Loop::watch). Throws InternalError unless it is a
  /// value or a reduction of the loop.
  void set_residual(std::size_t loop, ArrayId value);

 private:
  /// Throws InternalError unless `value` is a value or a reduction of the loop.
  void check_value(std::size_t loop, ArrayId value, const char* use) const;
  /// Appends an array, and returns its id.
  ArrayId add(ArrayDeclaration declaration);
  /// Throws InternalError when the values of the array are lost. This is so after a loop that computes the
  /// array and feeds it to another array, because the other array then has the buffer of this array.
  void check_not_fed_away(ArrayId id) const;

  IdVector<ArrayId, ArrayDeclaration> arrays_;
  std::vector<LoopDeclaration> loops_;
  std::vector<FusableGroup> groups_;
  std::vector<std::string> remarks_;
};

/// Returns the feeds of `loop` as chains. The first feed of a chain goes to an array that is not fed on, and
/// each further feed goes to the array that the feed before it takes. The last feed of a chain takes an array
/// that the loop computes. If buffers are swapped in the order of these feeds after a turn, each array gets
/// the values that are fed to it (see plan::Swap).
std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop);

/// Returns the ids of the arrays that are declared before `loop` and change in its turns, because `loop` or a
/// loop inside it feeds other arrays to them (see LoopDeclaration::Feed). These arrays hold everything that a
/// turn takes over from the turn before. `loop` must be an element of `pipeline.loops()`.
std::vector<ArrayId> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop);

/// Returns for each array, by its id, whether it follows from a global reduction of the innermost loop that
/// contains it. This is true of such a reduction itself, and of a value that is computed from one, directly
/// or through other values of the loop.
IdVector<ArrayId, bool> following_from_reductions(const Algorithm& pipeline);

/// Returns why the test whether `loop` ends after a turn cannot overlap the computation of the next turn, or
/// an empty string if it can. No point of the next turn may depend on the reductions of this turn, because
/// their results are not known yet. When the ranks learn that the loop has ended, they have already computed
/// one more turn, but have not fed its arrays. Stages after the loop may therefore read only the arrays that
/// the loop feeds to, and the values that follow from its reductions. All other arrays of the loop hold
/// the points of the additional turn. `loop` must be an element of `pipeline.loops()`.
std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
