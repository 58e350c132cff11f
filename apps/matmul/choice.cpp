// SPDX-License-Identifier: BSD-3-Clause
#include "choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/view/machine.hpp"

namespace matmul {
namespace {

using namespace tessera;

/// Returns how many of the workers compute products at the same time, on average over a panel. The products
/// of one partial sum are computed one after the other.
double used_workers(const Plan& plan, int workers) {
  const std::int64_t sums = plan.panel_rows() * plan.panel_columns() * plan.leaves();
  const std::int64_t busy = std::min<std::int64_t>(workers, sums);
  const std::int64_t products = plan.panel_rows() * plan.panel_columns() * plan.steps();
  return static_cast<double>(products) / static_cast<double>(pieces(products, busy));
}

/// Returns the edges of blocks to choose from, the largest first.
std::vector<std::int64_t> edges(std::int64_t given) {
  if (given > 0) return {given};
  std::vector<std::int64_t> edges;
  for (std::int64_t edge = largest_block; edge >= smallest_block; edge /= 2) edges.push_back(edge);
  return edges;
}

}  // namespace

double expected_seconds(const Plan& plan, const Target& target) {
  if (plan.panels() == 0) return 0;
  const auto element = static_cast<double>(target.limits.element);  // in bytes
  const Shape& shape = plan.shape();
  const auto edge = static_cast<double>(std::min({plan.cut().block, shape.rows, shape.columns}));
  const auto depth = static_cast<double>(std::min(plan.cut().depth, shape.depth));
  const double arithmetic = 2 * plan.products() * slowdown(edge, depth) /
                            (target.arithmetic_speed * used_workers(plan, target.limits.workers));
  const auto elements_of_c = static_cast<double>(plan.elements_written() * (target.reads_c ? 2 : 1));
  // The seconds of all reads and writes, if an element had one byte.
  const double bytewise = static_cast<double>(plan.elements_read(Operand::a)) / target.speed_of_a +
                          static_cast<double>(plan.elements_read(Operand::b)) / target.speed_of_b +
                          elements_of_c / std::max(target.speed_of_a, target.speed_of_b);
  return std::max(arithmetic, element * bytewise);
}

Cut choose_cut(const Shape& shape, std::int64_t rows, std::int64_t columns, const Target& target) {
  const std::int64_t depth = target.depth > 0 ? target.depth : std::min(default_depth, shape.depth);
  // The number of consecutive products that make a leaf.
  const std::int64_t run = pieces(target.leaf > 0 ? target.leaf : default_leaf, depth);
  double least = std::numeric_limits<double>::infinity();
  Cut best{};
  for (const std::int64_t block : edges(target.block)) {
    const Cut cut{block, depth, run};
    // If no cut fits, the last one remains, which has the smallest blocks.
    if (least == std::numeric_limits<double>::infinity()) best = cut;
    const auto plan =
        Plan::make(shape, cut, {{0, pieces(columns, block)}, {0, pieces(rows, block)}}, target.limits);
    if (!plan) continue;
    if (const double seconds = expected_seconds(*plan, target); seconds < least) {
      least = seconds;
      best = cut;
    }
  }
  return best;
}

std::int64_t memory_of(const app::JobSetting& setting) {
  std::int64_t of_node = machine_memory();
  MPI_Allreduce(MPI_IN_PLACE, &of_node, 1, MPI_INT64_T, MPI_MIN, setting.session.communicator());
  if (setting.deck.is_set("memory")) {
    const std::int64_t given = setting.deck.get<deck::ByteSize>("memory").bytes;
    if (given > of_node)
      setting.deck.fail("memory",
                        fmt::format("a machine node has {} for all its ranks: give less, or leave it out",
                                    human_bytes(of_node)));
    return given;
  }
  const std::vector<RankPlace> places = rank_places(setting.session.communicator());
  std::int64_t most_ranks = 1;
  for (const RankPlace& place : places)
    most_ranks = std::max<std::int64_t>(most_ranks, std::ranges::count(places, place.node, &RankPlace::node));
  return of_node / (2 * most_ranks);
}

RankGrid grid_of(const app::JobSetting& setting, const Shape& shape, std::int64_t block, int ranks) {
  GridRequest request{.entries = {}, .may_leave_idle = true};
  for (const auto& entry : setting.deck.get<deck::GridValue>("grid").entries)
    request.entries.push_back(static_cast<int>(entry.value_or(0)));
  const Box all{{0, pieces(shape.columns, block)}, {0, pieces(shape.rows, block)}};
  try {
    const ProcessorGrid grid = resolve_grid(request, all, ranks, {.slicing = Slicing::balanced});
    return {grid, BlockDistribution(all, all, grid, Slicing::balanced).owned(setting.session.rank())};
  } catch (const InputError& error) {
    setting.deck.fail("grid", error.what());
  }
}

}  // namespace matmul
