// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

/// The values of global reductions that the plan of one band hands on to the plan of the next band. The index
/// of an entry is the id of a reduction. The entry holds the bytes of the partial value of this reduction
/// over all bands so far. An entry is empty as long as the reduction has no value. The values are the same on
/// all ranks.
using CarriedValues = std::vector<std::vector<std::byte>>;

}  // namespace tessera
