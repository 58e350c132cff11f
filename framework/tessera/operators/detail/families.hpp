// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/operators/registry.hpp"

namespace tessera::operators::detail {

// The operators of each source file, for the registry.

/// The operators of arithmetic.cpp.
std::vector<Operator> arithmetic_operators();
/// The operators of tone.cpp.
std::vector<Operator> tone_operators();
/// The operators of combination.cpp.
std::vector<Operator> combination_operators();
/// The operators of convolution.cpp.
std::vector<Operator> convolution_operators();
/// The operators of gradient.cpp.
std::vector<Operator> gradient_operators();

}  // namespace tessera::operators::detail
