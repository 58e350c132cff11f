// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/deck/load.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The texts of deck files and the environment variables that they name.
struct DeckFiles {
  /// The decks and the files that they include.
  std::vector<deck::Source> sources;
  /// The values of the environment variables that the decks and overrides name.
  deck::Environment environment;
};

/// Reads the decks, the files that they include, and the environment variables that these and the overrides
/// name. Rank 0 reads them for all ranks, so that all run the same. Collective. Throws InputError on all
/// ranks, also when `paths` names an image in place of a deck; `schema` says whether there is a key for it.
DeckFiles read_decks(MPI_Comm communicator, const deck::Schema& schema, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides);

}  // namespace tessera::app
