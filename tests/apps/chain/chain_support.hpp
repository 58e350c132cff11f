// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "../../../apps/chain/build.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/operators/image.hpp"

namespace tessera::test {

/// The chain of a deck with this text, which is called `chain.yaml`.
chain::Chain chain_of(const std::string& text);

/// The message of the InputError of a chain, read from the text of a deck and built for an image.
std::string chain_error(const std::string& text, ElementType type = ElementType::uint8,
                        const Box& domain = Box{{0, 16}, {0, 12}});

/// An image or a list of numbers. All types of images fit into double.
struct Numbers {
  ElementType type = ElementType::uint8;
  WholeArray<double> array;
};

/// A random image.
Numbers random_numbers(Random& random, ElementType type, const Box& box);

/// Runs a pipeline in one process, and returns its outputs by their names.
std::map<std::string, Numbers> run_chain(const Algorithm& pipeline, const Schedule& schedule, int ranks,
                                         int threads, const std::map<std::string, Numbers>& inputs);

/// Runs each step of a chain as a pipeline of its own, by a plain schedule, and returns all results by the
/// names of the steps. Chains with loops are not accepted.
std::map<std::string, Numbers> step_by_step(const chain::Chain& chain,
                                            const std::map<std::string, Numbers>& inputs);

}  // namespace tessera::test
