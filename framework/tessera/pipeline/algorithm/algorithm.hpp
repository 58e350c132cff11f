// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ranges>
#include <string_view>
#include <vector>

#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// An algorithm as data: the arrays of a pipeline with the stages that compute them, its loops, and its
/// groups of fusable stages. Arrays are numbered in the order of their declaration, from 0. It knows nothing
/// of ranks, ghosts or tiles. Users build one through Algorithm; planners, runners and explanations read it,
/// and need none of the templates that stages are made of.
class Algorithm {
 public:
  Algorithm() = default;
  /// An algorithm made of these parts, for functions that rewrite one, such as in_rounds: the parts must be
  /// consistent.
  Algorithm(std::vector<ArrayDeclaration> arrays, std::vector<LoopDeclaration> loops,
            std::vector<FusableGroup> groups);

  const std::vector<ArrayDeclaration>& arrays() const { return arrays_; }
  const ArrayDeclaration& operator[](int id) const { return arrays_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(arrays_.size()); }
  /// The ids of all arrays that a stage, named by its first output, computes.
  auto parts(int stage) const { return std::views::iota(stage, stage + (*this)[stage].output_count); }
  const std::vector<FusableGroup>& groups() const { return groups_; }
  /// The loops in the order in which they begin, outer ones before inner ones.
  const std::vector<LoopDeclaration>& loops() const { return loops_; }
  /// The innermost loop that a stage is in; -1: none.
  int loop_of(int stage) const;
  /// Whether the loop, one of loops(), stands in another one.
  bool is_inner(const LoopDeclaration& loop) const;
  /// Whether a loop feeds the array.
  bool is_fed(int array) const;
  /// The id of a stage or input; throws InternalError when there is none.
  int find(std::string_view name) const;
  /// The points of `box` that a stage, named by its first output, computes: it may end at a domain.
  Box within_bounds(int stage, Box box) const;

  /// Makes an array an output on `domain`; see Pipeline::output.
  void output(int array, const Box& domain = {});

 protected:
  int add(ArrayDeclaration declaration);
  void add_group(std::vector<int> stages, std::shared_ptr<const GroupKernel> kernel);
  static void check_line(const std::string& name, int extent);
  static void check_output_names(const std::vector<std::string>& names, std::size_t outputs);
  void mark_bounded(int id, const Box& domain, const BoundaryConditions& boundary);
  std::size_t begin_loop(std::string name, std::int64_t maximum);
  void end_loop(std::size_t loop);
  void add_feed(std::size_t loop, int from, int to);
  void set_condition(std::size_t loop, int value);
  void set_residual(std::size_t loop, int value);

 private:
  /// Throws InternalError when a loop that has ended gave the array's memory to another.
  void check_not_fed_away(int id) const;

  std::vector<ArrayDeclaration> arrays_;
  std::vector<LoopDeclaration> loops_;
  std::vector<FusableGroup> groups_;
};

}  // namespace tessera
