// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/exit_status.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"

namespace tessera::app {

/// Runs, explains, estimates or checks a series of images whose pipeline is divided into tasks on groups of
/// ranks, which work on one image after the other. Returns nothing if the deck leaves the choice and the
/// undivided pipeline is estimated to be the fastest, so that the series is to run without tasks. Collective.
/// Throws InputError.
std::optional<ExitStatus> run_stream_of_tasks(Session& session, const PipelineApplication& application,
                                              const ProgramBuild& build, const Options& options,
                                              const deck::Deck& deck,
                                              const std::vector<std::string>& deck_files, RunPhases& phases);

}  // namespace tessera::app
