// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "pipeline.hpp"

// The parts of a level that no loop joins, for graphs whose tasks compute them. Their arrays have the names
// that add_level gives them.
namespace flow {

/// Declares the derivatives of the second frame, `second_dx` and `second_dy`, and makes them outputs.
void add_derivatives(tessera::Pipeline& pipeline, int level, const std::vector<tessera::Box>& boxes,
                     const Settings& settings, Plane second);

/// Makes the pipeline of the flow with which a level begins: `u` and `v`, from those of the coarser level if
/// there is one.
tessera::Pipeline make_begin(int level, const std::vector<tessera::Box>& boxes, const Settings& settings);

/// Makes the pipeline of the equations of a warp: `gx`, `gy`, `h` and, for Charbonnier's penalty,
/// `diffusivity`, from `first`, `second`, `second_dx`, `second_dy`, `u` and `v`.
tessera::Pipeline make_equations(int level, const std::vector<tessera::Box>& boxes, const Settings& settings);

/// Makes the pipeline of a turn of the solver: `next_u`, `next_v` and `change_of_turn`, and `end_of_turn` if
/// there is a tolerance, from `u`, `v` and the equations. Chebyshev's acceleration also has the inputs
/// `before_u`, `before_v` and `weight`, and the output `next_weight`.
tessera::Pipeline make_turn(int level, const std::vector<tessera::Box>& boxes, const Settings& settings);

/// Makes the pipeline of the test after a warp: `change_of_warp` and `end_of_warp`, from `u`, `v`, `start_u`
/// and `start_v`.
tessera::Pipeline make_comparison(int level, const std::vector<tessera::Box>& boxes,
                                  const Settings& settings);

}  // namespace flow
