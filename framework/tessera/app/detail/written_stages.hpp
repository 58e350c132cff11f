// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Returns the names of the stages and global reductions whose arrays can be written beside the result, which
/// are those that no loop computes or changes.
std::vector<std::string> writable_stages(const Algorithm& pipeline);

/// Declares `output.stages` where the application has such stages.
void declare_written_stages(deck::Schema& schema, const PipelineApplication& application);

/// Makes the stages that `output.stages` names outputs, on all points that the result needs, independent of
/// the schedule. These may lie outside the image, such as the row above and the row below it in the
/// intermediate image of a blur. Throws InputError when the pipeline of this deck has no such stage.
void write_stages(Pipeline& pipeline, const deck::Deck& deck);

/// Returns the names that `output.stages` has, or none when the deck does not give the key.
std::vector<std::string> written_stages(const deck::Deck& deck);

}  // namespace tessera::app
