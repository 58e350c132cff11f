// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::io {

/// Removes all output files that are not complete, and therefore still have temporary names. A rank calls
/// this function before it ends the whole job. Any thread may call it, and more than once. No rank may write
/// files afterwards. Returns false if another rank has removed these files before, which means that the other
/// rank is already ending the job and has reported why. This is found by the first file that this rank tries
/// to remove. Not collective.
bool remove_unfinished_files();

}  // namespace tessera::io
