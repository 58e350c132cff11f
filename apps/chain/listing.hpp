// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace chain {

/// Returns a list of all operators with a line for each, or the explanation of the operator `name` if it is
/// not empty. Throws InputError, which names the most similar operator, if there is none of this name.
std::string listing(const std::string& name);

}  // namespace chain
