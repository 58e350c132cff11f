// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Declares the key `output.stages`. It takes any names, which write_stages checks.
void declare_written_stages(deck::Schema& schema, const PipelineApplication& application);

/// Turns the stages that the key `output.stages` names into outputs, but for those that the pipeline has as
/// outputs; `result` is the name of the result. The domain of such an output is the set of all points that
/// the result needs, and does not depend on the schedule. Some of these points may lie outside the image,
/// such as one row above and one row below the image for the first stage of a blur. Throws InputError, which
/// says why, when `pipeline` has no stage of a given name that can be written, or when the deck wants such a
/// stage not to be stored.
void write_stages(Pipeline& pipeline, const PipelineApplication& application, const deck::Deck& deck,
                  const std::string& result);

/// Returns the names that the deck gives for the key `output.stages`. The list is empty if the deck does not
/// give this key.
std::vector<std::string> written_stages(const deck::Deck& deck);

}  // namespace tessera::app
