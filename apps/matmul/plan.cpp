// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>
#include <limits>

namespace matmul {
namespace {

using tessera::Box, tessera::Range;

/// Returns the elements of the piece `number`, if `extent` elements are cut into pieces of `size`.
Range piece(std::int64_t number, std::int64_t size, std::int64_t extent) {
  return {number * size, std::min((number + 1) * size, extent)};
}

/// Returns the size of the most equal pieces that `extent` can be cut into, if there must be no more pieces
/// than with `size`.
std::int64_t balanced(std::int64_t extent, std::int64_t size) { return pieces(extent, pieces(extent, size)); }

/// The bytes that a buffer needs beside its elements: for its view, its leases and its place in the graph.
constexpr std::int64_t overhead = 512;

/// The greatest number of buffers for partial sums. Only plans with tiny blocks would need more.
constexpr std::int64_t most_sums = 1 << 20;

/// Returns the size of a panel that is tried after `size`: the next one, or, if it is large, one that is a
/// little larger. The last one is `largest`.
std::int64_t next_size(std::int64_t size, std::int64_t largest) {
  return size == largest ? largest + 1 : std::min(largest, size + 1 + size / 512);
}

}  // namespace

/// How many buffers a panel of p x q blocks gets: `per_band` (p + q) + 1 for blocks of A and B. For sums it
/// gets those that the trees of its blocks need, and `spare_sums` more.
struct Plan::Buffers {
  std::int64_t per_band;
  std::int64_t spare_sums;
  /// The reads of a plan count this many times when ways are compared, as fewer buffers keep workers waiting.
  double penalty;

  std::int64_t operands(std::int64_t rows, std::int64_t columns) const {
    return per_band * (rows + columns) + 1;
  }
  std::int64_t sums(std::int64_t rows, std::int64_t columns, std::int64_t alive) const {
    return rows * columns * alive + spare_sums;
  }
};

Plan::Plan(const Shape& shape, const Cut& cut, const Box& blocks, std::int64_t element)
    : shape_(shape), cut_(cut), blocks_(blocks), element_(element) {}

std::int64_t Plan::operand_elements() const {
  return std::min(cut_.block, std::max(shape_.rows, shape_.columns)) * std::min(cut_.depth, shape_.depth);
}

std::int64_t Plan::sum_elements() const {
  return std::min(cut_.block, shape_.rows) * std::min(cut_.block, shape_.columns);
}

std::int64_t Plan::bytes() const {
  return operand_buffers_ * (operand_elements() * element_ + overhead) +
         sum_buffers_ * (sum_elements() * element_ + overhead);
}

std::int64_t Plan::least_memory(const Shape& shape, const Cut& cut, std::int64_t element) {
  Plan plan(shape, cut, {}, element);
  // A panel of one block needs a block of A and one of B, and one buffer stays free.
  plan.operand_buffers_ = 3;
  plan.sum_buffers_ = static_cast<int>(plan.tree().most_alive()) + 1;
  return plan.bytes();
}

/// Returns the most columns that a panel with these rows may have so that its buffers fit into the memory.
std::int64_t Plan::most_columns(const Buffers& way, std::int64_t rows, std::int64_t memory) const {
  const auto operand_bytes = static_cast<double>(operand_elements() * element_ + overhead),
             sum_bytes = static_cast<double>(sum_elements() * element_ + overhead);
  const double fixed_bytes = operand_bytes * static_cast<double>(way.operands(rows, 0)) +
                             sum_bytes * static_cast<double>(way.spare_sums);
  const double bytes_of_column = operand_bytes * static_cast<double>(way.per_band) +
                                 sum_bytes * static_cast<double>(rows * tree().most_alive());
  const auto fitting =
      static_cast<std::int64_t>((static_cast<double>(memory) - fixed_bytes) / bytes_of_column);
  return std::min(fitting, most_sums / (rows * tree().most_alive()));
}

std::optional<Plan> Plan::make(const Shape& shape, const Cut& cut, const Box& blocks, const Limits& limits) {
  Plan plan(shape, cut, blocks, limits.element);
  if (blocks.empty()) return plan;
  const std::int64_t rows = blocks[1].size(), columns = blocks[0].size();
  // With two buffers for each band, the blocks of the next step are read while those of this one are
  // multiplied. In both ways one buffer more than needed stays free for the oldest item of the graph.
  const Buffers ways[] = {{2, limits.workers + 1, 1.0}, {1, 1, 1.5}};
  double fewest = std::numeric_limits<double>::infinity();
  for (const Buffers& way : ways)
    for (std::int64_t p = 1; p <= rows; p = next_size(p, rows)) {
      const std::int64_t q = std::min(columns, plan.most_columns(way, p, limits.memory));
      if (q < 1) break;
      // The rows and columns of blocks of A and B that are read, each along all of k.
      const double reads =
          way.penalty * static_cast<double>(pieces(columns, q) * rows + pieces(rows, p) * columns);
      if (reads >= fewest) continue;
      fewest = reads;
      plan.set_panels(balanced(rows, p), balanced(columns, q));
      plan.operand_buffers_ = static_cast<int>(way.operands(plan.panel_rows_, plan.panel_columns_));
      plan.sum_buffers_ =
          static_cast<int>(way.sums(plan.panel_rows_, plan.panel_columns_, plan.tree().most_alive()));
    }
  if (plan.panels() == 0) return std::nullopt;
  return plan;
}

void Plan::set_panels(std::int64_t rows, std::int64_t columns) {
  panel_rows_ = rows;
  panel_columns_ = columns;
  rows_of_panels_ = pieces(blocks_[1].size(), rows);
  columns_of_panels_ = pieces(blocks_[0].size(), columns);
}

Panel Plan::panel(std::int64_t number) const {
  const std::int64_t y = blocks_[1].begin + number / columns_of_panels_ * panel_rows_;
  const std::int64_t x = blocks_[0].begin + number % columns_of_panels_ * panel_columns_;
  return {{y, std::min(y + panel_rows_, blocks_[1].end)}, {x, std::min(x + panel_columns_, blocks_[0].end)}};
}

std::int64_t Plan::elements_read(Operand operand) const {
  if (panels() == 0) return 0;
  const Box first = box_of(blocks_[1].begin, blocks_[0].begin),
            last = box_of(blocks_[1].end - 1, blocks_[0].end - 1);
  return shape_.depth * (operand == Operand::a ? columns_of_panels_ * (last[1].end - first[1].begin)
                                               : rows_of_panels_ * (last[0].end - first[0].begin));
}

std::int64_t Plan::elements_written() const {
  if (panels() == 0) return 0;
  const Box first = box_of(blocks_[1].begin, blocks_[0].begin),
            last = box_of(blocks_[1].end - 1, blocks_[0].end - 1);
  return (last[1].end - first[1].begin) * (last[0].end - first[0].begin);
}

std::optional<OperandBlock> Plan::load(std::int64_t panel, std::int64_t item) const {
  const auto [rows, columns] = this->panel(panel);
  const std::int64_t both = std::min(rows.size(), columns.size()), bands = rows.size() + columns.size();
  if (item >= steps() * bands) return std::nullopt;
  const std::int64_t in_step = item % bands;
  // A and B take turns, so that there is work from the second block on.
  const bool takes_turns = in_step < 2 * both;
  const bool is_a = takes_turns ? in_step % 2 == 0 : rows.size() > columns.size();
  const std::int64_t band = takes_turns ? in_step / 2 : in_step - both;
  return OperandBlock{is_a ? Operand::a : Operand::b, panel, (is_a ? rows : columns).begin + band,
                      item / bands};
}

std::optional<LeafBlock> Plan::begin(std::int64_t panel, std::int64_t item) const {
  const auto [rows, columns] = this->panel(panel);
  const std::int64_t blocks = rows.size() * columns.size();
  if (item >= leaves() * blocks) return std::nullopt;
  const std::int64_t in_leaf = item % blocks;
  return LeafBlock{panel, rows.begin + in_leaf / columns.size(), columns.begin + in_leaf % columns.size(),
                   item / blocks};
}

Box Plan::box_of(const OperandBlock& block) const {
  const Range depth = piece(block.step, cut_.depth, shape_.depth);
  if (block.operand == Operand::a) return {depth, piece(block.band, cut_.block, shape_.rows)};
  return {piece(block.band, cut_.block, shape_.columns), depth};
}

Box Plan::box_of(std::int64_t row, std::int64_t column) const {
  return {piece(column, cut_.block, shape_.columns), piece(row, cut_.block, shape_.rows)};
}

Box Plan::box_of(const Panel& panel) const {
  return hull(box_of(panel.rows.begin, panel.columns.begin),
              box_of(panel.rows.end - 1, panel.columns.end - 1));
}

}  // namespace matmul
