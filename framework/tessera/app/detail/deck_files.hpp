// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/deck/load.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// What a deck is made of.
struct DeckFiles {
  std::vector<deck::Source> sources;
  deck::Environment environment;
};

/// Rank 0 reads the decks, what they include, and the environment variables that these and the overrides
/// name: one copy of a file, and one environment, is what all ranks run. Collective; InputError on all ranks,
/// also about images that are named where decks belong, for which `schema` may have a key.
DeckFiles read_decks(MPI_Comm communicator, const deck::Schema& schema, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides);

}  // namespace tessera::app
