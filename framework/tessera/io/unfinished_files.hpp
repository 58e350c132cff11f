// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::io {

/// Removes the output files that are not complete, which have temporary names. It is called before a rank
/// ends the whole job. Any rank and any thread may call it, several times; nobody may write files afterwards.
/// Returns false when another rank had removed the first of the files already. Not collective.
bool remove_unfinished_files();

}  // namespace tessera::io
