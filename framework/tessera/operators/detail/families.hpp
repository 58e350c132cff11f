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
/// The operators of threshold.cpp.
std::vector<Operator> threshold_operators();
/// The operators of combination.cpp.
std::vector<Operator> combination_operators();
/// The operators of convolution.cpp.
std::vector<Operator> convolution_operators();
/// The operators of gradient.cpp.
std::vector<Operator> gradient_operators();
/// The operators of morphology.cpp.
std::vector<Operator> morphology_operators();
/// The operators of neighbourhood.cpp.
std::vector<Operator> neighbourhood_operators();
/// The operators of bilateral.cpp.
std::vector<Operator> bilateral_operators();
/// The operators of geometry.cpp.
std::vector<Operator> geometry_operators();
/// The operators of resampling.cpp.
std::vector<Operator> resampling_operators();
/// The operators of colour.cpp.
std::vector<Operator> colour_operators();
/// The operators of edges.cpp.
std::vector<Operator> edge_operators();
/// The operators of global.cpp.
std::vector<Operator> global_operators();

}  // namespace tessera::operators::detail
