// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/cost/machine_description.hpp"

namespace tessera::app {

/// Reads a machine description from a file in YAML, of at most 1 MiB. A file that was installed with Tessera
/// is found from every folder (see deck::deck_path). Throws InputError with the file and the key if a key is
/// unknown, is missing, or has a value that it cannot have. Not collective.
cost::MachineDescription read_machine(const std::string& path);

/// Returns a machine description as the text of a file that read_machine reads. Each key has a comment with
/// its meaning and its unit. `remarks` are lines, such as about how the numbers were measured, that follow
/// the first line as comments.
std::string machine_text(const cost::MachineDescription& machine, const std::vector<std::string>& remarks);

}  // namespace tessera::app
