// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/barrier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::group::detail {
namespace {

/// Replaces the upper triangle of a positive definite matrix by its factor of Cholesky, U with U' U. Each row
/// is subtracted from those below it, so that the sums have one order however many numbers are added at once.
void factorise(std::vector<double>& matrix, std::size_t size) {
  std::vector<double> diagonal(size);
  for (std::size_t k = 0; k < size; ++k) diagonal[k] = matrix[k * size + k];
  for (std::size_t k = 0; k < size; ++k) {
    double* const pivot = &matrix[k * size];
    // Rounding must not make the root imaginary.
    pivot[k] = std::sqrt(std::max(pivot[k], 1e-14 * diagonal[k]));
    for (std::size_t column = k + 1; column < size; ++column) pivot[column] /= pivot[k];
    for (std::size_t row = k + 1; row < size; ++row) {
      const double factor = pivot[row];
      if (factor == 0) continue;
      double* const below = &matrix[row * size];
      for (std::size_t column = row; column < size; ++column) below[column] -= factor * pivot[column];
    }
  }
}

/// Solves a system with a factor of Cholesky. The right side becomes the solution.
void solve_factorised(const std::vector<double>& factor, std::vector<double>& right) {
  const std::size_t size = right.size();
  for (std::size_t k = 0; k < size; ++k) {
    const double* const row = &factor[k * size];
    const double value = right[k] /= row[k];
    for (std::size_t column = k + 1; column < size; ++column) right[column] -= row[column] * value;
  }
  for (std::size_t k = size; k-- > 0;) {
    const double* const row = &factor[k * size];
    double value = right[k];
    for (std::size_t column = k + 1; column < size; ++column) value -= row[column] * right[column];
    right[k] = value / row[k];
  }
}

}  // namespace

Barrier::Barrier(const RelaxedProblem& problem) : problem_(problem) {
  const std::size_t count = problem.tasks.size();
  point_.log_ranks.resize(count);
  point_.areas.resize(count);
  point_.ends.resize(count);
  constraints_ = static_cast<double>(problem.windows.size());
  double last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const RelaxedTask& task = problem.tasks[i];
    const double x = point_.log_ranks[i] = is_fixed(i) ? 0 : 0.5 * std::log(task.most_ranks);
    double seconds = 0, area = 0, start = 0;
    for (const cost::SharedCost& cost : task.costs) {
      seconds = std::max(seconds, cost.serial + cost.parallel * std::exp(-x));
      area = std::max(area, cost.parallel + cost.serial * std::exp(x));
    }
    for (std::size_t place = 0; place < task.predecessors.size(); ++place)
      start = std::max(start, end_before(point_, i, place));
    point_.areas[i] = area + 0.1 * (area + problem.ranks / static_cast<double>(count));
    point_.ends[i] = start + seconds + 0.1;
    for (const Window& window : problem.windows)
      if (window.before == i) point_.ends[i] -= std::min(0.0, window_slack(point_, window) - 0.1);
    last = std::max(last, point_.ends[i]);
    const std::size_t edges = std::max<std::size_t>(task.predecessors.size(), 1);
    constraints_ +=
        static_cast<double>(task.costs.size() * (edges + 1)) + (is_fixed(i) ? 0 : 2) + (task.is_last ? 1 : 0);
  }
  point_.value = last + 0.5;
  for (const Window& window : problem.windows)
    if (window.before == no_task) point_.value -= std::min(0.0, window_slack(point_, window) - 0.5);
}

double Barrier::end_before(const Point& point, std::size_t task, std::size_t place) const {
  const std::vector<std::size_t>& before = problem_.tasks[task].predecessors;
  return before.empty() ? 0 : point.ends[before[place]];
}

double Barrier::window_slack(const Point& point, const Window& window) const {
  double sum = 0;
  for (const std::size_t task : window.tasks) sum += point.areas[task];
  return (window.before == no_task ? point.value : point.ends[window.before]) -
         (window.after == no_task ? 0 : point.ends[window.after]) - sum / problem_.ranks;
}

/// Returns the function that a step is to lower, or infinity outside of the constraints.
double Barrier::barrier(const Point& point, double sharpness) const {
  double sum = sharpness * point.value;
  bool is_inside = true;
  const auto add = [&](double slack) {
    if (slack > 0)
      sum -= std::log(slack);
    else
      is_inside = false;
  };
  for (std::size_t i = 0; i < problem_.tasks.size() && is_inside; ++i) {
    const RelaxedTask& task = problem_.tasks[i];
    const double x = point.log_ranks[i], growth = std::exp(x);
    for (const cost::SharedCost& cost : task.costs) {
      const double seconds = cost.serial + cost.parallel / growth;
      for (std::size_t place = 0; place < std::max<std::size_t>(task.predecessors.size(), 1); ++place)
        add(point.ends[i] - end_before(point, i, place) - seconds);
      add(point.areas[i] - cost.parallel - cost.serial * growth);
    }
    if (!is_fixed(i)) {
      add(x);
      add(std::log(task.most_ranks) - x);
    }
    if (task.is_last) add(point.value - point.ends[i]);
  }
  for (const Window& window : problem_.windows) add(window_slack(point, window));
  return is_inside ? sum : std::numeric_limits<double>::infinity();
}

/// Adds the constraints that a task ends after its predecessors.
void Barrier::differentiate_durations(std::size_t task) {
  const RelaxedTask& own = problem_.tasks[task];
  Block& block = blocks_[task];
  for (const cost::SharedCost& cost : own.costs) {
    const double shared = cost.parallel * std::exp(-point_.log_ranks[task]);
    for (std::size_t place = 0; place < block.ends_before.size(); ++place) {
      const double inverse = 1 / (point_.ends[task] - end_before(point_, task, place) - cost.serial - shared);
      const double square = inverse * inverse;
      gradient_[task] -= inverse;
      dense(task, task) += square;
      if (!own.predecessors.empty()) {
        const std::size_t before = own.predecessors[place];
        gradient_[before] += inverse;
        dense(before, before) += square;
        dense(task, before) -= square;
      }
      if (is_fixed(task)) continue;
      block.gradient_x -= shared * inverse;
      block.xx += shared * shared * square + shared * inverse;
      block.own_end += shared * square;
      block.ends_before[place] -= shared * square;
    }
  }
}

/// Adds the constraints of the area of a task, and those of its ranks.
void Barrier::differentiate_areas(std::size_t task) {
  Block& block = blocks_[task];
  const double x = point_.log_ranks[task];
  for (const cost::SharedCost& cost : problem_.tasks[task].costs) {
    const double growing = cost.serial * std::exp(x);
    const double inverse = 1 / (point_.areas[task] - cost.parallel - growing);
    block.gradient_q -= inverse;
    block.qq += inverse * inverse;
    if (is_fixed(task)) continue;
    block.gradient_x += growing * inverse;
    block.xq -= growing * inverse * inverse;
    block.xx += growing * growing * inverse * inverse + growing * inverse;
  }
  if (is_fixed(task)) {
    block.xx = 1;
    return;
  }
  const double low = 1 / x, high = 1 / (std::log(problem_.tasks[task].most_ranks) - x);
  block.gradient_x += high - low;
  block.xx += low * low + high * high;
}

/// Adds the gradients of the windows. Their matrices of rank one are not added here.
void Barrier::differentiate_windows() {
  const std::size_t count = problem_.tasks.size();
  window_slacks_.clear();
  for (const Window& window : problem_.windows) {
    const double slack = window_slacks_.emplace_back(window_slack(point_, window));
    gradient_[window.before == no_task ? count : window.before] -= 1 / slack;
    if (window.after != no_task) gradient_[window.after] += 1 / slack;
    for (const std::size_t task : window.tasks) blocks_[task].gradient_q += 1 / (slack * problem_.ranks);
  }
}

void Barrier::differentiate(double sharpness) {
  const std::size_t count = problem_.tasks.size();
  blocks_.assign(count, {});
  gradient_.assign(count + 1, 0);
  matrix_.assign((count + 1) * (count + 1), 0);
  gradient_[count] = sharpness;
  differentiate_windows();
  for (std::size_t i = 0; i < count; ++i) {
    blocks_[i].ends_before.assign(std::max<std::size_t>(problem_.tasks[i].predecessors.size(), 1), 0);
    differentiate_durations(i);
    differentiate_areas(i);
    if (!problem_.tasks[i].is_last) continue;
    const double inverse = 1 / (point_.value - point_.ends[i]);
    gradient_[i] += inverse;
    gradient_[count] -= inverse;
    dense(i, i) += inverse * inverse;
    dense(count, count) += inverse * inverse;
    dense(count, i) -= inverse * inverse;
  }
}

/// Eliminates the blocks of the tasks from the matrix of the ends.
void Barrier::eliminate() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block& block = blocks_[i];
    const double determinant = block.xx * block.qq - block.xq * block.xq;
    block.inverse_xx = block.qq / determinant;
    block.inverse_xq = -block.xq / determinant;
    block.inverse_qq = block.xx / determinant;
    const std::vector<std::size_t>& before = problem_.tasks[i].predecessors;
    dense(i, i) -= block.own_end * block.inverse_xx * block.own_end;
    for (std::size_t a = 0; a < before.size(); ++a) {
      dense(i, before[a]) -= block.own_end * block.inverse_xx * block.ends_before[a];
      for (std::size_t b = 0; b < before.size(); ++b)
        if (before[b] <= before[a])
          dense(before[a], before[b]) -= block.ends_before[a] * block.inverse_xx * block.ends_before[b];
    }
  }
}

/// Solves the system without the windows.
Barrier::Vector Barrier::solve(const Vector& right) const {
  const std::size_t count = blocks_.size();
  Vector result{std::vector<double>(count), std::vector<double>(count), right.ends};
  for (std::size_t i = 0; i < count; ++i) {
    const Block& block = blocks_[i];
    const double x = block.inverse_xx * right.x[i] + block.inverse_xq * right.q[i];
    result.ends[i] -= block.own_end * x;
    for (std::size_t e = 0; e < problem_.tasks[i].predecessors.size(); ++e)
      result.ends[problem_.tasks[i].predecessors[e]] -= block.ends_before[e] * x;
  }
  std::vector<double>& ends = result.ends;
  solve_factorised(matrix_, ends);
  for (std::size_t i = 0; i < count; ++i) {
    const Block& block = blocks_[i];
    double x = right.x[i] - block.own_end * ends[i];
    for (std::size_t e = 0; e < problem_.tasks[i].predecessors.size(); ++e)
      x -= block.ends_before[e] * ends[problem_.tasks[i].predecessors[e]];
    result.x[i] = block.inverse_xx * x + block.inverse_xq * right.q[i];
    result.q[i] = block.inverse_xq * x + block.inverse_qq * right.q[i];
  }
  return result;
}

Barrier::Vector Barrier::empty_vector() const {
  const std::size_t count = blocks_.size();
  return {std::vector<double>(count), std::vector<double>(count), std::vector<double>(count + 1)};
}

/// Returns the gradient of the slack of a window.
Barrier::Vector Barrier::gradient_of(const Window& window) const {
  Vector gradient = empty_vector();
  for (const std::size_t task : window.tasks) gradient.q[task] = -1 / problem_.ranks;
  gradient.ends[window.before == no_task ? blocks_.size() : window.before] = 1;
  if (window.after != no_task) gradient.ends[window.after] = -1;
  return gradient;
}

/// Returns the product of the gradient of a window and a vector.
double Barrier::times_window(const Vector& vector, const Window& window) const {
  double sum = vector.ends[window.before == no_task ? blocks_.size() : window.before];
  if (window.after != no_task) sum -= vector.ends[window.after];
  for (const std::size_t task : window.tasks) sum -= vector.q[task] / problem_.ranks;
  return sum;
}

/// Solves the system of Newton's method with M + sum of v v' / slack^2 over the windows with gradients v: let
/// S have the elements v' M^-1 w, and slack^2 in addition on its diagonal; then the direction is d - sum of
/// (M^-1 v) c, where d solves the system without windows, and S c = (v' d).
Barrier::Vector Barrier::newton_direction() const {
  const std::vector<Window>& windows = problem_.windows;
  Vector right = empty_vector();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    right.x[i] = -blocks_[i].gradient_x;
    right.q[i] = -blocks_[i].gradient_q;
  }
  for (std::size_t i = 0; i < gradient_.size(); ++i) right.ends[i] = -gradient_[i];
  Vector direction = solve(right);
  std::vector<Vector> corrections;
  std::vector<double> factors, products(windows.size() * windows.size());
  for (std::size_t w = 0; w < windows.size(); ++w) {
    corrections.push_back(solve(gradient_of(windows[w])));
    factors.push_back(times_window(direction, windows[w]));
    for (std::size_t other = 0; other <= w; ++other)
      products[other * windows.size() + w] = times_window(corrections[w], windows[other]);
    products[w * windows.size() + w] += window_slacks_[w] * window_slacks_[w];
  }
  factorise(products, windows.size());
  solve_factorised(products, factors);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      direction.x[i] -= factors[w] * corrections[w].x[i];
      direction.q[i] -= factors[w] * corrections[w].q[i];
    }
    for (std::size_t i = 0; i < gradient_.size(); ++i)
      direction.ends[i] -= factors[w] * corrections[w].ends[i];
  }
  return direction;
}

/// Goes along a direction until the function is lower. Returns false if it is nowhere.
bool Barrier::search(const Vector& direction, double slope, double sharpness) {
  const std::size_t count = blocks_.size();
  const double before = barrier(point_, sharpness);
  for (double length = 1; length > 1e-10; length *= 0.5) {
    Point next = point_;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_fixed(i)) next.log_ranks[i] += length * direction.x[i];
      next.areas[i] += length * direction.q[i];
      next.ends[i] += length * direction.ends[i];
    }
    next.value += length * direction.ends[count];
    if (barrier(next, sharpness) > before + 0.1 * length * slope) continue;
    point_ = std::move(next);
    return true;
  }
  return false;
}

int Barrier::centre(double sharpness) {
  constexpr int most_steps = 100;
  for (int step = 1; step <= most_steps; ++step) {
    differentiate(sharpness);
    eliminate();
    factorise(matrix_, gradient_.size());
    const Vector direction = newton_direction();
    double slope = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      slope += blocks_[i].gradient_x * direction.x[i] + blocks_[i].gradient_q * direction.q[i];
    for (std::size_t i = 0; i < gradient_.size(); ++i) slope += gradient_[i] * direction.ends[i];
    // The negative slope is the square of Newton's decrement, which estimates twice what is still to be
    // gained.
    if (!(slope < 0) || !search(direction, slope, sharpness) || -slope < 1e-3) return step;
  }
  return most_steps;
}

std::vector<double> Barrier::ranks_of_tasks() const {
  std::vector<double> ranks;
  for (std::size_t i = 0; i < problem_.tasks.size(); ++i)
    ranks.push_back(std::clamp(std::exp(point_.log_ranks[i]), 1.0, problem_.tasks[i].most_ranks));
  return ranks;
}

Multipliers Barrier::multipliers(double sharpness) const {
  Multipliers result;
  for (std::size_t i = 0; i < problem_.tasks.size(); ++i) {
    const RelaxedTask& task = problem_.tasks[i];
    const double growth = std::exp(point_.log_ranks[i]);
    auto& durations = result.durations.emplace_back();
    for (std::size_t place = 0; place < std::max<std::size_t>(task.predecessors.size(), 1); ++place) {
      auto& of_costs = durations.emplace_back();
      for (const cost::SharedCost& cost : task.costs)
        of_costs.push_back(1 / (sharpness * (point_.ends[i] - end_before(point_, i, place) - cost.serial -
                                             cost.parallel / growth)));
    }
    auto& areas = result.areas.emplace_back();
    for (const cost::SharedCost& cost : task.costs)
      areas.push_back(1 / (sharpness * (point_.areas[i] - cost.parallel - cost.serial * growth)));
    result.ends.push_back(task.is_last ? 1 / (sharpness * (point_.value - point_.ends[i])) : 0);
  }
  for (const Window& window : problem_.windows)
    result.windows.push_back(1 / (sharpness * window_slack(point_, window)));
  return result;
}

}  // namespace tessera::group::detail
