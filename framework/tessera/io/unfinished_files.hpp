// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::io {

/// Removes the output files that are not complete, which have temporary names: before a rank ends the whole
/// job. Any rank and any thread may call it, several times; nobody may write afterwards. False when another
/// rank was the first to.
bool remove_unfinished_files();

}  // namespace tessera::io
