// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "program_runs.hpp"

// tessera-blur as its users start it.
namespace tessera::app_test {

/// `mpiexec -n ranks tessera-blur words...` in a folder.
ParallelEnding blur(int ranks, const Folder& folder, const std::vector<std::string>& words,
                    const Environment& environment = {});

/// The program by itself, without a launcher.
Ending blur_alone(const Folder& folder, const std::vector<std::string>& words,
                  const Environment& environment = {});

/// The path of a deck of inputs/blur.
std::string deck(const std::string& name);

}  // namespace tessera::app_test
