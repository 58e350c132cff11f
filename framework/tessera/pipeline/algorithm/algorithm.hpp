// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "tessera/domain/id_range.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// An algorithm as data: the arrays of a pipeline with the stages that compute them, its loops, and its
/// groups of fusable stages. Arrays are numbered in the order of their declaration, from 0. An
/// algorithm knows nothing of ranks, ghosts or tiles. Users build it with Pipeline. The planner and the
/// runner read it, and need none of the templates that stages are made of.
class Algorithm {
 public:
  /// Makes an algorithm without arrays.
  Algorithm() = default;
  /// Makes an algorithm of these parts. It is for functions that rewrite an algorithm, such as in_rounds. The
  /// parts must be consistent; this is not checked.
  Algorithm(std::vector<ArrayDeclaration> arrays, std::vector<LoopDeclaration> loops,
            std::vector<FusableGroup> groups);

  /// All arrays, by id.
  const std::vector<ArrayDeclaration>& arrays() const { return arrays_; }
  /// The array with this id, which must exist.
  const ArrayDeclaration& operator[](int id) const { return arrays_[static_cast<std::size_t>(id)]; }
  /// The number of arrays.
  int size() const { return static_cast<int>(arrays_.size()); }
  /// The ids of all arrays that a stage computes. `stage` is the id of its first output.
  IdRange parts(int stage) const { return {stage, stage + (*this)[stage].output_count}; }
  /// The groups of fusable stages, in the order of their declaration.
  const std::vector<FusableGroup>& groups() const { return groups_; }
  /// The loops in the order in which they begin, outer ones before inner ones.
  const std::vector<LoopDeclaration>& loops() const { return loops_; }
  /// The number in loops() of the innermost loop that contains the stage, or -1 if no loop does.
  int loop_of(int stage) const;
  /// Whether the loop, which must be an element of loops(), is inside another loop.
  bool is_inner(const LoopDeclaration& loop) const;
  /// Whether a loop feeds the array, so that the array changes from turn to turn.
  bool is_fed(int array) const;
  /// The id of the array of this name. Throws InternalError when no array has this name.
  int find(std::string_view name) const;
  /// The points of `box` that a stage computes: all of them, or those in the domain of a stage that ends
  /// there (see Pipeline::bound). `stage` is the id of its first output.
  Box within_bounds(int stage, Box box) const;

  /// Makes an array an output on `domain` (see Pipeline::output). Throws InternalError when the array cannot
  /// be an output there.
  void output(int array, const Box& domain = {});

 protected:
  /// Appends an array and returns its id. Throws InternalError when the name is taken, the domain does not
  /// fit, or an input was given up by a loop that has ended.
  int add(ArrayDeclaration declaration);
  /// Appends a group of fusable stages. Throws InternalError unless they are first outputs in the order of
  /// their declaration.
  void add_group(std::vector<int> stages, std::shared_ptr<const GroupKernel> kernel);
  /// Checks the lines of a stage of columns: throws InternalError unless they have at least one point.
  static void check_line(const std::string& name, int extent);
  /// Checks the names of a stage's outputs: throws InternalError unless there is one for each output.
  static void check_output_names(const std::vector<std::string>& names, std::size_t outputs);
  /// Ends a stage at `domain` (see Pipeline::bound). Throws InternalError when the stage cannot end there.
  void mark_bounded(int id, const Box& domain, const BoundaryConditions& boundary);
  /// Begins a loop of at most `maximum` turns and returns its number. The arrays that are added until
  /// end_loop is called are the stages of the loop. Throws InternalError when the name is taken or `maximum`
  /// is less than 1.
  std::size_t begin_loop(std::string name, std::int64_t maximum);
  /// Ends a loop. Throws InternalError when the loop has no stages, declares an input, feeds an output of its
  /// own, or neither feeds anything nor has a condition.
  void end_loop(std::size_t loop);
  /// Declares that array `to` becomes array `from` after every turn of the loop (see Pipeline::Loop::feed).
  /// Throws InternalError when that is not possible.
  void add_feed(std::size_t loop, int from, int to);
  /// Sets the array by which the loop ends (see Pipeline::Loop::until). Throws InternalError unless it is a
  /// value or reduction of the loop.
  void set_condition(std::size_t loop, int value);
  /// Sets the residual of the loop (see Pipeline::Loop::watch). Throws InternalError unless it is a value or
  /// reduction of the loop.
  void set_residual(std::size_t loop, int value);

 private:
  /// Throws InternalError when the array can no longer be read after its loop, because the loop feeds it to
  /// another array, which then takes over its memory.
  void check_not_fed_away(int id) const;

  std::vector<ArrayDeclaration> arrays_;
  std::vector<LoopDeclaration> loops_;
  std::vector<FusableGroup> groups_;
};

}  // namespace tessera
