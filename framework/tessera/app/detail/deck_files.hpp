// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/deck/load.hpp"

namespace tessera::app {

/// What a deck is made of.
struct DeckFiles {
  std::vector<deck::Source> sources;
  deck::Environment environment;
};

/// Rank 0 reads the decks, what they include, and the environment variables that these and the overrides
/// name: one copy of a file, and one environment, is what all ranks run. Collective; InputError on all ranks.
DeckFiles read_decks(MPI_Comm communicator, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides);

}  // namespace tessera::app
