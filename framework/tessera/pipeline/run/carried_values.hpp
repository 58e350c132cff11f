// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// The values of global reductions at the end of a plan, by the id of the reduction; an entry is empty while
/// there is no value. The values are the same on all ranks.
using CarriedValues = std::vector<std::vector<std::byte>>;

}  // namespace tessera
