// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "operators/operator_case.hpp"

namespace bench {

/// Starts libvips with this number of threads.
void start_vips(int threads);

/// Returns operators that libvips has, too, with libvips as the peer. Their images are those of OpenCV, and
/// their results lie in the memory of libvips.
std::vector<OperatorCase> vips_operators();

}  // namespace bench
