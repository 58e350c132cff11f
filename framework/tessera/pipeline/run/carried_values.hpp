// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// The values of global reductions at the end of a plan, by stage; empty: there is no value yet. They are the
/// same on all ranks.
using CarriedValues = std::vector<std::vector<std::byte>>;

}  // namespace tessera
