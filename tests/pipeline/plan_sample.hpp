// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/random_plans.hpp"

namespace tessera::test {

/// input -> a -> b -> out, which also reads the global reduction `most` of the input.
Pipeline sample_pipeline(int width = 16, int height = 12);

/// The blur of the application `blur`; of float and std::uint16_t.
template <class T>
Pipeline blur_pipeline(const Box& image, const Box& result);

/// A loop u -> next -> u, which ends when the greatest point of u, the global reduction `most`, is not zero.
Pipeline looping_pipeline();

}  // namespace tessera::test
