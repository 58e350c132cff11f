// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::io {

/// Removes the output files that are not complete, which have temporary names. A rank calls this function
/// before it ends the whole job. Any rank and any thread may call it several times; no rank may write files
/// afterwards. Returns false when another rank has already removed the first of the files. Not collective.
bool remove_unfinished_files();

}  // namespace tessera::io
