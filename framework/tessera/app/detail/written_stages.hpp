// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// The stages and global reductions whose arrays can go to files beside the result: those that no loop
/// computes or changes.
std::vector<std::string> writable_stages(const Algorithm& pipeline);

/// Declares `output.stages` where the application has such stages.
void declare_written_stages(deck::Schema& schema, const PipelineApplication& application);

/// Makes outputs of the stages that `output.stages` names, on all points that the result needs, whatever the
/// schedule (of the scratch image of a blur, a row above the image and one below it, too). Throws InputError
/// when the pipeline of this deck has no such stage.
void write_stages(Pipeline& pipeline, const deck::Deck& deck);

/// Their names; none when the deck says nothing of them.
std::vector<std::string> written_stages(const deck::Deck& deck);

}  // namespace tessera::app
