// SPDX-License-Identifier: BSD-3-Clause
#include "positions.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace stitch {
namespace {

/// The numbers of the four pairs of tiles around a corner: the upper and the lower pair of tiles side by
/// side, and then the left and the right pair of tiles one below the other.
using Circle = std::array<std::size_t, 4>;

/// Returns all circles whose pairs were all measured or searched.
std::vector<Circle> circles_of(const Grid& grid, const Placements& placements) {
  const std::size_t none = placements.size();
  std::vector<std::size_t> right(at(grid.size()), none), below(at(grid.size()), none);
  for (std::size_t i = 0; i < placements.size(); ++i)
    if (const auto& [first, second, direction] = placements[i].pair; placements[i].is_found())
      (direction == Direction::right ? right : below)[at(first)] = i;
  std::vector<Circle> circles;
  for (int row = 0; row + 1 < grid.rows(); ++row)
    for (int column = 0; column + 1 < grid.columns(); ++column) {
      const int tile = grid.number({row, column});
      const Circle circle{right[at(tile)], right[at(tile + grid.columns())], below[at(tile)],
                          below[at(tile + 1)]};
      if (std::ranges::find(circle, none) == circle.end()) circles.push_back(circle);
    }
  return circles;
}

/// How many circles of a pair close exactly, how many close at least up to the pixel that rounding may add,
/// and how many do not close.
struct Witnesses {
  int exact = 0, closing = 0, open = 0;
  /// A pair in a circle that closes is beyond doubt.
  int doubts() const { return closing > 0 ? 0 : open; }
};

std::vector<Witnesses> witnesses_of(const std::vector<Circle>& circles, const Placements& placements) {
  std::vector<Witnesses> witnesses(placements.size());
  for (const Circle& circle : circles) {
    const auto [upper, lower, left, right] = circle;
    const auto shift = [&](std::size_t pair) { return placements[pair].translation.shift; };
    const int gap = distance(shift(upper) + shift(right), shift(left) + shift(lower));
    for (const std::size_t pair : circle) {
      witnesses[pair].exact += gap == 0 ? 1 : 0;
      ++(gap <= 1 ? witnesses[pair].closing : witnesses[pair].open);
    }
  }
  return witnesses;
}

/// A forest of pairs: it connects all tiles that the added pairs connect, by one way each.
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
    neighbours_[at(pair.first)].emplace_back(pair.second, shift);
    neighbours_[at(pair.second)].emplace_back(pair.first, Shift{-shift.x, -shift.y});
  }

  /// Sets the positions of all tiles that are connected to `start`, whose position is set.
  void spread(int start, std::vector<Position>& positions) const {
    std::vector<std::pair<int, int>> open{{start, -1}};  // tiles, and those that they are reached from
    while (!open.empty()) {
      const auto [tile, from] = open.back();
      open.pop_back();
      const Position here = positions[at(tile)];
      for (const auto& [next, shift] : neighbours_[at(tile)]) {
        if (next == from) continue;
        positions[at(next)] = {here.x + shift.x, here.y + shift.y};
        open.emplace_back(next, tile);
      }
    }
  }

  /// Returns the tile that stands for all tiles that are connected to this one.
  int root(int tile) {
    while (parent_[at(tile)] != tile) tile = parent_[at(tile)] = parent_[at(parent_[at(tile)])];
    return tile;
  }
  /// Returns the root of each tile. Connected tiles have the same root.
  std::vector<int> roots() {
    std::vector<int> roots;
    for (int tile = 0; tile < static_cast<int>(parent_.size()); ++tile) roots.push_back(root(tile));
    return roots;
  }

 private:
  std::vector<int> parent_;
  std::vector<std::vector<std::pair<int, Shift>>> neighbours_;
};

/// An equation for the positions of a pair of tiles: they differ by `right` and `down`. It counts by its
/// weight.
struct Equation {
  Pair pair;
  double right, down, weight;
  /// Adds the weighted value to the second tile in `to`, and subtracts it from the first one.
  void add(std::vector<double>& to, double value) const {
    to[at(pair.second)] += weight * value;
    to[at(pair.first)] -= weight * value;
  }
  double difference(const std::vector<double>& of) const { return of[at(pair.second)] - of[at(pair.first)]; }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Solves the equations of one coordinate by conjugate gradients. `x` is a first guess, and becomes the
/// solution. The mean of each connected part of it does not change.
void solve(const std::vector<Equation>& equations, double Equation::*shift, std::vector<double>& x) {
  std::vector<double> residual(x.size());
  for (const Equation& one : equations) one.add(residual, one.*shift - one.difference(x));
  std::vector<double> direction = residual;
  double square = dot(residual, residual);
  const double small_square = 1e-20 * std::max(1.0, square);
  for (std::size_t turn = 0; turn < 10 * x.size() && square > small_square; ++turn) {
    std::vector<double> product(x.size());
    for (const Equation& one : equations) one.add(product, one.difference(direction));
    const double length = square / dot(direction, product);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += length * direction[i];
      residual[i] -= length * product[i];
    }
    const double next_square = dot(residual, residual);
    for (std::size_t i = 0; i < x.size(); ++i)
      direction[i] = residual[i] + next_square / square * direction[i];
    square = next_square;
  }
}

/// Moves the parts of the plate that only pairs of the model connect, each as a whole, so that the squares of
/// the deviations of these pairs from the model have the least sum. So a blank tile lies at the mean of the
/// places where its neighbours put it. `parts` has the root of each tile if pairs of the model do not count,
/// and `wholes` its root if all pairs count. The largest part of each whole stays where it is.
void settle_parts(const Placements& placements, const std::vector<int>& parts, const std::vector<int>& wholes,
                  std::vector<Position>& positions) {
  // The unknowns are the moves of parts.
  std::vector<Equation> between;
  for (const Placement& one : placements) {
    const Pair of_parts{parts[at(one.pair.first)], parts[at(one.pair.second)], one.pair.direction};
    if (one.is_found() || of_parts.first == of_parts.second) continue;
    const Shift step = one.translation.shift;
    const Position &first = positions[at(one.pair.first)], &second = positions[at(one.pair.second)];
    between.push_back({of_parts, static_cast<double>(step.x - (second.x - first.x)),
                       static_cast<double>(step.y - (second.y - first.y)), 1});
  }
  std::vector<double> x(positions.size()), y(positions.size());
  solve(between, &Equation::right, x);
  solve(between, &Equation::down, y);
  std::vector<int> sizes(positions.size()), largest = wholes;
  for (const int part : parts) ++sizes[at(part)];
  for (std::size_t tile = 0; tile < parts.size(); ++tile)
    if (int& best = largest[at(wholes[tile])]; sizes[at(parts[tile])] > sizes[at(best)]) best = parts[tile];
  for (std::size_t tile = 0; tile < positions.size(); ++tile) {
    const std::size_t part = at(parts[tile]), fixed = at(largest[at(wholes[tile])]);
    positions[tile].x += std::llround(x[part] - x[fixed]);
    positions[tile].y += std::llround(y[part] - y[fixed]);
  }
}

/// Returns the positions of all tiles along the spanning tree of the best pairs.
std::vector<Position> along_tree(const Grid& grid, const Placements& placements, const StageModel& model) {
  std::vector<std::size_t> order(placements.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<bool> is_doubtful = contradicted(grid, placements);
  const auto badness = [&](std::size_t pair) {
    return std::tuple(!placements[pair].is_found(), bool(is_doubtful[pair]),
                      -placements[pair].translation.correlation);
  };
  std::ranges::stable_sort(order, {}, badness);
  Forest forest(grid.size());
  // Pairs of the model come last. The parts are those that all other pairs connect.
  std::vector<int> parts;
  for (const std::size_t pair : order) {
    if (!placements[pair].is_found() && parts.empty()) parts = forest.roots();
    forest.add(placements[pair].pair, placements[pair].translation.shift);
  }
  std::vector<Position> positions(at(grid.size()));
  for (const int tile : grid.tiles()) {
    if (forest.root(tile) != tile) continue;
    const Cell cell = grid.cell(tile);
    positions[at(tile)] = {
        std::int64_t(cell.column) * model.right.step.x + std::int64_t(cell.row) * model.below.step.x,
        std::int64_t(cell.column) * model.right.step.y + std::int64_t(cell.row) * model.below.step.y};
    forest.spread(tile, positions);
  }
  if (!parts.empty()) settle_parts(placements, parts, forest.roots(), positions);
  return positions;
}

/// Replaces positions, which are a first guess, by those with the least squares of deviations.
void by_least_squares(const Grid& grid, const Placements& placements, std::vector<Position>& positions) {
  // A pair of the model, or one that others contradict, counts a thousandth of a pair that correlates by 1.
  constexpr double least_weight = 1e-3;
  const std::vector<bool> is_doubtful = contradicted(grid, placements);
  std::vector<Equation> equations;
  std::vector<double> x, y;
  for (const Placement& one : placements) {
    const auto& [shift, correlation, evidence, peak] = one.translation;
    const bool is_weak = !one.is_found() || is_doubtful[equations.size()];
    const double weight = is_weak ? least_weight : std::max(least_weight, correlation);
    equations.push_back({one.pair, double(shift.x), double(shift.y), weight});
  }
  for (const Position& position : positions) {
    x.push_back(static_cast<double>(position.x));
    y.push_back(static_cast<double>(position.y));
  }
  solve(equations, &Equation::right, x);
  solve(equations, &Equation::down, y);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = {std::llround(x[i]), std::llround(y[i])};
}

}  // namespace

std::vector<bool> confirmed(const Grid& grid, const Placements& placements) {
  std::vector<bool> is_confirmed;
  for (const Witnesses& one : witnesses_of(circles_of(grid, placements), placements))
    is_confirmed.push_back(one.exact > 0 && one.open == 0);
  return is_confirmed;
}

std::vector<bool> contradicted(const Grid& grid, const Placements& placements) {
  const std::vector<Circle> circles = circles_of(grid, placements);
  const std::vector<Witnesses> witnesses = witnesses_of(circles, placements);
  std::vector<bool> is_contradicted(placements.size());
  for (const Circle& circle : circles) {
    const auto doubts = [&](std::size_t pair) { return witnesses[pair].doubts(); };
    const std::size_t worst = *std::ranges::max_element(circle, {}, doubts);
    if (doubts(worst) > 0 && std::ranges::count(circle, doubts(worst), doubts) == 1)
      is_contradicted[worst] = true;
  }
  return is_contradicted;
}

std::vector<Position> positions_of(const Grid& grid, const Placements& placements, const StageModel& model,
                                   Solver solver) {
  std::vector<Position> positions = along_tree(grid, placements, model);
  if (solver == Solver::least_squares) by_least_squares(grid, placements, positions);
  Position least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  for (const int tile : grid.tiles()) {
    least.x = std::min(least.x, positions[at(tile)].x);
    least.y = std::min(least.y, positions[at(tile)].y);
  }
  for (Position& position : positions) position = {position.x - least.x, position.y - least.y};
  return positions;
}

std::vector<int> tiles_placed_by_model(const Grid& grid, const Placements& placements) {
  std::vector<std::uint8_t> is_found(at(grid.size()));
  for (const Placement& one : placements)
    if (one.is_found()) is_found[at(one.pair.first)] = is_found[at(one.pair.second)] = 1;
  std::vector<int> tiles = grid.tiles();
  std::erase_if(tiles, [&](int tile) { return is_found[at(tile)] != 0 || grid.size() == 1; });
  return tiles;
}

int measured_parts(const Grid& grid, const Placements& placements) {
  Forest forest(grid.size());
  for (const Placement& one : placements)
    if (one.is_found()) forest.add(one.pair, {});
  std::set<int> parts;
  for (const Placement& one : placements)
    if (one.is_found()) parts.insert(forest.root(one.pair.first));
  return static_cast<int>(parts.size());
}

}  // namespace stitch
