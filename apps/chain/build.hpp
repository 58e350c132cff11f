// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "chain.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace chain {

/// Throws InputError, which tells the place in the deck and the step, if the operator of a step does not
/// accept its parameters or its number of operands. The images themselves are not looked at.
void check_operator(const Step& step);

/// Returns the names of steps, and for loops also the names of their inner steps.
std::vector<std::string> names_of_steps(const std::vector<Step>& steps);

/// The pipeline of a chain.
struct BuiltChain {
  tessera::Pipeline pipeline;
  /// The steps that are outputs because they are single numbers, which nothing reads.
  std::vector<std::string> numbers;
};

/// Returns the pipeline of those steps of a chain that `wanted` needs, for an input image with the type
/// `type` and the points `domain`. The outputs of the pipeline are the output of the chain, the steps that
/// are single numbers and that no step reads, and the steps `results`, each of which `wanted` must have, too.
/// Throws InputError, which tells the place in the deck and the step, if an operator does not accept its
/// images or its parameters.
BuiltChain build(const Chain& chain, tessera::ElementType type, const tessera::Box& domain,
                 const std::set<std::string>& wanted, const std::set<std::string>& results = {});

/// Returns the steps that are single numbers and that no step reads, for an input image with the type `type`
/// and the points `domain`. Steps with errors are left out.
std::vector<std::string> unread_numbers(const Chain& chain, tessera::ElementType type,
                                        const tessera::Box& domain);

/// Returns the names of the steps and inputs that the steps `wanted` need, with the steps themselves.
std::set<std::string> needed_by(const Chain& chain, const std::set<std::string>& wanted);

}  // namespace chain
