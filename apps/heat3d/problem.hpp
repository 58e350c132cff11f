// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/domain/box.hpp"

namespace heat3d {

/// u_t = kappa (u_xx + u_yy + u_zz) on the unit cube, from a product of sines, by explicit Euler steps. Point
/// i of a dimension of n intervals lies at i / n.
struct Problem {
  std::array<std::int64_t, 3> intervals = {64, 64, 64};
  /// Half waves of the sines; even ones if the border is periodic.
  std::array<std::int64_t, 3> mode = {1, 1, 1};
  double kappa = 1;
  double time_step = 0;
  /// The number of steps, or the greatest one if there is a tolerance.
  std::int64_t steps = 1;
  /// Else u is 0 on all faces.
  bool is_periodic = false;
  /// Ends when no point changes by more in a step: a steady state.
  std::optional<double> tolerance = {};

  /// kappa time_step / h^2, per dimension.
  std::array<double, 3> ratios() const;
  /// The initial values die away as exp(-rate t).
  double rate() const;
  /// A step of the scheme multiplies them by this factor: 1 - 4 sum ratio sin^2(mode pi / (2 intervals)).
  double factor() const;
  /// The points that are computed: without the faces, or, if periodic, without the last one of each
  /// dimension, which is the first.
  tessera::Box unknowns() const;
  /// The points of the result: the unknowns, with the faces where these are fixed.
  tessera::Box points() const;
};

/// The keys of a problem, and `type`.
std::vector<tessera::deck::KeyDeclaration> keys();

/// Returns the problem of a deck. Throws InputError when no step of the scheme would be stable, when the
/// points are too few for the sines, when these do not fit the border, and when there are too many steps.
Problem problem_of(const tessera::deck::Deck& deck);

}  // namespace heat3d
