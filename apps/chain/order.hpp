// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "chain.hpp"

namespace chain {

/// Returns the steps in an order in which each step comes after those of them that it reads. Otherwise they
/// keep their order. Throws InputError if steps read each other in a cycle, or if a step reads something that
/// is neither one of the steps nor one of `others`.
std::vector<Step> ordered(const std::vector<Step>& steps, const std::vector<std::string>& others);

}  // namespace chain
