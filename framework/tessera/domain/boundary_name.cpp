// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/boundary_name.hpp"

#include "tessera/domain/error.hpp"

namespace tessera {

const char* name_of(Boundary condition) {
  switch (condition) {
    case Boundary::none:
      return "none";
    case Boundary::clamp:
      return "clamp";
    case Boundary::mirror:
      return "mirror";
    case Boundary::mirror_interior:
      return "mirror_interior";
    case Boundary::constant:
      return "constant";
    case Boundary::periodic:
      return "periodic";
  }
  throw InternalError("an unknown boundary condition");
}

}  // namespace tessera
