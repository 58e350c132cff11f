// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

/// The processor grid that a schedule requests for an array. Dimensions without an entry are not divided
/// among ranks. A request without entries means [auto] for arrays of one dimension, and [1, auto] for all
/// other arrays, so that each rank has a slice along y.
struct GridRequest {
  /// The number of ranks along each dimension, x first. The entry 0 means `auto`: resolve_grid chooses the
  /// number.
  std::vector<int> entries;
  /// The dimensions in the order in which ranks are numbered: from one rank to the next, the position along
  /// the first of these dimensions changes fastest. Dimensions that `order` leaves out follow in ascending
  /// order, and dimensions that the grid does not have are passed over. If `order` is empty, the position
  /// along x changes fastest.
  std::vector<int> order = {};
  /// True if the grid may have fewer ranks than there are, as in Distributed Halide (section 3.2). The last
  /// ranks then own nothing.
  bool may_leave_idle = false;

  /// Returns the entries in the notation of decks, such as "[1, auto]".
  std::string text() const;
  /// Returns true when all members of both requests are equal.
  bool operator==(const GridRequest&) const = default;
};

/// One digit of a rank number in a mixed radix, in which each digit has its own number of values (see
/// ProcessorGrid).
struct GridDigit {
  /// The dimension along which the digit determines the position of a rank.
  int dimension = 0;
  /// The number of values that the digit may have.
  int size = 1;
  /// Returns true when both digits have the same dimension and the same size.
  bool operator==(const GridDigit&) const = default;
};

/// A grid of ranks. The number of a rank determines its position in the grid. The rank number is written in a
/// mixed radix, in which each digit has its own number of values. Each digit belongs to one dimension. The
/// digits of a dimension, read as one number, are the position along this dimension.
///
/// By default there is one digit for each dimension, and the digit of x is the least significant one. The
/// position of rank r is then (r mod size[0], r / size[0] mod size[1], ...), as in Distributed Halide
/// (section 3.2). A GridRequest may ask for another order of the digits. In hierarchical grids, a dimension
/// has one digit for each level of the machine (machine nodes, NUMA domains, ranks), so that the ranks of a
/// machine node own neighbouring blocks.
struct ProcessorGrid {
  /// The number of dimensions of the grid.
  int dimensions = 0;
  /// The number of ranks along each dimension, x first.
  int size[max_dimensions] = {1, 1, 1, 1};
  /// The digits of a rank number, the most significant one first. Empty means one digit for each dimension,
  /// with that of x as the least significant one. The product of the sizes of all digits of dimension d is
  /// size[d].
  std::vector<GridDigit> digits = {};

  /// The position of a rank in the grid, x first, counted from 0.
  using Position = std::array<int, max_dimensions>;
  /// A box of positions in the grid: the positions from `first` up to, but not including, `last` in each
  /// dimension.
  struct Positions {
    /// The first position in each dimension.
    Position first = {};
    /// The last position in each dimension, plus 1.
    Position last = {1, 1, 1, 1};
  };

  /// The number of ranks in the grid.
  int rank_count() const;
  /// Returns the position of a rank.
  Position position(int rank) const { return positions(rank, rank + 1).first; }
  /// Returns a box of positions that contains the positions of all ranks from `first` to `last` - 1. The box
  /// may also contain positions of other ranks. There must be at least one rank from `first` to `last` - 1.
  Positions positions(int first, int last) const;
  /// Returns the rank at a position. This is the inverse of `position`.
  int rank(const Position& position) const;

  /// Returns the number of ranks along each dimension in the notation of decks, such as "[2, 3]".
  std::string text() const;
  /// Returns which position changes fastest from rank to rank, such as " numbered along dimension 1 first".
  /// Returns an empty text if this is the position along the first dimension that is cut.
  std::string order_text() const;
  /// Returns true when both grids have the same dimensions, sizes and digits.
  bool operator==(const ProcessorGrid&) const = default;
};

/// The way in which the extent of a dimension is cut into n slices.
enum class Slicing : std::uint8_t {
  ceil,     ///< Slices have ceil(extent / n) points; the last ones may have fewer points or none.
  balanced  ///< The sizes of slices differ by at most one point.
};

/// The properties of an array and a machine that resolve_grid needs to choose the `auto` entries of a grid.
struct GridTarget {
  /// The number of points that a rank reads below its block in each dimension, x first.
  std::array<std::int64_t, max_dimensions> below = {1, 1, 1, 1};
  /// The number of points that a rank reads above its block in each dimension, x first.
  std::array<std::int64_t, max_dimensions> above = {1, 1, 1, 1};
  /// The way in which each dimension is cut into slices.
  Slicing slicing = Slicing::ceil;
  /// The number of parts at each level of the machine, outermost first: machine nodes, NUMA domains per
  /// machine node, and ranks per NUMA domain. The product of these numbers must be the number of ranks. Empty
  /// means a single level with all ranks.
  std::vector<int> levels = {};
};

/// Returns a grid of exactly `rank_count` ranks for an array with the points `box`. If the request allows for
/// idle ranks, and no such grid exists, the grid has as many ranks as possible, and does not follow the
/// levels of the machine. A number is chosen for each `auto` entry of `request`. The best grid is the one
/// with the fewest idle ranks, which are ranks that own no points. Among grids with equally many idle ranks,
/// it is the one whose ranks read the fewest points of other ranks (see ghost_points). Among grids that are
/// still equal, it is the one with the fewest ranks along x, so that rows are cut as little as possible. If
/// the machine has several levels, the outermost level is divided among the dimensions first, because
/// messages between its parts cost most.
///
/// Throws InputError if no choice for the `auto` entries gives `rank_count` ranks, or, where ranks may be
/// idle, at most `rank_count`. Throws InputError if the request has more entries than `box` has dimensions.
/// Also throws InputError if the order of the request names a dimension twice or a dimension below 0, or if
/// the product of the levels is not `rank_count`.
ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count,
                           const GridTarget& target = {});

/// Returns the total number of points that the ranks of a grid read from each other. To find the points that
/// a rank reads, its block is grown by `target.below` and `target.above` and cut to `box`; the points of the
/// block itself do not count. A point that several ranks read is counted several times. `box` must not be
/// empty. The time of a call does not grow with the number of ranks.
double ghost_points(const ProcessorGrid& grid, const Box& box, const GridTarget& target = {});

/// Chooses the processor grids of arrays, all for the same number of ranks. It remembers each choice, so that
/// the same request for the same box is resolved only once.
class GridChoices {
 public:
  /// Sets the arguments `rank_count` and `target` of resolve_grid for all choices.
  GridChoices(int rank_count, const GridTarget& target) : rank_count_(rank_count), target_(target) {}

  /// Returns resolve_grid(request, box, rank_count, target), and throws InputError when resolve_grid does.
  ProcessorGrid operator()(const GridRequest& request, const Box& box) {
    for (const Choice& choice : choices_)
      if (choice.box == box && choice.request == request) return choice.grid;
    choices_.push_back({request, box, resolve_grid(request, box, rank_count_, target_)});
    return choices_.back().grid;
  }

 private:
  struct Choice {
    GridRequest request;
    Box box;
    ProcessorGrid grid;
  };

  int rank_count_;
  GridTarget target_;
  std::vector<Choice> choices_;
};

}  // namespace tessera
