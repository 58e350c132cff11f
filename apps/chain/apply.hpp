// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "chain.hpp"
#include "tessera/operators/image.hpp"

namespace chain {

/// Adds the operator of a step to a pipeline, and returns its result. Throws InputError, which tells the
/// place in the deck and the step, if the operator does not accept the images or the parameters.
tessera::operators::Image apply(tessera::Pipeline& pipeline, const Step& step,
                                const std::vector<tessera::operators::Image>& images);

/// Throws InputError, as apply() does, if the operator of a step does not accept its parameters, or takes
/// another number of images. No image needs to be known.
void check_operator(const Step& step);

}  // namespace chain
