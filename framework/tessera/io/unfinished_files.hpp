// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::io {

/// Removes all output files that are not complete, and therefore still have temporary names. A rank calls
/// this function before it ends the whole job. Any thread may call it, and more than once. No rank may write
/// files afterwards. Returns false if another rank has removed these files before, which means that the other
/// rank is already ending the job and has reported why. This is found by the first file that this rank tries
/// to remove. Not collective.
bool remove_unfinished_files();

/// Removes unfinished files that processes of this machine have left in the folders of `paths` when they were
/// killed: those with the temporary names of `paths` whose processes do not exist any more. One rank should
/// call it, before any of these files is created.
void remove_abandoned_files(const std::vector<std::string>& paths);

}  // namespace tessera::io
