// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace matmul {

/// The properties of a machine and the settings of a user that the choice of a cut depends on.
struct Target {
  Limits limits;
  /// The bytes per second that a rank reads of A and of B.
  double speed_of_a = 1e9, speed_of_b = 1e9;
  /// Whether the old C is read.
  bool reads_c = false;
  /// The multiplications and additions per second of a worker, with large blocks.
  double arithmetic_speed = 4e10;
  /// The edge of blocks, the depth of products and the depth of leaves that the user has asked for. 0 means
  /// that the edge is chosen, or that a depth is the default one.
  std::int64_t block = 0;
  std::int64_t depth = 0;
  std::int64_t leaf = 0;
};

/// The depth of a product unless the user asks for another, or k is smaller.
constexpr std::int64_t default_depth = 1024;
/// The depth of a leaf of the tree unless the user asks for another.
constexpr std::int64_t default_leaf = 8192;
/// The edges of the blocks that are chosen: the largest one, and the smallest one.
constexpr std::int64_t largest_block = 2048, smallest_block = 64;

/// Returns how many times as long as with large matrices a product takes if blocks have this edge and depth,
/// since BLAS copies blocks before it multiplies them. With OpenBLAS, the factors 1.26, 1.14 and 1 were
/// measured for blocks of 512, 1024 and 2048.
constexpr double slowdown(double edge, double depth) { return 1 + 128 / edge + 8 / depth; }

/// Returns the seconds that a plan is expected to take: the time of its reads and writes, or that of its
/// arithmetic if it is longer. C is expected to be read and written as fast as the faster of A and B is read.
double expected_seconds(const Plan& plan, const Target& target);

/// Returns the cut with which a part of at most `rows` x `columns` elements of C is computed in the least
/// time, as far as can be expected. Only the edge of blocks is chosen. The other sizes follow from the shape
/// unless they are given, so that with a given edge the bits of C do not depend on memory, workers or speeds.
/// If no cut fits into the memory, the result is the cut with the smallest blocks.
Cut choose_cut(const Shape& shape, std::int64_t rows, std::int64_t columns, const Target& target);

/// Returns the memory that the buffers of a rank may have: the memory that the deck gives, or half of the
/// rank's share of the memory of a machine node. Collective. Throws InputError if a machine node has less
/// than the deck gives.
std::int64_t memory_of(const tessera::app::JobSetting& setting);

/// The ranks as a grid over C.
struct RankGrid {
  tessera::ProcessorGrid grid;
  /// The blocks of this rank: columns first, then rows.
  tessera::Box blocks;
};

/// Returns the grid that the deck asks for, or one that is near to a square. `block` is the edge of blocks.
/// Throws InputError if the grid does not fit `ranks` ranks.
RankGrid grid_of(const tessera::app::JobSetting& setting, const Shape& shape, std::int64_t block, int ranks);

}  // namespace matmul
