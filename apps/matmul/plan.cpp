// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>

namespace matmul {
namespace {

using tessera::Box, tessera::Range;

/// How many buffers a panel of p x q blocks gets: `per_band` (p + q) + 1 for blocks of A and B, and as many
/// for sums as the tree needs, and `spare_sums` more.
struct Buffers {
  std::int64_t per_band;
  std::int64_t spare_sums;
  /// By how much more may be read with buffers like these before others are better.
  double penalty;

  std::int64_t operands(std::int64_t rows, std::int64_t columns) const {
    return per_band * (rows + columns) + 1;
  }
  std::int64_t sums(std::int64_t rows, std::int64_t columns, std::int64_t alive) const {
    return rows * columns * alive + spare_sums;
  }
};

Range piece(std::int64_t number, std::int64_t size, std::int64_t extent) {
  return {number * size, std::min((number + 1) * size, extent)};
}

/// Returns the size of pieces that are as equal as possible, and no more of them than pieces of `size`.
std::int64_t balanced(std::int64_t extent, std::int64_t size) {
  return extent == 0 ? 0 : pieces(extent, pieces(extent, size));
}

/// Returns the panel that has number `ordinal`: `firsts` are the first numbers of all panels, and behind them
/// is the number of all.
std::optional<std::size_t> panel_of(const std::vector<std::int64_t>& firsts, std::int64_t ordinal) {
  if (ordinal >= firsts.back()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::upper_bound(firsts, ordinal) - firsts.begin() - 1);
}

}  // namespace

Plan::Plan(const Shape& shape, const Cut& cut, const Box& blocks, std::int64_t element)
    : shape_(shape), cut_(cut), blocks_(blocks), element_(element) {}

std::int64_t Plan::operand_elements() const {
  return std::min(cut_.block, std::max(shape_.rows, shape_.columns)) * std::min(cut_.depth, shape_.depth);
}

std::int64_t Plan::sum_elements() const {
  return std::min(cut_.block, shape_.rows) * std::min(cut_.block, shape_.columns);
}

std::int64_t Plan::bytes() const {
  return element_ * (operand_buffers_ * operand_elements() + sum_buffers_ * sum_elements());
}

std::int64_t Plan::least_memory(const Shape& shape, const Cut& cut, std::int64_t element) {
  Plan plan(shape, cut, {}, element);
  plan.operand_buffers_ = 3;
  plan.sum_buffers_ = static_cast<int>(plan.tree().most_alive()) + 1;
  return plan.bytes();
}

std::optional<Plan> Plan::make(const Shape& shape, const Cut& cut, const Box& blocks, const Limits& limits) {
  Plan plan(shape, cut, blocks, limits.element);
  const std::int64_t rows = blocks[1].size(), columns = blocks[0].size(), alive = plan.tree().most_alive();
  if (blocks.empty()) {
    plan.set_panels(0, 0);
    return plan;
  }
  // With two buffers for each band, the blocks of the next step are read while those of this one are
  // multiplied. One buffer more than needed stays free for the oldest item of a graph.
  const Buffers ways[] = {{2, limits.workers + 1, 1.0}, {1, 1, 1.25}};
  const double operand = static_cast<double>(plan.operand_elements() * limits.element);
  const double sum = static_cast<double>(plan.sum_elements() * limits.element);
  double fewest = 0;
  std::int64_t best_rows = 0, best_columns = 0;
  for (const Buffers& way : ways)
    for (std::int64_t p = 1; p <= rows; ++p) {
      const double fixed =
          operand * static_cast<double>(way.operands(p, 0)) + sum * static_cast<double>(way.spare_sums);
      const double per_column =
          operand * static_cast<double>(way.per_band) + sum * static_cast<double>(p * alive);
      const auto q = std::min<std::int64_t>(
          columns, static_cast<std::int64_t>((static_cast<double>(limits.memory) - fixed) / per_column));
      if (q < 1) break;
      const double reads =
          (static_cast<double>(pieces(columns, q)) * static_cast<double>(rows * shape.depth) +
           static_cast<double>(pieces(rows, p)) * static_cast<double>(columns * shape.depth)) *
          way.penalty;
      if (best_rows != 0 && reads >= fewest) continue;
      fewest = reads;
      best_rows = balanced(rows, p);
      best_columns = balanced(columns, q);
      plan.operand_buffers_ = static_cast<int>(way.operands(best_rows, best_columns));
      plan.sum_buffers_ = static_cast<int>(way.sums(best_rows, best_columns, alive));
    }
  if (best_rows == 0) return std::nullopt;
  plan.set_panels(best_rows, best_columns);
  return plan;
}

void Plan::set_panels(std::int64_t rows, std::int64_t columns) {
  panel_rows_ = rows;
  panel_columns_ = columns;
  std::int64_t loads = 0, begins = 0;
  const auto note = [&] {
    first_load_.push_back(loads);
    first_begin_.push_back(begins);
  };
  if (rows > 0)
    for (std::int64_t y = blocks_[1].begin; y < blocks_[1].end; y += rows)
      for (std::int64_t x = blocks_[0].begin; x < blocks_[0].end; x += columns) {
        note();
        const Panel& panel = panels_.emplace_back(
            Panel{{y, std::min(y + rows, blocks_[1].end)}, {x, std::min(x + columns, blocks_[0].end)}});
        loads += steps() * (panel.rows.size() + panel.columns.size());
        begins += leaves() * panel.rows.size() * panel.columns.size();
      }
  note();
}

std::int64_t Plan::elements_read() const {
  std::int64_t elements = 0;
  for (const Panel& panel : panels_)
    elements += shape_.depth * (piece(panel.rows.end - 1, cut_.block, shape_.rows).end -
                                piece(panel.rows.begin, cut_.block, shape_.rows).begin +
                                piece(panel.columns.end - 1, cut_.block, shape_.columns).end -
                                piece(panel.columns.begin, cut_.block, shape_.columns).begin);
  return elements;
}

std::int64_t Plan::elements_written() const {
  if (panels_.empty()) return 0;
  return (box_of(blocks_[1].end - 1, 0)[1].end - box_of(blocks_[1].begin, 0)[1].begin) *
         (box_of(0, blocks_[0].end - 1)[0].end - box_of(0, blocks_[0].begin)[0].begin);
}

std::optional<OperandBlock> Plan::load(std::int64_t ordinal) const {
  const auto number = panel_of(first_load_, ordinal);
  if (!number) return std::nullopt;
  const Panel& panel = panels_[*number];
  const std::int64_t rows = panel.rows.size(), columns = panel.columns.size(), both = std::min(rows, columns);
  const std::int64_t in_panel = ordinal - first_load_[*number];
  const std::int64_t in_step = in_panel % (rows + columns);
  // A and B take turns, so that there is work from the second block on.
  const bool takes_turns = in_step < 2 * both;
  const bool is_a = takes_turns ? in_step % 2 == 0 : rows > columns;
  const std::int64_t band = takes_turns ? in_step / 2 : in_step - both;
  return OperandBlock{is_a ? Operand::a : Operand::b, static_cast<std::int64_t>(*number),
                      (is_a ? panel.rows : panel.columns).begin + band, in_panel / (rows + columns)};
}

std::optional<LeafBlock> Plan::begin(std::int64_t ordinal) const {
  const auto number = panel_of(first_begin_, ordinal);
  if (!number) return std::nullopt;
  const Panel& panel = panels_[*number];
  const std::int64_t columns = panel.columns.size(), blocks = panel.rows.size() * columns;
  const std::int64_t in_panel = ordinal - first_begin_[*number], in_leaf = in_panel % blocks;
  return LeafBlock{static_cast<std::int64_t>(*number), panel.rows.begin + in_leaf / columns,
                   panel.columns.begin + in_leaf % columns, in_panel / blocks};
}

Box Plan::box_of(const OperandBlock& block) const {
  const Range depth = piece(block.step, cut_.depth, shape_.depth);
  if (block.operand == Operand::a) return {depth, piece(block.band, cut_.block, shape_.rows)};
  return {piece(block.band, cut_.block, shape_.columns), depth};
}

Box Plan::box_of(std::int64_t row, std::int64_t column) const {
  return {piece(column, cut_.block, shape_.columns), piece(row, cut_.block, shape_.rows)};
}

}  // namespace matmul
