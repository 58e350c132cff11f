// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/detail/relaxed_problem.hpp"

namespace tessera::group::detail {

/// The interior-point method for a RelaxedProblem. The variables are, for each task, the logarithm x of its
/// ranks, its area q and its end y, and the value. The constraints are, for each cost a + b/p of a task:
///   y >= (end of a predecessor) + a + b exp(-x),   q >= b + a exp(x),   0 <= x <= log(most ranks),
/// and: value >= y for all tasks, and for each window: (its later end) >= (its earlier end) + (sum of q) /
/// ranks. Each step of Newton's method minimises
///   sharpness * value - sum of log(slack of each constraint).
/// Its matrix has a block of two rows (x, q) for each task, which is eliminated first. What is left is dense,
/// with a row for each end and one for the value. Each window has a rank of one; they are added by Woodbury's
/// formula.
class Barrier {
 public:
  /// Begins at a point inside of all constraints. Costs should be of the order of 1.
  explicit Barrier(const RelaxedProblem& problem);

  /// Moves to the least value for a sharpness. Returns the number of steps.
  int centre(double sharpness);
  /// Returns the ranks of all tasks.
  std::vector<double> ranks_of_tasks() const;
  /// Returns the multipliers that belong to the point at which `centre` has ended.
  Multipliers multipliers(double sharpness) const;
  /// Returns the number of constraints: at the centre, the value is above the least one by at most this
  /// number divided by the sharpness.
  double constraints() const { return constraints_; }

 private:
  struct Point {
    std::vector<double> log_ranks, areas, ends;
    double value = 0;
  };
  /// The derivatives by the variables x and q of a task, and by x and the ends of the task and of its
  /// predecessors.
  struct Block {
    double gradient_x = 0, gradient_q = 0;
    double xx = 0, xq = 0, qq = 0;
    double own_end = 0;
    std::vector<double> ends_before;
    /// The inverse of the matrix ((xx, xq), (xq, qq)).
    double inverse_xx = 0, inverse_xq = 0, inverse_qq = 0;
  };
  /// A vector with the parts of all variables.
  struct Vector {
    std::vector<double> x, q;
    /// The ends, and the value at last.
    std::vector<double> ends;
  };

  bool is_fixed(std::size_t task) const { return problem_.tasks[task].most_ranks <= 1; }
  double end_before(const Point& point, std::size_t task, std::size_t place) const;
  double window_slack(const Point& point, const Window& window) const;
  void differentiate_windows();
  double barrier(const Point& point, double sharpness) const;
  void differentiate(double sharpness);
  void differentiate_durations(std::size_t task);
  void differentiate_areas(std::size_t task);
  void eliminate();
  Vector empty_vector() const;
  Vector gradient_of(const Window& window) const;
  double times_window(const Vector& vector, const Window& window) const;
  Vector solve(const Vector& right) const;
  Vector newton_direction() const;
  bool search(const Vector& direction, double slope, double sharpness);
  /// An element of the symmetric matrix of the ends, whose row is not below its column.
  double& dense(std::size_t row, std::size_t column) {
    return matrix_[column * (problem_.tasks.size() + 1) + row];
  }

  const RelaxedProblem& problem_;
  double constraints_ = 0;
  Point point_;
  std::vector<Block> blocks_;
  /// The gradient by the ends and by the value.
  std::vector<double> gradient_;
  /// The upper triangle of the matrix of the ends and of the value, and later its factor of Cholesky.
  std::vector<double> matrix_;
  std::vector<double> window_slacks_;
};

}  // namespace tessera::group::detail
