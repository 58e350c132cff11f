// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/processor_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera {
namespace {

/// Calls visit(digit) for each digit of the rank numbers of a grid, the slowest digit first. If the grid
/// lists no digits, each dimension has one digit, and the last dimension has the slowest one.
template <class Visit>
void for_each_digit(const ProcessorGrid& grid, const Visit& visit) {
  for (const GridDigit& digit : grid.digits) visit(digit);
  if (grid.digits.empty())
    for (int d = grid.dimensions - 1; d >= 0; --d) visit(GridDigit{d, grid.size[d]});
}

/// Returns how many slices of a range of `extent` points are not empty.
std::int64_t busy_slices(std::int64_t extent, int slices, Slicing slicing) {
  const std::int64_t size = (extent + slices - 1) / slices;
  return slicing == Slicing::balanced ? std::min<std::int64_t>(slices, extent) : (extent + size - 1) / size;
}

/// Returns the sum of the sizes of all slices of a range of `extent` points, after each slice has been
/// enlarged by `below` and `above` points within the range. Only slices near the ends are examined one by
/// one.
double grown_slices(std::int64_t extent, int slices, std::int64_t below, std::int64_t above,
                    Slicing slicing) {
  const std::int64_t size = (extent + slices - 1) / slices;
  const std::int64_t count = busy_slices(extent, slices, slicing);
  const auto begin = [&](std::int64_t i) {
    return slicing == Slicing::balanced ? extent * i / count : std::min(size * i, extent);
  };
  double points =
      static_cast<double>(extent) + static_cast<double>(count) * static_cast<double>(below + above);
  for (std::int64_t i = 0; i < count && begin(i) < below; ++i)
    points -= static_cast<double>(below - begin(i));
  for (std::int64_t i = count; i > 0 && begin(i) + above > extent; --i)
    points -= static_cast<double>(begin(i) + above - extent);
  return points;
}

/// Returns how many ranks of a grid own points of `box`.
int busy_ranks(const ProcessorGrid& grid, const Box& box, Slicing slicing) {
  std::int64_t busy = 1;
  for (int d = 0; d < grid.dimensions; ++d) busy *= busy_slices(box[d].size(), grid.size[d], slicing);
  return static_cast<int>(busy);
}

std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int n = 1; n <= number / n; ++n)
    if (number % n == 0) {
      low.push_back(n);
      if (n != number / n) high.push_back(number / n);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

using Factors = std::array<int, max_dimensions>;

/// Searches for the best grid, one level of the machine after the other, beginning with the outermost level.
class Search {
 public:
  Search(const std::vector<int>& entries, const Box& box, const GridTarget& target)
      : entries_(entries), box_(box), target_(target) {
    grid_.dimensions = static_cast<int>(entries.size());
  }

  /// Tries the splits of all levels from `level` on, the cheapest splits first, until a grid without idle
  /// ranks is found. The best grid so far is kept. Returns whether a grid without idle ranks was found.
  bool split(std::size_t level) {
    if (level == target_.levels.size()) return consider();
    std::vector<Candidate> candidates;
    Factors factors = {1, 1, 1, 1};
    collect(target_.levels[level], 0, level + 1 == target_.levels.size(), factors, candidates);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    bool perfect = false;
    for (const Candidate& candidate : candidates) {
      const ProcessorGrid before = grid_;
      grid_ = extended(candidate.factors);
      factors_.push_back(candidate.factors);
      perfect = split(level + 1);
      factors_.pop_back();
      grid_ = before;
      if (perfect) break;
    }
    return perfect;
  }

  /// The best grid, which has no dimensions if no grid was found. best_factors() has the factors of the grid
  /// for each level.
  const ProcessorGrid& best() const { return best_; }
  const std::vector<Factors>& best_factors() const { return best_factors_; }

 private:
  struct Candidate {
    Factors factors;
    /// The number of idle ranks and the number of points that are read from other ranks. Candidates with
    /// fewer idle ranks are cheaper, whatever the second number is.
    std::pair<int, double> cost;
  };

  int idle_ranks(const ProcessorGrid& grid) const {
    return grid.rank_count() - busy_ranks(grid, box_, target_.slicing);
  }

  /// Keeps the present grid as the best one if it has fewer idle ranks than all grids before. Returns whether
  /// it has no idle ranks.
  bool consider() {
    const int idle = idle_ranks(grid_);
    if (idle < fewest_idle_) {
      fewest_idle_ = idle;
      best_ = grid_;
      best_factors_ = factors_;
    }
    return idle == 0;
  }

  /// Returns the present grid after one more level has been split by `factors`.
  ProcessorGrid extended(const Factors& factors) const {
    ProcessorGrid grid = grid_;
    for (int d = 0; d < grid.dimensions; ++d) grid.size[d] *= factors[d];
    return grid;
  }

  /// Appends to `candidates` all ways to divide `ranks` among dimension d and the dimensions after it that
  /// the entries of the grid allow.
  void collect(int ranks, int d, bool last_level, Factors& factors,
               std::vector<Candidate>& candidates) const {
    // The second condition tells compilers where arrays end.
    if (d == grid_.dimensions || d == max_dimensions) {
      if (ranks != 1) return;
      const ProcessorGrid grid = extended(factors);
      candidates.push_back({factors, {idle_ranks(grid), ghost_points(grid, box_, target_)}});
      return;
    }
    for (int n : divisors_of(ranks)) {
      const int size = grid_.size[d] * n;
      const int entry = entries_[d];
      // An entry of 0 stands for `auto`. Other entries are the sizes after the last level.
      if (entry != 0 && (last_level ? size != entry : entry % size != 0)) continue;
      factors[d] = n;
      collect(ranks / n, d + 1, last_level, factors, candidates);
    }
    factors[d] = 1;
  }

  const std::vector<int>& entries_;
  const Box& box_;
  const GridTarget& target_;
  /// The grid of the levels that are split so far, and the factors of each of these levels.
  ProcessorGrid grid_;
  std::vector<Factors> factors_;
  ProcessorGrid best_;
  std::vector<Factors> best_factors_;
  int fewest_idle_ = std::numeric_limits<int>::max();
};

/// Returns the dimensions of the grid in the order of its digits, the slowest first.
std::vector<int> slowest_first(const GridRequest& request, int dimensions) {
  std::vector<int> order = request.order;
  for (int d : order)
    if (d < 0 || std::count(order.begin(), order.end(), d) != 1)
      throw InputError(
          fmt::format("the order of a processor grid of {} dimensions: name each of 0 to {} once", dimensions,
                      dimensions - 1));
  std::erase_if(order, [dimensions](int d) { return d >= dimensions; });
  for (int d = 0; d < dimensions; ++d)
    if (std::count(order.begin(), order.end(), d) == 0) order.push_back(d);
  std::reverse(order.begin(), order.end());
  return order;
}

void check_levels(const std::vector<int>& levels, int rank_count) {
  std::int64_t product = 1;
  for (int level : levels) product *= level;
  if (product != rank_count)
    throw InputError(fmt::format("the levels of the machine multiply to {}, not to {}", product,
                                 counted(rank_count, "rank")));
}

/// Returns the greatest number of ranks, at most `rank_count`, that the entries of a grid allow.
/// Returns 0 if there is none.
int most_ranks_of(const std::vector<int>& entries, int rank_count) {
  std::int64_t fixed = 1;
  for (int entry : entries) {
    if (entry < 0) return 0;
    if (entry > 0) fixed = std::min<std::int64_t>(fixed * entry, std::numeric_limits<int>::max());
  }
  if (fixed > rank_count) return 0;
  const bool has_auto = std::ranges::find(entries, 0) != entries.end();
  return has_auto ? rank_count - rank_count % static_cast<int>(fixed) : static_cast<int>(fixed);
}

/// Returns the best grid with the number of ranks that `target.levels` have. The grid has no dimensions if
/// the entries of the request allow for none.
ProcessorGrid best_grid(const GridRequest& request, const Box& box, const GridTarget& target) {
  const std::vector<int> order = slowest_first(request, static_cast<int>(request.entries.size()));
  Search search(request.entries, box, target);
  search.split(0);
  ProcessorGrid grid = search.best();
  const bool is_usual = std::ranges::is_sorted(order, std::ranges::greater());
  if (grid.dimensions > 0 && (target.levels.size() > 1 || !is_usual))
    for (const Factors& factors : search.best_factors())
      for (int d : order) grid.digits.push_back({d, factors[d]});
  return grid;
}

}  // namespace

std::string GridRequest::text() const {
  std::string text;
  for (int entry : entries)
    text += (text.empty() ? "" : ", ") + (entry == 0 ? "auto" : std::to_string(entry));
  return fmt::format("[{}]", text);
}

int ProcessorGrid::rank_count() const {
  int count = 1;
  for (int d = 0; d < dimensions; ++d) count *= size[d];
  return count;
}

ProcessorGrid::Positions ProcessorGrid::positions(int first, int last) const {
  Positions positions;
  int weight = rank_count();
  bool same = true;
  --last;
  // Below the first digit in which the first and the last rank differ, all values of the digits occur.
  for_each_digit(*this, [&](const GridDigit& digit) {
    weight /= digit.size;
    const int d = digit.dimension;
    const int low = same ? first / weight % digit.size : 0;
    const int high = same ? last / weight % digit.size : digit.size - 1;
    positions.first[d] = positions.first[d] * digit.size + low;
    positions.last[d] = (positions.last[d] - 1) * digit.size + high + 1;
    same = same && low == high;
  });
  return positions;
}

int ProcessorGrid::rank(const Position& position) const {
  // For each dimension, the product of the sizes of its digits below the current digit.
  Position below;
  std::copy(size, size + max_dimensions, below.begin());
  int rank = 0;
  for_each_digit(*this, [&](const GridDigit& digit) {
    const int d = digit.dimension;
    below[d] /= digit.size;
    rank = rank * digit.size + position[d] / below[d] % digit.size;
  });
  return rank;
}

std::string ProcessorGrid::text() const { return GridRequest{{size, size + dimensions}}.text(); }

std::string ProcessorGrid::order_text() const {
  // The dimension of the fastest digit, and the lowest dimension that the grid cuts.
  int fastest = 0, cut = 0;
  for (const GridDigit& digit : digits)
    if (digit.size > 1) fastest = digit.dimension;
  for (int d = dimensions - 1; d >= 0; --d)
    if (size[d] > 1) cut = d;
  return digits.empty() || fastest == cut ? "" : fmt::format(" numbered along dimension {} first", fastest);
}

double ghost_points(const ProcessorGrid& grid, const Box& box, const GridTarget& target) {
  double grown = 1;
  for (int d = 0; d < box.dimensions; ++d)
    grown *= d < grid.dimensions
                 ? grown_slices(box[d].size(), grid.size[d], target.below[d], target.above[d], target.slicing)
                 : static_cast<double>(box[d].size());
  return grown - static_cast<double>(box.size());
}

ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count,
                           const GridTarget& target) {
  GridRequest wanted = request;
  if (wanted.entries.empty()) wanted.entries = box.dimensions == 1 ? std::vector{0} : std::vector{1, 0};
  const int dimensions = static_cast<int>(wanted.entries.size());
  if (dimensions > box.dimensions)
    throw InputError(
        fmt::format("the processor grid {} has {} entries, but the array has {} dimensions: leave some out",
                    wanted.text(), dimensions, box.dimensions));
  GridTarget machine = target;
  if (machine.levels.empty()) machine.levels = {rank_count};
  check_levels(machine.levels, rank_count);
  if (const ProcessorGrid grid = best_grid(wanted, box, machine); grid.dimensions > 0) return grid;
  if (!wanted.may_leave_idle)
    throw InputError(
        fmt::format("the processor grid {} does not multiply to {}: write [1, auto], start another number of "
                    "ranks, or set 'idle' to allowed",
                    wanted.text(), counted(rank_count, "rank")));
  machine.levels = {most_ranks_of(wanted.entries, rank_count)};
  if (machine.levels.front() == 0)
    throw InputError(
        fmt::format("the processor grid {} needs more than {}: write [1, auto], or start more ranks",
                    wanted.text(), counted(rank_count, "rank")));
  return best_grid(wanted, box, machine);
}

}  // namespace tessera
