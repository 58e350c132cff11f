// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "tessera/domain/box.hpp"

namespace matmul {

/// The extents of a product C = A B: A has `rows` x `depth` elements, and B has `depth` x `columns`.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

/// How a product is cut. Only this decides about the bits of C.
struct Cut {
  /// The edge of a block of C.
  std::int64_t block = 0;
  /// The depth in k of the product of a block of A and a block of B.
  std::int64_t depth = 0;
  /// The number of consecutive products that are added up in place, and make one leaf of the tree of sums.
  std::int64_t run = 0;
};

/// Returns the number of pieces, of at most `size` elements each, that `extent` elements are cut into.
constexpr std::int64_t pieces(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }

/// The place of a sum in the tree: level 0 has the leaves.
struct TreePlace {
  int level = 0;
  std::int64_t number = 0;
  bool operator==(const TreePlace&) const = default;
  auto operator<=>(const TreePlace&) const = default;
};

/// A fixed binary tree, in which the partial sums of a block are added pairwise. Its shape depends on the
/// number of leaves only: sums 2 i and 2 i + 1 of a level become the sum i of the next level, and a last sum
/// without a partner goes up as it is. So results do not depend on the order in which sums are ready.
class SumTree {
 public:
  /// Makes a tree of at least one leaf.
  explicit SumTree(std::int64_t leaves) : leaves_(leaves) {}

  /// Returns the most sums of one block that are needed at the same time, if leaves are computed one after
  /// the other.
  std::int64_t most_alive() const { return std::bit_width(static_cast<std::uint64_t>(leaves_)); }
  /// Returns whether the sum at `place` is that of all leaves.
  bool is_root(TreePlace place) const { return sums_of(place.level) == 1; }
  /// Returns the highest place in the tree that the sum at `place` reaches without an addition.
  TreePlace settled(TreePlace place) const {
    while (!is_root(place) && place.number == sums_of(place.level) - 1 && place.number % 2 == 0)
      place = parent(place);
    return place;
  }
  /// Returns the place of the sum of two partners.
  static TreePlace parent(TreePlace place) { return {place.level + 1, place.number / 2}; }

 private:
  std::int64_t sums_of(int level) const { return (leaves_ + (std::int64_t(1) << level) - 1) >> level; }

  std::int64_t leaves_;
};

/// A matrix that is read in blocks.
enum class Operand : std::uint8_t { a, b };

/// A block of A or B: `band` is its row of blocks in A, or its column of blocks in B, and `step` is its
/// number along k.
struct OperandBlock {
  Operand operand = Operand::a;
  std::int64_t panel = 0;
  std::int64_t band = 0;
  std::int64_t step = 0;
};

/// A partial sum of a block of C: that of one leaf.
struct LeafBlock {
  std::int64_t panel = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t leaf = 0;
};

/// A rectangle of blocks of C that are computed together, as ranges of rows and columns of blocks.
struct Panel {
  tessera::Range rows, columns;
};

/// The limits that the plan of a product must keep.
struct Limits {
  /// The bytes of an element.
  std::int64_t element = 8;
  /// The bytes that the buffers may have.
  std::int64_t memory = 0;
  /// The number of products that are computed at the same time.
  int workers = 1;
};

/// The order of the work of one rank, and the buffers for it. The rank has some of the blocks of C. It
/// computes them panel by panel, and goes through k once for each panel. So each block of A and B that a
/// panel needs is read once for this panel.
class Plan {
 public:
  /// Makes the plan with the fewest reads for the blocks of C in `blocks`: columns first, then rows. The
  /// result is empty if the memory is too small for the buffers of any panel. Ranks without blocks have a
  /// plan, too.
  static std::optional<Plan> make(const Shape& shape, const Cut& cut, const tessera::Box& blocks,
                                  const Limits& limits);
  /// Returns the least number of bytes of memory with which `make` finds a plan.
  static std::int64_t least_memory(const Shape& shape, const Cut& cut, std::int64_t element);

  const Shape& shape() const { return shape_; }
  const Cut& cut() const { return cut_; }
  /// The number of panels, and the panel with a number. Panels are numbered row by row.
  std::int64_t panels() const { return rows_of_panels_ * columns_of_panels_; }
  Panel panel(std::int64_t number) const;
  /// The number of blocks of the largest panel along rows and columns.
  std::int64_t panel_rows() const { return panel_rows_; }
  std::int64_t panel_columns() const { return panel_columns_; }
  /// The number of block products along k for a block of C, and the number of leaves of its tree.
  std::int64_t steps() const { return pieces(shape_.depth, cut_.depth); }
  std::int64_t leaves() const { return pieces(steps(), cut_.run); }
  SumTree tree() const { return SumTree(leaves()); }
  /// The number of buffers for blocks of A and B, and for partial sums, and the elements of each.
  int operand_buffers() const { return operand_buffers_; }
  int sum_buffers() const { return sum_buffers_; }
  std::int64_t operand_elements() const;
  std::int64_t sum_elements() const;
  /// The bytes of all buffers, with what is needed to manage them.
  std::int64_t bytes() const;
  /// The number of elements of A or B that are read, of both together, and of C that are written.
  std::int64_t elements_read(Operand operand) const;
  std::int64_t elements_read() const { return elements_read(Operand::a) + elements_read(Operand::b); }
  std::int64_t elements_written() const;
  /// The number of products of two elements.
  double products() const {
    return static_cast<double>(elements_written()) * static_cast<double>(shape_.depth);
  }

  /// Returns the block that is read as number `item` of a panel, or nothing after the last one.
  std::optional<OperandBlock> load(std::int64_t panel, std::int64_t item) const;
  /// Returns the partial sum that is begun as number `item` of a panel, or nothing after the last one.
  std::optional<LeafBlock> begin(std::int64_t panel, std::int64_t item) const;
  /// Returns the elements of a block of A or B, or of C: columns first, then rows.
  tessera::Box box_of(const OperandBlock& block) const;
  tessera::Box box_of(std::int64_t row, std::int64_t column) const;
  /// Returns the elements of C in a panel.
  tessera::Box box_of(const Panel& panel) const;

 private:
  Plan(const Shape& shape, const Cut& cut, const tessera::Box& blocks, std::int64_t element);
  struct Buffers;
  std::int64_t most_columns(const Buffers& way, std::int64_t rows, std::int64_t memory) const;
  void set_panels(std::int64_t rows, std::int64_t columns);

  Shape shape_;
  Cut cut_;
  tessera::Box blocks_;
  std::int64_t element_;
  std::int64_t panel_rows_ = 0, panel_columns_ = 0;
  std::int64_t rows_of_panels_ = 0, columns_of_panels_ = 0;
  int operand_buffers_ = 1, sum_buffers_ = 1;
};

}  // namespace matmul
