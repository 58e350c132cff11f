// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::app {

/// Limits the instructions of kernels (see limit_instruction_set) to the set that the environment variable
/// TESSERA_INSTRUCTIONS names, if it is set and not empty. Throws InputError when it names no set.
void limit_instructions_from_environment();

}  // namespace tessera::app
