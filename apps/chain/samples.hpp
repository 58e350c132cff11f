// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "build.hpp"

namespace chain {

/// The pipeline of a chain for an image of a type and a size.
struct Sample {
  tessera::ElementType type;
  tessera::Box domain;
  BuiltChain built;
};

/// Returns the pipelines of the steps that `wanted` needs for images of all kinds that the chain accepts:
/// without channels and with one to four, of the types that operators take, and of one that they do not take.
/// Where the chain does not accept images for `wanted`, it is built for its output alone. The images are
/// large, so that parts can be cut out of them.
std::vector<Sample> samples_of(const Chain& chain, const std::set<std::string>& wanted);

}  // namespace chain
