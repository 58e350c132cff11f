// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/domain/boundary.hpp"

namespace tessera::test {

/// A border that decks name, and what is beyond it.
struct Border {
  std::string name;
  BoundaryConditions conditions;
};
inline BoundaryConditions around(Boundary boundary) {
  BoundaryConditions conditions(boundary);
  conditions.side[2] = {};
  return conditions;
}
inline const std::vector<Border>& borders() {
  static const std::vector<Border> all = {{"clamp", around(Boundary::clamp)},
                                          {"mirror", around(Boundary::mirror)},
                                          {"mirror_interior", around(Boundary::mirror_interior)},
                                          {"constant", around(Boundary::constant)},
                                          {"periodic", around(Boundary::periodic)}};
  return all;
}

}  // namespace tessera::test
