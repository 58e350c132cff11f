// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::deck {

/// Returns the folder of the decks that are installed with the running program, which is
/// `<folder of the program>/../share/tessera/inputs`. A build has the same folder. Returns an empty text if
/// there is no such folder, which is so for programs of other projects. Not collective.
std::string shipped_decks();

/// Returns the path of a deck. That is `path` itself if there is such a file, or if no deck of this name was
/// installed. Otherwise it is the path of the installed deck: `inputs/blur/default.yaml` is found from every
/// folder. Not collective.
std::string deck_path(const std::string& path);

}  // namespace tessera::deck
