// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan.hpp"

namespace matmul {

/// What the choice of a cut depends on.
struct Target {
  Limits limits;
  /// The bytes per second that a rank reads.
  double reading_speed = 1e9;
  /// The multiplications and additions per second of a worker, with large blocks.
  double arithmetic_speed = 4e10;
  /// The edge of blocks, the depth of products and of leaves that the user has asked for; 0 means any.
  std::int64_t block = 0;
  std::int64_t depth = 0;
  std::int64_t leaf = 0;
};

/// The depth of a leaf of the tree unless the user asks for another.
constexpr std::int64_t default_leaf = 8192;

/// Returns how many times as long a product takes if blocks have this edge and depth, since BLAS copies
/// blocks before it multiplies them. With OpenBLAS, blocks of 512 were measured to take 1.26 times as long as
/// large matrices, and blocks of 1024 1.14 times.
constexpr double slowdown(double edge, double depth) { return 1 + 128 / edge + 8 / depth; }

/// Returns the seconds that a plan is expected to take: as long as its reads or its arithmetic, whichever
/// takes longer.
double expected_seconds(const Plan& plan, const Target& target);

/// Returns the cut with which a part of at most `rows` x `columns` elements of C is computed in the least
/// time, as far as can be expected. If no cut fits into the memory, it is that which needs the least.
Cut choose_cut(const Shape& shape, std::int64_t rows, std::int64_t columns, const Target& target);

}  // namespace matmul
