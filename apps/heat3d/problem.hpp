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

/// The equation u_t = kappa (u_xx + u_yy + u_zz) on the unit cube, solved by explicit Euler steps. At the
/// beginning, u is a product of sines. Point i of a dimension with n intervals lies at i / n.
struct Problem {
  std::array<std::int64_t, 3> intervals = {64, 64, 64};
  /// Half waves of the sines; even ones if the border is periodic.
  std::array<std::int64_t, 3> mode = {1, 1, 1};
  double kappa = 1;
  double time_step = 0;
  /// The number of steps, or the greatest one if there is a tolerance.
  std::int64_t steps = 1;
  /// Whether the cube repeats. If not, u is 0 on all faces.
  bool is_periodic = false;
  /// If set, the steps end when no point changes by more than this in a step: a steady state.
  std::optional<double> tolerance = {};

  /// kappa time_step / h^2, per dimension.
  std::array<double, 3> ratios() const;
  /// The solution at the time t is the initial values times exp(-rate t).
  double rate() const;
  /// A step of the scheme multiplies the initial values by this factor: 1 - 4 sum ratio sin^2(mode pi / (2
  /// intervals)).
  double factor() const;
  /// The points that are computed: all except the faces, or, if periodic, all except the last point of each
  /// dimension, which is the same as the first.
  tessera::Box unknowns() const;
  /// The points of the result: the unknowns, and the faces if these are fixed.
  tessera::Box points() const;
};

/// Returns the keys of a problem, and the key `type`.
std::vector<tessera::deck::KeyDeclaration> keys();

/// Returns the problem of a deck. Throws InputError if steps would be unstable or too many, if there are too
/// few points for the sines, or if the sines do not fit the border.
Problem problem_of(const tessera::deck::Deck& deck);

}  // namespace heat3d
