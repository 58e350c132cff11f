// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/exit_status.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"

namespace tessera::app {

/// Runs an application on the series of images or the video that the deck names, as a graph of tasks: `read`,
/// one for each part of the application, and `write`. Several images are under way at the same time,
/// and each is computed by one thread, as one rank computes it. The files of a series are dealt out to the
/// ranks. With --check, looks at all files; with --explain, prints the graph; with --estimate, estimates the
/// first image. Collective. Returns the exit
/// status: `stopped` if a signal has ended the series, else `bad_input` if files were left out, else
/// `not_converged` if the loop of an image has not converged. Such an image is written all the same. Throws
/// InputError.
ExitStatus run_series(Session& session, const PipelineApplication& application, const ProgramBuild& build,
                      const Options& options, const deck::Deck& deck,
                      const std::vector<std::string>& deck_files, RunPhases& phases);

/// Returns the deck of a series in which `items.across` says `rank` or `ranks` in place of `auto`: `ranks` if
/// the deck gives bands, or if one rank does not have the memory for the first image that can be read.
/// Collective. Throws InputError when the deck names no images.
deck::Deck with_chosen_way(Session& session, const PipelineApplication& application, const deck::Deck& deck);

/// Executes, explains, checks or estimates a series whose images are computed by all ranks together, one
/// after the other, in the way of a single run: in bands, with loops, and within the memory of the ranks.
/// Images of the same size and type share a plan and its memory. Returns the exit status. Collective. Throws
/// InputError as a single run does.
ExitStatus run_series_across(Session& session, const PipelineApplication& application,
                             const ProgramBuild& build, const Options& options, const deck::Deck& deck,
                             const std::vector<std::string>& deck_files, RunPhases& phases);

}  // namespace tessera::app
