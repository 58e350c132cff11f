// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/boundary.hpp"

namespace tessera {

/// Returns the name of a boundary condition, such as "mirror". Plans and explanations use this name. Throws
/// InternalError if there is no such condition.
const char* name_of(Boundary condition);

}  // namespace tessera
