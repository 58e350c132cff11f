// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Returns the names of the stages and global reductions whose arrays can be written in addition to the
/// result. These are all stages and global reductions that are not outputs already, and that no loop
/// computes or changes.
std::vector<std::string> writable_stages(const Algorithm& pipeline);

/// Declares the key `output.stages`, if the application has stages or global reductions that can be written.
/// In programs whose stages are only known from the deck, the key takes any names, which `build` may check.
void declare_written_stages(deck::Schema& schema, const PipelineApplication& application);

/// Turns the stages that the key `output.stages` names into outputs, but for those that the pipeline has as
/// outputs. The domain of such an output is the set of all points that the result needs, and does not depend
/// on the schedule. Some of these points may lie outside the image, such as one row above and one row below
/// the image for the first stage of a blur. Throws InputError when `pipeline` has no stage of a given name
/// that can be written.
void write_stages(Pipeline& pipeline, const deck::Deck& deck);

/// Returns the names that the deck gives for the key `output.stages`. The list is empty if the deck does not
/// give this key.
std::vector<std::string> written_stages(const deck::Deck& deck);

}  // namespace tessera::app
