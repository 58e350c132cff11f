// SPDX-License-Identifier: BSD-3-Clause
#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "contradictions.hpp"

namespace stitch {
namespace {

/// Pairs that connect all tiles that pairs connect at all.
class Forest {
 public:
  explicit Forest(int tiles) : parent_(at(tiles)), neighbours_(at(tiles)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  /// Adds a pair unless its tiles are connected already.
  void add(const Pair& pair, Shift shift) {
    const int first = root(pair.first), second = root(pair.second);
    if (first == second) return;
    parent_[at(std::max(first, second))] = std::min(first, second);
    neighbours_[at(pair.first)].push_back({pair.second, shift});
    neighbours_[at(pair.second)].push_back({pair.first, {-shift.x, -shift.y}});
  }

  /// Sets the positions of all tiles that are connected to `start`, whose position is set.
  void spread(int start, std::vector<Position>& positions) const {
    struct Step {
      int tile, from;
    };
    std::vector<Step> open{{start, -1}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      for (const Neighbour& next : neighbours_[at(step.tile)]) {
        if (next.tile == step.from) continue;
        const Position here = positions[at(step.tile)];
        positions[at(next.tile)] = {here.x + next.shift.x, here.y + next.shift.y};
        open.push_back({next.tile, step.tile});
      }
    }
  }

  int root(int tile) {
    while (parent_[at(tile)] != tile) tile = parent_[at(tile)] = parent_[at(parent_[at(tile)])];
    return tile;
  }
  /// Returns a number for each tile that those have in common which are connected.
  std::vector<int> roots() {
    std::vector<int> roots;
    for (int tile = 0; tile < static_cast<int>(parent_.size()); ++tile) roots.push_back(root(tile));
    return roots;
  }

 private:
  struct Neighbour {
    int tile;
    Shift shift;
  };
  std::vector<int> parent_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

/// The equations of one coordinate: those of a graph whose edges are pairs with weights. They are solved by
/// conjugate gradients from a first guess, whose mean in each connected part is kept.
class Equations {
 public:
  Equations(const std::vector<Pair>& pairs, std::vector<double> weights)
      : pairs_(pairs), weights_(std::move(weights)) {}

  void solve(std::vector<double>& x, const std::vector<double>& shifts) const {
    std::vector<double> residual(x.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      add(residual, i, weights_[i] * (shifts[i] - (x[at(pairs_[i].second)] - x[at(pairs_[i].first)])));
    std::vector<double> direction = residual;
    double size = dot(residual, residual);
    const double small = 1e-20 * std::max(1.0, size);
    for (std::size_t turn = 0; turn < 10 * x.size() && size > small; ++turn) {
      std::vector<double> product(x.size());
      for (std::size_t i = 0; i < pairs_.size(); ++i)
        add(product, i, weights_[i] * (direction[at(pairs_[i].second)] - direction[at(pairs_[i].first)]));
      const double length = size / dot(direction, product);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += length * direction[i];
        residual[i] -= length * product[i];
      }
      const double next = dot(residual, residual);
      for (std::size_t i = 0; i < x.size(); ++i) direction[i] = residual[i] + next / size * direction[i];
      size = next;
    }
  }

 private:
  void add(std::vector<double>& to, std::size_t pair, double value) const {
    to[at(pairs_[pair].second)] += value;
    to[at(pairs_[pair].first)] -= value;
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  const std::vector<Pair>& pairs_;
  std::vector<double> weights_;
};

/// Moves the parts of the plate that only pairs of the model connect, each as a whole, so that the squares of
/// the deviations of these pairs from the model have the least sum. A blank tile so lies at the mean of the
/// places that its neighbours put it at. `parts` has a number for the part of each tile, and `wholes` one for
/// all that pairs connect, in which the largest part stays where it is.
void settle_parts(const std::vector<Pair>& pairs, const std::vector<Placement>& placements,
                  const std::vector<int>& parts, const std::vector<int>& wholes,
                  std::vector<Position>& positions) {
  std::vector<Pair> between;
  std::vector<double> right, down;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    const Pair of_parts{parts[at(pair.first)], parts[at(pair.second)], pair.direction};
    if (placements[i].origin != Origin::model || of_parts.first == of_parts.second) continue;
    const Shift step = placements[i].translation.shift;
    const Position &first = positions[at(pair.first)], &second = positions[at(pair.second)];
    between.push_back(of_parts);
    right.push_back(static_cast<double>(step.x - (second.x - first.x)));
    down.push_back(static_cast<double>(step.y - (second.y - first.y)));
  }
  const Equations equations(between, std::vector<double>(between.size(), 1.0));
  std::vector<double> x(positions.size()), y(positions.size());
  equations.solve(x, right);
  equations.solve(y, down);
  std::vector<int> sizes(positions.size()), largest = wholes;
  for (const int part : parts) ++sizes[at(part)];
  for (std::size_t tile = 0; tile < parts.size(); ++tile)
    if (int& best = largest[at(wholes[tile])]; sizes[at(parts[tile])] > sizes[at(best)]) best = parts[tile];
  for (std::size_t tile = 0; tile < positions.size(); ++tile) {
    const std::size_t part = at(parts[tile]), still = at(largest[at(wholes[tile])]);
    positions[tile].x += std::llround(x[part] - x[still]);
    positions[tile].y += std::llround(y[part] - y[still]);
  }
}

std::vector<Position> along_tree(const Grid& grid, const std::vector<Pair>& pairs,
                                 const std::vector<Placement>& placements, const StageModel& model) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<bool> is_doubtful = contradicted(grid, pairs, placements);
  const auto rank = [&](std::size_t pair) {
    return std::tuple(placements[pair].origin == Origin::model, bool(is_doubtful[pair]),
                      -placements[pair].translation.correlation);
  };
  std::ranges::stable_sort(order, {}, rank);
  Forest forest(grid.size());
  std::vector<int> parts;
  for (const std::size_t pair : order) {
    if (placements[pair].origin == Origin::model && parts.empty()) parts = forest.roots();
    forest.add(pairs[pair], placements[pair].translation.shift);
  }
  std::vector<Position> positions(at(grid.size()));
  for (int tile = 0; tile < grid.size(); ++tile) {
    if (!grid.has(tile) || forest.root(tile) != tile) continue;
    const Cell cell = grid.cell(tile);
    positions[at(tile)] = {
        std::int64_t(cell.column) * model.right.step.x + std::int64_t(cell.row) * model.below.step.x,
        std::int64_t(cell.column) * model.right.step.y + std::int64_t(cell.row) * model.below.step.y};
    forest.spread(tile, positions);
  }
  if (!parts.empty()) settle_parts(pairs, placements, parts, forest.roots(), positions);
  return positions;
}

void by_least_squares(const Grid& grid, const std::vector<Pair>& pairs,
                      const std::vector<Placement>& placements, std::vector<Position>& positions) {
  // A pair of the model, or one that others contradict, is a thousandth as good as one that correlates by 1.
  constexpr double least_weight = 1e-3;
  const std::vector<bool> is_doubtful = contradicted(grid, pairs, placements);
  std::vector<double> weights, right, down, x, y;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const Placement& one = placements[i];
    const bool is_weak = one.origin == Origin::model || is_doubtful[i];
    weights.push_back(is_weak ? least_weight : std::max(least_weight, one.translation.correlation));
    right.push_back(one.translation.shift.x);
    down.push_back(one.translation.shift.y);
  }
  for (const Position& position : positions) {
    x.push_back(static_cast<double>(position.x));
    y.push_back(static_cast<double>(position.y));
  }
  const Equations equations(pairs, weights);
  equations.solve(x, right);
  equations.solve(y, down);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = {std::llround(x[i]), std::llround(y[i])};
}

}  // namespace

std::vector<Position> positions_of(const Grid& grid, const std::vector<Pair>& pairs,
                                   const std::vector<Placement>& placements, const StageModel& model,
                                   Solver solver) {
  std::vector<Position> positions = along_tree(grid, pairs, placements, model);
  if (solver == Solver::least_squares) by_least_squares(grid, pairs, placements, positions);
  Position least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  for (int tile = 0; tile < grid.size(); ++tile)
    if (grid.has(tile)) {
      least.x = std::min(least.x, positions[at(tile)].x);
      least.y = std::min(least.y, positions[at(tile)].y);
    }
  for (Position& position : positions) position = {position.x - least.x, position.y - least.y};
  return positions;
}

std::vector<int> tiles_placed_by_model(const Grid& grid, const std::vector<Pair>& pairs,
                                       const std::vector<Placement>& placements) {
  std::vector<std::uint8_t> is_found(at(grid.size()));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (placements[i].origin != Origin::model)
      for (const int tile : {pairs[i].first, pairs[i].second}) is_found[at(tile)] = 1;
  std::vector<int> tiles;
  for (int tile = 0; tile < grid.size(); ++tile)
    if (grid.has(tile) && is_found[at(tile)] == 0 && grid.size() > 1) tiles.push_back(tile);
  return tiles;
}

int measured_parts(const Grid& grid, const std::vector<Pair>& pairs,
                   const std::vector<Placement>& placements) {
  Forest forest(grid.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (placements[i].origin != Origin::model) forest.add(pairs[i], {});
  int parts = 0;
  std::vector<std::uint8_t> is_counted(at(grid.size()));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::uint8_t& counted = is_counted[at(forest.root(pairs[i].first))];
    if (placements[i].origin == Origin::model || counted != 0) continue;
    counted = 1;
    ++parts;
  }
  return parts;
}

}  // namespace stitch
