// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/deck/load.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The texts of deck files, and the values of the environment variables that these texts name.
struct DeckFiles {
  /// The decks, and the decks that they include.
  std::vector<deck::Source> sources;
  /// The values of the environment variables that the decks and overrides name.
  deck::Environment environment;
};

/// Reads the decks at `paths`, the decks that they include, and the environment variables that these decks
/// and the overrides name. Rank 0 reads them and sends them to all other ranks, so that all ranks have the
/// same decks. Collective. Throws InputError on all ranks if a deck cannot be read, or if `paths` contains
/// the path of an image. The message about an image depends on whether `schema` has the key `input.file`.
DeckFiles read_decks(MPI_Comm communicator, const deck::Schema& schema, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides);

}  // namespace tessera::app
