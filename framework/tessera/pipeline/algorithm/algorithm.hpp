// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "tessera/domain/id_range.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// An algorithm as data: the arrays of a pipeline with the stages that compute them, its loops, and its
/// groups of fusable stages. Arrays are numbered in the order of their declaration, from 0. It knows nothing
/// of ranks, ghosts or tiles. Users build one with Pipeline; planners, runners and explanations read it, and
/// need none of the templates that stages are made of.
class Algorithm {
 public:
  /// An algorithm without arrays.
  Algorithm() = default;
  /// An algorithm made of these parts, for functions that rewrite one, such as in_rounds. The parts must be
  /// consistent: nothing is checked.
  Algorithm(std::vector<ArrayDeclaration> arrays, std::vector<LoopDeclaration> loops,
            std::vector<FusableGroup> groups);

  /// All arrays, by id.
  const std::vector<ArrayDeclaration>& arrays() const { return arrays_; }
  /// The array with this id, which must exist.
  const ArrayDeclaration& operator[](int id) const { return arrays_[static_cast<std::size_t>(id)]; }
  /// The number of arrays.
  int size() const { return static_cast<int>(arrays_.size()); }
  /// The ids of all arrays that a stage, named by its first output, computes.
  IdRange parts(int stage) const { return {stage, stage + (*this)[stage].output_count}; }
  /// The groups of fusable stages, in the order of their declaration.
  const std::vector<FusableGroup>& groups() const { return groups_; }
  /// The loops in the order in which they begin, outer ones before inner ones.
  const std::vector<LoopDeclaration>& loops() const { return loops_; }
  /// The number in loops() of the innermost loop that the stage is in; -1: it is in none.
  int loop_of(int stage) const;
  /// Whether the loop, which must be an element of loops(), stands in another one.
  bool is_inner(const LoopDeclaration& loop) const;
  /// Whether a loop feeds the array, so that it changes from turn to turn.
  bool is_fed(int array) const;
  /// The id of the array of this name; throws InternalError when there is none.
  int find(std::string_view name) const;
  /// The points of `box` that a stage computes, because it may end at a domain. `stage` is the id of its
  /// first output.
  Box within_bounds(int stage, Box box) const;

  /// Makes an array an output on `domain`, see Pipeline::output. Throws InternalError when the array cannot
  /// be an output there.
  void output(int array, const Box& domain = {});

 protected:
  /// Appends an array and returns its id. Throws InternalError when the name is taken, the domain does not
  /// fit, or an input was given up by a loop that has ended.
  int add(ArrayDeclaration declaration);
  /// Appends a group of fusable stages. Throws InternalError unless they are first outputs in the order of
  /// their declaration.
  void add_group(std::vector<int> stages, std::shared_ptr<const GroupKernel> kernel);
  /// Throws InternalError unless the stage's lines have at least one point.
  static void check_line(const std::string& name, int extent);
  /// Throws InternalError unless there is a name for each output.
  static void check_output_names(const std::vector<std::string>& names, std::size_t outputs);
  /// Ends a stage at `domain`, see Pipeline::bound. Throws InternalError when the stage cannot end there.
  void mark_bounded(int id, const Box& domain, const BoundaryConditions& boundary);
  /// Begins a loop of at most `maximum` turns and returns its number: the arrays added until end_loop are its
  /// stages. Throws InternalError when the name is taken or `maximum` is less than 1.
  std::size_t begin_loop(std::string name, std::int64_t maximum);
  /// Ends a loop. Throws InternalError when it has no stages, declares an input, feeds an output of its own,
  /// or neither feeds anything nor has a condition.
  void end_loop(std::size_t loop);
  /// After every turn of the loop array `to` becomes array `from`, see Pipeline::Loop::feed. Throws
  /// InternalError when that is not possible.
  void add_feed(std::size_t loop, int from, int to);
  /// Sets the array by which the loop ends, see Pipeline::Loop::until. Throws InternalError unless it is a
  /// value or reduction of the loop.
  void set_condition(std::size_t loop, int value);
  /// Sets the residual of the loop, see Pipeline::Loop::watch. Throws InternalError unless it is a value or
  /// reduction of the loop.
  void set_residual(std::size_t loop, int value);

 private:
  /// Throws InternalError when a loop that computes the array feeds it to another one, which then has its
  /// memory.
  void check_not_fed_away(int id) const;

  std::vector<ArrayDeclaration> arrays_;
  std::vector<LoopDeclaration> loops_;
  std::vector<FusableGroup> groups_;
};

}  // namespace tessera
